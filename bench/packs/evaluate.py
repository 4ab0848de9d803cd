"""The eval pack on labelled answers, beside a plain word-overlap baseline; also writes the page's rubric and example.

A case: `sources[]`, `claims[]` with `text` (with its citation mark) and `label`, and `pairs[]` in which a supported
claim is replaced by a contradicted one. Files in the folder CASES with claims labelled the same way are scored as well.
"""

import json
import os
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from bench.packs.markers import read_between, write_between
from packs.evaluate import assess
from packs.evaluate.rubric import MEANINGS, WEIGHTS

PAGE = Path("docs/packs-eval.md")
HELD_OUT = Path(__file__).parent / "held_out" / "eval.json"
CASES = Path(__file__).parent / "cases" / "eval.json"
FOREIGN = Path(__file__).parent / "cases" / "eval_foreign.json"
THIRD_AUTHOR = Path(__file__).parent / "cases" / "eval_third_author.json"
FOURTH_AUTHOR = Path(__file__).parent / "cases" / "eval_fourth_author.json"
"""Written by other people and held out at first; their errors were then read."""

_MARK = re.compile(r" ?\[([A-Za-z0-9_-]+)\]")
_WORD = re.compile(r"\w+")
_OVERLAP_SUPPORTS = 0.7

Judge = Callable[[dict[str, Any], list[str]], list[str]]


def rubric_table() -> str:
    rows = [f"| `{name}` | {WEIGHTS[name]} | {meaning} |" for name, meaning in MEANINGS.items()]
    return "\n".join(["| sub-score | weight | what it asks |", "|---|---|---|", *rows])


def table() -> str:
    """The table; on the way, the parts of the page that follow from the code are written."""
    write_between(PAGE, "rubric", rubric_table())
    _write_example()
    parts = [_measured(name, cases) for name, cases in _files()]
    return "\n\n".join([*parts, _speed()])


def _files() -> Iterator[tuple[str, list[dict[str, Any]]]]:
    paths = {
        "Written by a fifth author, in two voices, never read": HELD_OUT,
        "Written by a fourth author, scored when held out, its errors read since": FOURTH_AUTHOR,
        "Written by a third author, scored once when held out, its errors read since": THIRD_AUTHOR,
        "Written by somebody else, held out at first, its errors read since": FOREIGN,
        "Own, used while it was built": CASES,
    }
    if folder := os.environ.get("CASES"):
        paths |= {path.stem: path for path in sorted(Path(folder).glob("*eval*.json"))}
    for name, path in paths.items():
        yield name, json.loads(path.read_text(encoding="utf-8"))["cases"]


def by_pack(case: dict[str, Any], texts: list[str]) -> list[str]:
    given = [{"text": _MARK.sub("", text), "source_ids": _MARK.findall(text)} for text in texts]
    return [each["status"] for each in assess(given, case["sources"], None)["interpretation"]]


def by_overlap(case: dict[str, Any], texts: list[str]) -> list[str]:
    """What a search for the same words would say: supported where a sentence of the source has most of the claim's."""
    said = []
    for text in texts:
        cited = set(_MARK.findall(text))
        words = set(_WORD.findall(_MARK.sub("", text).lower()))
        sentences = [
            set(_WORD.findall(sentence.lower()))
            for source in case["sources"]
            if source["id"] in cited or not cited
            for sentence in re.split(r"(?<=[.!?])\s|\n", source["text"])
        ]
        best = max((len(words & sentence) / len(words) for sentence in sentences), default=0.0) if words else 0.0
        said.append("supported" if best >= _OVERLAP_SUPPORTS else "not_in_sources")
    return said


def _measured(name: str, cases: list[dict[str, Any]]) -> str:
    claims = sum(len(case["claims"]) for case in cases)
    head = f"{name}: {len(cases)} answers, {claims} claims."
    lines = ["| | pack | word overlap |", "|---|---|---|"]
    rows = {judge.__name__: _rates(cases, judge) for judge in (by_pack, by_overlap)}
    for label in rows["by_pack"]:
        lines.append(f"| {label} | {rows['by_pack'][label]} | {rows['by_overlap'][label]} |")
    falls, rises, total = _monotone(cases)
    lines.append(f"| score falls when a true claim is replaced by a false one | {falls} of {total} | |")
    lines.append(f"| score rises | {rises} of {total} | |")
    return "\n".join([head, "", *lines])


def _rates(cases: list[dict[str, Any]], judge: Judge) -> dict[str, str]:
    said: list[tuple[str, str]] = []
    for case in cases:
        texts = [claim["text"] for claim in case["claims"]]
        said += zip((claim["label"] for claim in case["claims"]), judge(case, texts), strict=True)

    def share(hits: int, total: int) -> str:
        return f"{hits / total:.2f} ({hits}/{total})" if total else "-"

    rates = {}
    for status in ("supported", "contradicted"):
        right = sum(label == verdict == status for label, verdict in said)
        rates[f"*{status}*: precision"] = share(right, sum(verdict == status for _, verdict in said))
        rates[f"*{status}*: recall"] = share(right, sum(label == status for label, _ in said))
    for label, title in (("contradicted", "contradicted"), ("partly", "half-true"), ("not_in_sources", "absent")):
        wrong = sum(given == label and verdict == "supported" for given, verdict in said)
        rates[f"{title} claims called supported"] = share(wrong, sum(given == label for given, _ in said))
    return rates


def _monotone(cases: list[dict[str, Any]]) -> tuple[int, int, int]:
    falls = rises = total = 0
    for case in cases:
        texts = [claim["text"] for claim in case["claims"]]
        for pair in case.get("pairs", ()):
            changed = [pair["text"] if place == pair["replace"] else text for place, text in enumerate(texts)]
            before, after = (assess(" ".join(each), case["sources"], None)["score"] for each in (texts, changed))
            falls, rises, total = falls + (after < before), rises + (after > before), total + 1
    return falls, rises, total


def _speed() -> str:
    sentence = "In year {0} plant {1} of the group shipped {2} tons of steel to customers in region {3}. "
    sources = [
        {"id": str(number), "title": f"Report {number}", "text": "".join(
            sentence.format(1900 + line % 100, line, line * 7 + number, number) for line in range(230)
        )[:20_000]}
        for number in range(30)
    ]  # fmt: skip
    claims = [f"Plant {number} of the group shipped {number * 7} tons of steel." for number in range(100)]
    started = time.process_time()
    assess(claims, sources, None)
    return f"100 claims against 30 sources of 20,000 characters: {time.process_time() - started:.1f} s on one core."


def _write_example() -> None:
    given = read_between(PAGE, "eval-inputs")
    if given is None:
        return
    inputs = json.loads(given.removeprefix("```json\n").removesuffix("\n```"))
    data = assess(inputs["text"], inputs["sources"], None)
    write_between(PAGE, "eval-data", "```json\n" + json.dumps(data, indent=2, ensure_ascii=False) + "\n```")
