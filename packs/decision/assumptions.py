"""`asmp`: what was assumed where something was not known.

Every assumption is shown three ways (base, optimistic, pessimistic), each with the answer it would lead
to, so that a reader sees at once which assumptions matter. Optimistic and pessimistic are meant for the
thing that the entry is about: an option's missing score at 100 and at 0, a criterion's weight doubled and
at nothing.
"""

from collections.abc import Mapping
from fractions import Fraction

from packs.base import JsonObject
from packs.decision.cells import FULL, STEP, Basis, Cell, column
from packs.decision.directions import direction_is_plain
from packs.decision.run_state import Outcome, listed, points, share
from packs.decision.weigh import ONE, ZERO, WeightSource, answer_if, with_share

HALF_STEP = STEP / 2


def assumptions(outcome: Outcome) -> list[JsonObject]:
    if not outcome.brief.options or not outcome.columns:
        return []
    ledger = _Assumptions(outcome)
    ledger.criteria()
    ledger.weights()
    ledger.directions()
    ledger.comparisons()
    ledger.grades()
    ledger.readings()
    return ledger.entries


def turning(outcome: Outcome, ledger: list[JsonObject]) -> list[str]:
    """The assumptions that would change the answer if they were wrong.

    A direction that the criterion's own name tells (cost, quality) is not doubted; neither is the mere
    possibility of further criteria.
    """
    plain = {
        outcome.say("asmp_direction", criterion=scored.criterion.name)
        for scored in outcome.columns
        if direction_is_plain(scored.criterion.name)
    }
    return [
        entry["id"]
        for entry in ledger
        if entry["kind"] != "criteria"
        and entry["text"] not in plain
        and any(entry[way]["answer"] != entry["base"]["answer"] for way in ("optimistic", "pessimistic"))
    ]


class _Assumptions:
    def __init__(self, outcome: Outcome) -> None:
        self.outcome = outcome
        self.entries: list[JsonObject] = []
        self.options = range(len(outcome.brief.options))
        self.shares = tuple(weight.share for weight in outcome.weighing.weights)

    def criteria(self) -> None:
        if self.outcome.columns[0].criterion.pointer is not None:
            return
        names = listed([scored.criterion.name for scored in self.outcome.columns])
        more = self.outcome.say("asmp_criteria_more")
        now = self._answer()
        self._add(
            "criteria",
            self.outcome.say("asmp_criteria", names=names),
            base=(names, now),
            optimistic=(names, now),
            pessimistic=(more, None),
        )

    def weights(self) -> None:
        if len(self.shares) < 2:
            return
        for j, weight in enumerate(self.outcome.weighing.weights):
            if weight.source is WeightSource.GIVEN:
                continue
            key = "asmp_weight_equal" if weight.source is WeightSource.EQUAL else "asmp_weight_mean"
            double = min(weight.share * 2, ONE)
            self._add(
                "weight",
                self.outcome.say(key, criterion=self.outcome.columns[j].criterion.name),
                base=(share(weight.share), self._answer()),
                optimistic=(share(double), self._answer(shares=with_share(self.shares, j, double))),
                pessimistic=(share(ZERO), self._answer(shares=with_share(self.shares, j, ZERO))),
            )

    def directions(self) -> None:
        for j, scored in enumerate(self.outcome.columns):
            if not scored.direction_assumed or not any(cell.strength for cell in scored.cells):
                continue
            other = column(self.outcome.table, j, reverse=True)
            reversed_scores = {(i, j): other.cells[i].score for i in self.options}
            now = (scored.direction, self._answer())
            self._add(
                "direction",
                self.outcome.say("asmp_direction", criterion=scored.criterion.name),
                base=now,
                optimistic=now,
                pessimistic=(other.direction, self._answer(reversed_scores)),
            )

    def comparisons(self) -> None:
        """In proportion, 99.9 and 99.5 hardly differ; best against worst, they differ fully. Only a scale can tell."""
        spread: dict[tuple[int, int], Fraction] = {}
        concerned: list[str] = []
        for j, scored in enumerate(self.outcome.columns):
            own = {(i, j): cell.spread for i, cell in enumerate(scored.cells) if cell.spread is not None}
            if len({scored.cells[i].score for i, _ in own}) > 1:
                spread.update(own)
                concerned.append(scored.criterion.name)
        if not spread:
            return
        now = (self.outcome.say("asmp_comparison_base"), self._answer())
        self._add(
            "comparison",
            self.outcome.say("asmp_comparison", criteria=listed(concerned)),
            base=now,
            optimistic=now,
            pessimistic=(self.outcome.say("asmp_comparison_spread"), self._answer(spread)),
        )

    def grades(self) -> None:
        cells = self._cells(Basis.GRADE)
        if cells:
            self._shifted("grade", self.outcome.say("asmp_grades"), "asmp_grades", cells, HALF_STEP)

    def readings(self) -> None:
        """Texts read, and scores missing: one entry per option and kind."""
        for i in self.options:
            own = [key for key in self._cells(Basis.TEXT) if key[0] == i]
            if own:
                text = self.outcome.say("asmp_text", option=self._option(i), criteria=self._criteria(own))
                self._shifted("text_reading", text, "asmp_text", own, STEP)
            own = [key for key in self._cells(Basis.ASSUMED) if key[0] == i]
            if own:
                text = self.outcome.say("asmp_missing", option=self._option(i), criteria=self._criteria(own))
                self._add(
                    "missing",
                    text,
                    base=(points(Fraction(50)), self._answer()),
                    optimistic=(points(FULL), self._answer(dict.fromkeys(own, FULL))),
                    pessimistic=(points(ZERO), self._answer(dict.fromkeys(own, ZERO))),
                )

    def _shifted(self, kind: str, text: str, key: str, cells: list[tuple[int, int]], by: Fraction) -> None:
        def moved(step: Fraction) -> dict[tuple[int, int], Fraction]:
            return {at: min(max(self._cell(at).score + step, ZERO), FULL) for at in cells}

        say = self.outcome.say
        self._add(
            kind,
            text,
            base=(say(f"{key}_base"), self._answer()),
            optimistic=(say(f"{key}_up"), self._answer(moved(by))),
            pessimistic=(say(f"{key}_down"), self._answer(moved(-by))),
        )

    def _cells(self, basis: Basis) -> list[tuple[int, int]]:
        return [
            (i, j)
            for i in self.options
            for j, scored in enumerate(self.outcome.columns)
            if scored.cells[i].basis is basis
        ]

    def _cell(self, at: tuple[int, int]) -> Cell:
        return self.outcome.columns[at[1]].cells[at[0]]

    def _option(self, i: int) -> str:
        return self.outcome.brief.options[i].name

    def _criteria(self, cells: list[tuple[int, int]]) -> str:
        return listed([self.outcome.columns[j].criterion.name for _, j in cells])

    def _answer(
        self,
        override: Mapping[tuple[int, int], Fraction] | None = None,
        shares: tuple[Fraction, ...] | None = None,
    ) -> str | None:
        if self.outcome.winner is None and override is None and shares is None:
            return None
        led_by = answer_if(
            self.outcome.columns, shares or self.shares, self.outcome.weighing.candidates, override or {}
        )
        return self.outcome.name(led_by)

    def _add(self, kind: str, text: str, **scenarios: tuple[str | float, str | None]) -> None:
        shown = {name: {"value": value, "answer": answer} for name, (value, answer) in scenarios.items()}
        self.entries.append({"id": f"ASMP-{len(self.entries) + 1}", "kind": kind, "text": text, **shown})
