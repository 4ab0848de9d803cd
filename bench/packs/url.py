"""The url pack on labelled pages and hosts: what the relevance gate keeps, and which tier hosts are given.

Two sets of pages: `cases/url_relevance.json`, on which the threshold was measured, and
`held_out/url_relevance.json`, written after the work and never tuned on. Files of the same shapes in the folder CASES
are scored as well.
"""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from packs.fetch.url import parse_url
from packs.url.relevance import MIN_SCORE, Passages, Relevance, is_specific
from packs.url.terms import Term, terms_of
from packs.url.tiers import TIERS, tier_of

PAGE = Path("docs/packs-url.md")
FOLDER = Path(__file__).parent
KINDS = {"english": "English", "korean_with_names": "Korean with Latin names", "korean": "Korean only"}


def table() -> str:
    parts = [_relevance_part(name, cases) for name, cases in _files("url_relevance")]
    return "\n\n".join([*parts, _hosts_part()])


def _files(stem: str) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    paths = [FOLDER / "held_out" / f"{stem}.json", FOLDER / "cases" / f"{stem}.json"]
    if folder := os.environ.get("CASES"):
        paths += sorted(Path(folder).glob(f"*{stem}*.json"))
    for path in paths:
        if path.exists():
            yield f"{path.parent.name}/{path.stem}", json.loads(path.read_text(encoding="utf-8"))["cases"]


# --- relevance


def is_kept(judged: Relevance, terms: tuple[Term, ...]) -> bool:
    """As the gate decides by default."""
    return not is_specific(terms) if judged.score is None else judged.score >= MIN_SCORE


def _relevance_part(name: str, cases: list[dict[str, Any]]) -> str:
    rows = [f"**Relevance, {name}**", "", "| question | pages | own kept | foreign kept |", "|---|---|---|---|"]
    for language in ("en", "ko"):
        for kind, shown in KINDS.items():
            own, foreign, foreign_asked = relevance_counts(cases, kind, language)
            shown_foreign = f"{foreign} of {foreign_asked} ({100 * foreign / foreign_asked:.1f} %)"
            rows.append(f"| {shown} | {language} | {own} of {len(cases)} | {shown_foreign} |")
    return "\n".join(rows)


def relevance_counts(cases: list[dict[str, Any]], kind: str, language: str) -> tuple[int, int, int]:
    own = foreign = foreign_asked = 0
    for asked in cases:
        terms = terms_of(asked["questions"][kind])
        for offered in cases:
            page = offered["pages"][language]
            kept = is_kept(Passages(page["title"], page["text"], terms).judged(), terms)
            if offered is asked:
                own += kept
            else:
                foreign += kept
                foreign_asked += 1
    return own, foreign, foreign_asked


# --- tiers


def _hosts_part() -> str:
    rows = ["**Tiers of hosts**", "", "| set | tier right | kept or discarded rightly |", "|---|---|---|"]
    for name, cases in _files("url_hosts"):
        right, _ = host_counts(cases)
        decided = sum(tier_of(parse_url(case["url"])).kept == _is_kept_tier(case["tier"]) for case in cases)
        rows.append(f"| {name} | {right} of {len(cases)} | {decided} of {len(cases)} |")
    return "\n".join(rows)


def host_counts(cases: list[dict[str, Any]]) -> tuple[int, list[str]]:
    """How many hosts get the tier they were labelled with, and the others."""
    given = {case["url"]: tier_of(parse_url(case["url"])).name for case in cases}
    wrong = [
        f"{case['url']}: {given[case['url']]}, not {case['tier']}"
        for case in cases
        if given[case["url"]] != case["tier"]
    ]
    return len(cases) - len(wrong), wrong


def _is_kept_tier(name: str) -> bool:
    return next(tier.kept for tier in TIERS if tier.name == name)
