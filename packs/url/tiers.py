"""Which kind of source a page comes from: by the lists of tiers.json, by its name, by what the page itself shows."""

import json
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from packs.fetch.url import ParsedUrl
from packs.url.page_signals import Signal


@dataclass(frozen=True)
class Tier:
    name: str
    rank: int
    """Position in the file: 0 is the best source."""
    kept: bool
    """Whether the quality gate lets it pass without being asked."""
    weight_percent: int
    """How far a statement of such a source supports an answer."""


class Basis(StrEnum):
    """What a tier rests on. Names and pages are what a site says of itself; a list is what others know of it."""

    LIST = "list"
    NAME = "name"
    PAGE = "page"
    NOTHING = "nothing"


@dataclass(frozen=True)
class Ranking:
    tier: Tier
    basis: Basis


def _load() -> tuple[tuple[Tier, ...], Mapping[str, Tier]]:
    entries = json.loads((Path(__file__).parent / "tiers.json").read_text(encoding="utf-8"))["tiers"]
    tiers: list[Tier] = []
    domains: dict[str, Tier] = {}
    for rank, entry in enumerate(entries):
        tier = Tier(entry["name"], rank, entry["kept"], entry["weight_percent"])
        tiers.append(tier)
        for domain in (domain for group in entry["groups"] for domain in group["domains"]):
            if domain in domains:
                raise ValueError(f"tiers.json lists {domain} twice")
            domains[domain] = tier
    return tuple(tiers), domains


TIERS, DOMAINS = _load()
_BY_NAME = {tier.name: tier for tier in TIERS}
# Domain -> the folders of it that are listed apart.
_FOLDERS: dict[str, list[str]] = {}
for _domain in DOMAINS:
    if "/" in _domain:
        _FOLDERS.setdefault(_domain.partition("/")[0], []).append(f"/{_domain.partition('/')[2]}/")

# Registries of countries give these names to governments and to universities only.
_GOVERNMENT_LABELS = frozenset({"gov", "gob", "gouv", "govt", "gub", "go", "gv", "guv", "government", "mil"})
_ACADEMIC_LABELS = frozenset({"ac", "edu"})
_UNIVERSITY = re.compile(
    r"(?:uni|univ|tu|th|fh|hs)-[a-z0-9-]+|[a-z0-9-]*universit(?:y|ies|e|ä?t|aet|a|eit|et)[a-z0-9-]*|univ[a-z]*[0-9]*|"
    r"[a-z0-9-]+(?:college|hochschule|polytechnic)"
)
# Further names that a country's registry gives to its authorities alone: of Japan's towns, of British police, of India.
_AUTHORITIES = frozenset({"lg.jp", "police.uk", "nic.in", "mil.kr", "sch.uk", "fed.us"})
# A newspaper calls itself one. Of the registered name alone: news.example.com is a company's own.
_PRESS_NAME = re.compile(
    r"(?:the)?(?:daily|evening|morning|sunday)[a-z-]*|[a-z-]*(?:herald|tribune|gazette|chronicle|telegraph|observer|"
    r"courier|examiner|dispatch|inquirer|sentinel|ilbo|shinmun|sinmun|zeitung|tageblatt|anzeiger|nachrichten|diario|"
    r"noticias|giornale|gazzetta|kurier|shimbun)|[a-z-]{3,}(?:news|journal)|(?!some)[a-z-]{3,}times|(?:le|el|la|il)-?journal[a-z]*|"
    r"[a-z-]*news(?:paper|week|agency|wire)?(?:24|tv)"
)
_ASSOCIATION_NAME = re.compile(
    r"[a-z0-9-]*(?:association|federation|verband|verein(?:igung)?|chamber(?:ofcommerce)?|handelskammer|federatie|"
    r"confederation|confederacion|asociacion|associazione|syndicat|tradecouncil)[a-z0-9-]*|[a-z0-9-]+assn"
)
# "Korea … Association", shortened. Of those under or.kr that the lists know, three of four are.
_KOREAN_ASSOCIATION = re.compile(r"k[a-z]{1,4}a")
# A site that calls itself documentation is its product's own.
_DOCS_LABELS = frozenset(
    {
        *("docs", "doc", "documentation", "developer", "developers", "help", "support", "manual", "manuals", "devdocs"),
        *("apidocs", "api-docs", "kb", "guide", "guides", "learn", "devcenter", "devportal", "reference", "handbook"),
    }
)
_DOCS_FOLDER = re.compile(
    r"/(?:[a-z]{2}(?:-[a-z]{2})?/)?"
    r"(?:docs?|documentation|manuals?|developers?|api-docs|api-reference|reference|user-?guide|help-?center)/"
)
_BLOG_LABEL = re.compile(r"(?:[a-z0-9-]*-)?(?:tech|dev|engineering)?blogs?")
_BLOG_FOLDER = re.compile(r"/(?:[a-z]{2}(?:-[a-z]{2})?/)?(?:tech-?|company-?|engineering-?)?blogs?/")
_FORUM_LABELS = frozenset(
    {"forum", "forums", "community", "communities", "bbs", "discuss", "discourse", "boards", "cafe"}
)
_SHOP_LABELS = frozenset({"shop", "store", "mall", "smartstore", "shopping", "deals", "coupons", "outlet"})

# What a page shows, and what it then is where no list knows the site: the first that fits.
_BY_SIGNAL = (
    (Signal.SHOP, "promotional"),
    (Signal.FORUM, "community"),
    (Signal.ASSOCIATION, "association"),
)
_PUBLIC_NAMES_UNDER = ("or.kr",)
# Under countries, what stands before the registered name.
_SECOND_LEVEL = frozenset({"co", "com", "or", "org", "ne", "net", "pe", "asn"})


def is_within(host: str, domains: Collection[str]) -> bool:
    """Whether a host is one of the domains or below one."""
    labels = host.split(".")
    return any(".".join(labels[start:]) in domains for start in range(len(labels)))


def tier_of(url: ParsedUrl, signals: Collection[Signal] = ()) -> Tier:
    return ranking_of(url, signals).tier


def ranking_of(url: ParsedUrl, signals: Collection[Signal] = ()) -> Ranking:
    """The most specific listed domain decides. Where no list knows the site, its name and the page do."""
    if Signal.ADVERTORIAL in signals:
        return Ranking(_BY_NAME["promotional"], Basis.PAGE)
    listed = _listed(url)
    if listed is not None:
        return Ranking(listed, Basis.LIST)
    by_registry = _by_registry(url.host.name.split("."))
    if by_registry is not None:
        return Ranking(_BY_NAME[by_registry], Basis.NAME)
    by_page = _by_page(url, signals)
    if by_page is not None:
        return Ranking(_BY_NAME[by_page], Basis.PAGE)
    by_name = _by_name(url)
    if by_name is not None:
        return Ranking(_BY_NAME[by_name], Basis.NAME)
    return Ranking(_BY_NAME["unlisted"], Basis.NOTHING)


def _listed(url: ParsedUrl) -> Tier | None:
    labels = url.host.name.split(".")
    for start in range(len(labels)):
        domain = ".".join(labels[start:])
        folders = [folder for folder in _FOLDERS.get(domain, ()) if f"{url.path}/".startswith(folder)]
        if folders:
            return DOMAINS[domain + max(folders, key=len).rstrip("/")]
        tier = DOMAINS.get(domain)
        if tier is not None:
            return _below(tier, set(labels[:start]))
    return None


def _below(tier: Tier, labels: set[str]) -> Tier:
    """A shop or a network documents its product at a name of its own; a product or a magazine keeps a forum at one."""
    if not tier.kept and _DOCS_LABELS & labels:
        return _BY_NAME["vendor_docs"]
    if tier.name in ("press", "vendor_docs") and _FORUM_LABELS & labels:
        return _BY_NAME["community"]
    return tier


def _by_registry(labels: list[str]) -> str | None:
    if labels[-1] == "int":
        return "public"
    if len(labels) > 2 and len(labels[-1]) == 2:
        if labels[-2] in _GOVERNMENT_LABELS:
            return "official"
        if labels[-2] in _ACADEMIC_LABELS:
            return "research"
        # Provinces and states write their own name between: www2.gov.bc.ca, www.state.tx.us.
        if len(labels) > 3 and labels[-3] in ("gov", "state") and len(labels[-2]) <= 3:
            return "official"
        if ".".join(labels[-2:]) in _AUTHORITIES:
            return "official"
    return "research" if len(labels) > 1 and _UNIVERSITY.fullmatch(labels[-2]) else None


def _by_page(url: ParsedUrl, signals: Collection[Signal]) -> str | None:
    for signal, name in _BY_SIGNAL:
        if signal in signals:
            return name
    if Signal.PUBLIC_BODY in signals and is_within(url.host.name, _PUBLIC_NAMES_UNDER):
        return "public"
    # Said by the page alone, so all of it must be there: who wrote it, when, and which desk answers for it.
    if {Signal.NEWS_ARTICLE, Signal.AUTHOR, Signal.DATE, Signal.ORGANISATION} <= set(signals):
        return "press"
    return "company_blog" if Signal.BLOG_POST in signals else None


def _by_name(url: ParsedUrl) -> str | None:
    labels, path = url.host.name.split("."), f"{url.path}/".lower()
    below, registered = set(labels[:-2]), "".join(labels[-2:-1])
    if _SHOP_LABELS & below:
        return "promotional"
    if _FORUM_LABELS & below:
        return "community"
    if any(_BLOG_LABEL.fullmatch(label) for label in labels[:-1]) or registered.endswith("techblog"):
        return "company_blog"
    if _DOCS_LABELS & below:
        return "vendor_docs"
    if _BLOG_FOLDER.match(path):
        return "company_blog"
    if _DOCS_FOLDER.match(path):
        return "vendor_docs"
    return _by_registered_name(labels)


def _by_registered_name(labels: list[str]) -> str | None:
    """By the word that a site has registered, after the endings of its country: what it calls itself."""
    second_level = len(labels) > 2 and len(labels[-1]) == 2 and labels[-2] in _SECOND_LEVEL
    name = labels[-3] if second_level else labels[-2] if len(labels) > 1 else ""
    if _ASSOCIATION_NAME.fullmatch(name):
        return "association"
    if second_level and labels[-2:] == ["or", "kr"] and _KOREAN_ASSOCIATION.fullmatch(name):
        return "association"
    return "press" if _PRESS_NAME.fullmatch(name) else None
