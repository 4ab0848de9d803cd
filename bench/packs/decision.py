"""The decision pack on labelled cases, without a language model and without a network.

Our own cases (`cases/decision.json`) were written together with the code and tuned on. Those of
`cases/decision_two_authors.json` were written by two people who had not seen it; they were scored once and have been
read and worked on since. Those of `held_out/decision.json` were written by a third, and nobody has worked on them.
Files in the folder CASES are scored as well. A case file's header explains its expectations.
"""

import json
import logging
import os
import re
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from packs.base import BudgetCapReached, PackContext, PackResult
from packs.decision import PACK
from packs.decision.brief import normalise
from packs.text.quantities import comparable, converted, whole_quantity

PAGE = Path("docs/packs-decision.md")
FOLDER = Path(__file__).parent
CLAIMS = ((0.8, 1.01), (0.6, 0.8), (0.0, 0.6))

Json = dict[str, Any]
_UNITS = {"day": "days", "week": "weeks", "month": "months", "year": "years", "pyeong": "평", "sqft": "sqft"}
_NO = re.compile(r"^(?:no\b|not\b)|아니")
_FAMILIES = {
    "advertising": re.compile(r'"AD-|Advertising|광고'),
    "personal_data": re.compile(r'"PD-|Personal Information|개인정보'),
    "finance": re.compile(r'"AD-FINANCE|Financial|금융|자본시장'),
}


class _Purse:
    spent = 0

    def base(self, item: str) -> None: ...

    def fits(self, items: object) -> bool:
        return False

    def spend(self, item: str, quantity: int = 1) -> None:
        raise BudgetCapReached


class _Timebox:
    def remaining_sec(self) -> float:
        return 60.0

    def check(self) -> None: ...


def executed(inputs: Json) -> PackResult:
    context: Any = PackContext(
        tenant_id="bench",
        now=datetime(2026, 11, 16, 9, 30, tzinfo=UTC),
        deadline=_Timebox(),
        meter=_Purse(),  # type: ignore[arg-type]
        checkpoint=lambda stage, progress, **detail: None,
        log=logging.getLogger("bench"),
    )
    return PACK.execute(inputs, context)


def table() -> str:
    scored = {name: [Scored(case) for case in cases] for name, cases in _files()}
    lines = [f"| | {' | '.join(scored)} |", "|---" * (len(scored) + 1) + "|"]
    figures = dict.fromkeys(figure for cases in scored.values() for case in cases for figure, _ in case.met)
    for figure in figures:
        cells = []
        for cases in scored.values():
            met = [each for case in cases for name, each in case.met if name == figure]
            cells.append(f"{sum(met)} of {len(met)}" if met else "-")
        lines.append(f"| {figure} | {' | '.join(cells)} |")
    rows = "\n".join(lines)
    return (
        f"{rows}\n\nWhat was claimed against what was right (results with a recommendation):\n\n{_calibration(scored)}"
    )


def _calibration(scored: dict[str, list["Scored"]]) -> str:
    lines = [f"| reliability claimed | {' | '.join(scored)} |", "|---" * (len(scored) + 1) + "|"]
    for low, high in CLAIMS:
        cells = []
        for cases in scored.values():
            judged = [each for each in cases if each.right is not None and low <= each.reliability < high]
            right = sum(bool(each.right) for each in judged)
            cells.append(f"{right} of {len(judged)} right" if judged else "-")
        lines.append(f"| {low} to {min(high, 1.0)} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _files() -> Iterator[tuple[str, list[Json]]]:
    paths = [
        ("held out", FOLDER / "held_out" / "decision.json"),
        ("written unseen, read since", FOLDER / "cases" / "decision_two_authors.json"),
        ("own cases", FOLDER / "cases" / "decision.json"),
    ]
    if folder := os.environ.get("CASES"):
        paths += [(path.stem, path) for path in sorted(Path(folder).glob("*decision*.json"))]
    for name, path in paths:
        if path.exists():
            yield name, json.loads(path.read_text(encoding="utf-8"))["cases"]


class Scored:
    """One case: `met` is what was expected and whether it came, `right` whether a recommendation was the right one."""

    def __init__(self, case: Json) -> None:
        self.expect: Json = case["expect"]
        self.loosely = "options" not in case["inputs"]
        result = executed(case["inputs"])
        self.data, self.reliability = result.data, result.reliability
        self.chosen: str | None = (self.data["recommendation"] or {}).get("option")
        self.right: bool | None = None
        self.met = [*self._answer(), *self._conditions(), *self._values(), *self._rest()]

    def _is(self, name: str | None, wanted: list[str]) -> bool:
        if name is None:
            return False
        one = normalise(name)
        others = [normalise(each) for each in wanted]
        return one in others or (self.loosely and any(one in each or each in one for each in others))

    def _answer(self) -> Iterator[tuple[str, bool]]:
        expect = self.expect
        wrong = self._is(self.chosen, expect.get("must_not_win", []))
        if "expected_winner" in expect:
            right = self._is(self.chosen, expect["expected_winner"])
            yield "right recommendation", right
        elif "expected_answer" in expect:
            said = None if self.chosen is None else "no" if _NO.search(normalise(self.chosen)) else "yes"
            right = said == expect["expected_answer"]
            yield "right recommendation", right
        else:
            right = not wrong and expect.get("must_decide") is not False
        if self.chosen is not None:
            self.right = right
        if expect.get("must_decide") is False:
            yield "nothing decided where nothing decides", self.chosen is None

    def _conditions(self) -> Iterator[tuple[str, bool]]:
        listed = [row["option"] for row in self.data["excluded"]]
        for name in self.expect.get("must_exclude", ()):
            yield "broken condition found and said", self._is(name, listed)
        if "must_not_win" in self.expect:
            yield "nothing forbidden recommended", not self._is(self.chosen, self.expect["must_not_win"])
        if "must_keep" in self.expect:
            kept = not any(self._is(name, listed) for name in self.expect["must_keep"])
            yield "nobody excluded without reason", kept

    def _values(self) -> Iterator[tuple[str, bool]]:
        for entry in self.expect.get("expected_values", ()):
            rows = [row for row in self.data["scores"] if self._is(row["option"], [entry["option"]])]
            cells = [
                each for row in rows for each in row["criteria"] if self._is(each["criterion"], [entry["criterion"]])
            ]
            yield "values read", bool(cells) and _fits(cells[0], entry)

    def _rest(self) -> Iterator[tuple[str, bool]]:
        if wanted := self.expect.get("expected_weights"):
            shares = {normalise(row["criterion"]): row["share"] for row in self.data["weights"]}
            total = sum(wanted.values())
            fit = all(abs(shares.get(normalise(name), 0) - each / total) < 0.02 for name, each in wanted.items())
            yield "weights said in words", fit
        ranks = {normalise(row["option"]): row["rank"] for row in self.data["scores"]}
        for better, worse in self.expect.get("expected_order", ()):
            yield "order", ranks.get(normalise(better), 99) < ranks.get(normalise(worse), 100)
        for group in self.expect.get("must_open", ()):
            yield "open point named", any(_names(group, item) for item in self.data["open"])
        findings = json.dumps(self.data["compliance"]["findings"], ensure_ascii=False)
        for family in self.expect.get("compliance_must_flag", ()):
            yield "unlawful plan flagged", _FAMILIES[family].search(findings) is not None
        yield "has next actions", 0 < len(self.data["next_actions"]) <= 5


def _names(group: Json, item: Json) -> bool:
    text = normalise(item["text"])
    every = all(normalise(word) in text for word in group.get("all", ()))
    if item["kind"] in group.get("kinds", ()):
        return every
    if "any" in group:
        return every and any(normalise(word) in text for word in group["any"])
    return every and "kinds" not in group


def _fits(cell: Json, entry: Json) -> bool:
    if "lean" in entry:
        return bool(cell["basis"] != "assumed" and (cell["score"] > 50) == (entry["lean"] == "+"))
    read = cell.get("quantity")
    return read is not None and any(_same(read, wanted) for wanted in (entry, *entry.get("or", ())))


def _same(read: Json, wanted: Json) -> bool:
    unit, _, per = wanted["unit"].partition("/")
    own_unit, _, own_per = read["unit"].partition("/")
    if per and own_per and per != own_per.rpartition("/")[2]:
        return False
    low, high = _ends(wanted)
    ends: list[float | None] = [*_ends(read)]
    if unit.casefold() != own_unit.casefold() and unit:
        ends = [_in(value, own_unit, unit) for value in _ends(read)]
    slack = 0.03
    return all(end is not None and low - abs(low) * slack <= end <= high + abs(high) * slack for end in ends)


def _ends(quantity: Json) -> tuple[float, float]:
    if "amount" in quantity:
        return float(quantity["amount"]), float(quantity["amount"])
    return float(quantity["low"]), float(quantity["high"])


def _in(value: float, unit: str, wanted: str) -> float | None:
    quantity = whole_quantity(f"{value} {unit}")
    target = whole_quantity(f"1 {_UNITS.get(wanted, wanted)}")
    if quantity is None or target is None:
        return None
    moved = converted(quantity, target.unit) or comparable(quantity, target.unit)
    return None if moved is None else float(moved.middle)


if __name__ == "__main__":
    logging.disable(logging.WARNING)
    print(table())
    print(Counter(each for _, cases in _files() for case in cases for each in case["traits"]).most_common())
