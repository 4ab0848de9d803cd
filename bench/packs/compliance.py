"""The compliance pack on labelled texts that nobody tuned on; writes the table, the rules, the example and the recall.

A case: `text`, `kind`, `lang`, `problems[]` (family, start, end), `verdict`, `required_notices[]`. A problem is found
when a finding of a fitting family overlaps it; families of something absent need no overlap.
"""

import json
import os
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.packs.markers import read_between, write_between
from packs.compliance import review
from packs.compliance.reliability import LENGTHS
from tests.packs.compliance.rule_table import rule_table

PAGE = Path("docs/packs-compliance.md")
CASES = Path(__file__).parent / "held_out" / "compliance.json"
READ_SINCE = tuple(
    Path(__file__).parent / "cases" / f"compliance_{author}_author.json" for author in ("third", "second")
)
"""Each was held out until it was scored once; what it measures now was tuned on."""
MEASURED = Path("packs/compliance/measured.toml")

Json = dict[str, Any]


def table() -> str:
    write_between(PAGE, "rules", rule_table())
    parts = []
    for path in _files():
        corpus = json.loads(path.read_text(encoding="utf-8"))
        measured = _measure(corpus)
        if path == CASES and "CASES" not in os.environ:
            _write_recall(measured["recall"], measured["lengths"])
        parts.append(f"{path.stem} ({len(corpus['cases'])} texts, {path.parent.name}):\n\n{_rows(measured)}")
    _write_example()
    return "\n\n".join(parts)


def _files() -> Iterator[Path]:
    if CASES.exists():
        yield CASES
    yield from READ_SINCE
    if folder := os.environ.get("CASES"):
        yield from sorted(Path(folder).glob("*compliance*.json"))


def _fits(finding: Json, problem: Json, corpus: Json) -> bool:
    families = [problem["family"], *(problem.get("also") or [])]
    if finding["rule_id"] in families:
        fits = True
    elif finding["rule_id"] in corpus["known_rules"]:
        fits = False
    else:
        said = f"{finding['rule_id']} {finding['title']} {finding['basis']}"
        missing = (name for name in families if name.startswith("missing:"))
        fits = any(re.search(corpus["missing_families"][name]["fits"], said) for name in missing)
    if not fits or problem["family"] in corpus["families_without_span"]:
        return fits
    start, end = finding["span"]["start"], finding["span"]["end"]
    small = end - start <= 3 * (problem["end"] - problem["start"]) + 60
    return bool(small and start < problem["end"] and problem["start"] < end)


def _measure(corpus: Json) -> Json:
    count: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    recall: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0])
    lengths: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for case in corpus["cases"]:
        data = review(case["text"], case["kind"])
        tolerated = case.get("tolerated") or []
        findings = [each for each in data["findings"] if each["rule_id"] not in tolerated]
        for problem in case["problems"]:
            hit = any(_fits(each, problem, corpus) for each in data["findings"])
            for tally in (count["found"], count["found: " + (problem.get("wording") or "other families")]):
                tally[0] += hit
                tally[1] += 1
            band = next(name for name, limit in LENGTHS.items() if len(case["text"].strip()) < limit)
            for tally in (recall[case["lang"], case["kind"]], lengths[band], lengths["all"]):
                tally[0] += hit
                tally[1] += 1
        for each in findings:
            count["findings that are right"][0] += any(_fits(each, problem, corpus) for problem in case["problems"])
            count["findings that are right"][1] += 1
        accepted = {case["verdict"], *(case.get("accept_verdicts") or [])}
        right = data["summary"]["verdict"] in accepted
        for name in ("verdicts that are right", *(() if case["problems"] else ("clean texts left alone",))):
            count[name][0] += right
            count[name][1] += 1
        wanted, given = set(case["required_notices"]), {each["code"] for each in data["required_notices"]}
        count["required notices given"][0] += len(wanted & given)
        count["required notices given"][1] += len(wanted)
    return {"count": count, "recall": recall, "lengths": lengths}


def _rows(measured: Json) -> str:
    lines = ["| | share | texts |", "|---|---|---|"]
    for name, (hit, total) in sorted(measured["count"].items()):
        lines.append(f"| {name} | {hit / total:.2f} | {hit}/{total} |" if total else f"| {name} | - | - |")
    return "\n".join(lines)


def _write_recall(recall: dict[tuple[str, str], list[int]], lengths: dict[str, list[int]]) -> None:
    """Few texts say little: two problems are added to each group, one of them missed."""
    lines = [
        "# Written by `make bench-packs` from bench/packs/held_out/compliance.json: recall of the rules alone.",
        "",
    ]
    for language in ("ko", "en"):
        lines.append(f"[recall.{language}]")
        for kind in ("ad", "policy", "ai_output", "general"):
            hit, total = recall.get((language, kind), [0, 0])
            lines.append(f"{kind} = {(hit + 1) / (total + 2):.2f}")
        lines.append("")
    lines.append("[length]")
    for band in (*LENGTHS, "all"):
        hit, total = lengths.get(band, [0, 0])
        lines.append(f"{band} = {(hit + 1) / (total + 2):.2f}")
    MEASURED.write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")


def _write_example() -> None:
    given = read_between(PAGE, "compliance-inputs")
    if given is None:
        return
    inputs = json.loads(given.removeprefix("```json\n").removesuffix("\n```"))
    data = review(inputs["text"], inputs.get("kind"), inputs.get("language"))
    data["findings"] = [{**each, "pointer": "/text"} for each in data["findings"]]
    data["left_out"] = [{**each, "pointer": "/text"} for each in data["left_out"]]
    data["policies_applied"] = [each for each in data["policies_applied"] if each["result"] == "met"]
    data["summary"]["rules_sha256"] = "…"
    write_between(PAGE, "compliance-data", "```json\n" + json.dumps(data, indent=2, ensure_ascii=False) + "\n```")
