"""What kind of source a host is. The tiers and their domains are data, in `tiers.json`, best tier first."""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from packs.fetch.url import ParsedUrl


@dataclass(frozen=True)
class Tier:
    name: str
    rank: int
    """Position in the file: 0 is the best source."""
    kept: bool
    """Whether the quality gate lets it pass without being asked."""
    weight_percent: int
    """How far a statement of such a source supports an answer."""


def _load() -> tuple[tuple[Tier, ...], Mapping[str, Tier]]:
    entries = json.loads((Path(__file__).parent / "tiers.json").read_text(encoding="utf-8"))["tiers"]
    tiers: list[Tier] = []
    domains: dict[str, Tier] = {}
    for rank, entry in enumerate(entries):
        tier = Tier(entry["name"], rank, entry["kept"], entry["weight_percent"])
        tiers.append(tier)
        for domain in entry["domains"]:
            if domain in domains:
                raise ValueError(f"tiers.json lists {domain} twice")
            domains[domain] = tier
    return tuple(tiers), domains


TIERS, DOMAINS = _load()
_BY_NAME = {tier.name: tier for tier in TIERS}

# A site that calls itself documentation is its product's own.
_DOCS_LABELS = frozenset({"docs", "doc", "documentation", "developer", "developers"})
_BLOG_LABELS = frozenset({"blog", "blogs"})
_BLOG_FOLDERS = ("/blog/", "/blogs/")


def is_within(host: str, domains: Collection[str]) -> bool:
    """Whether a host is one of the domains or below one."""
    labels = host.split(".")
    return any(".".join(labels[start:]) in domains for start in range(len(labels)))


def tier_of(url: ParsedUrl) -> Tier:
    """The most specific listed domain decides; an unlisted site with a blog is a company blog, else
    `unlisted`."""
    labels = url.host.name.split(".")
    for start in range(len(labels)):
        listed = DOMAINS.get(".".join(labels[start:]))
        if listed is not None:
            return listed
    if _DOCS_LABELS & set(labels[:-2]):
        return _BY_NAME["vendor_docs"]
    if _BLOG_LABELS & set(labels) or f"{url.path}/".startswith(_BLOG_FOLDERS):
        return _BY_NAME["company_blog"]
    return _BY_NAME["unlisted"]
