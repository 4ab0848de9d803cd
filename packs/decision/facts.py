"""Everything the input says about an option, by attribute: given attributes, context objects and records, tables, and
`name: value` lines. Criteria are scored from these facts, and constraints are checked against them.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date

from dpp_project.json_pointer import escape
from packs.decision.brief import Brief, Scalar, normalise
from packs.decision.evidence import Evidence, Material, pair, quotation
from packs.decision.readings import Amount, Flag, Reading, interpret, verbatim

_LINE = re.compile(r"^\s*[-*•]?\s*(?P<name>[^:：=]{1,60}?)\s*[:：=]\s*(?P<value>.{1,120})$")


@dataclass(frozen=True)
class Fact:
    attribute: str
    value: Scalar
    reading: Reading | None
    evidence: Evidence


_DENIAL = re.compile(
    r"^(?:not |non ?|no |un|in|미 ?|비 ?|불 ?|무 ?)(?P<word>.+)$|^(?P<before>.+?) ?(?:없음|안 ?함|못 ?함|불가|아님)$"
)


def _opposite(word: str) -> str:
    """What a word denies, or an empty string."""
    found = _DENIAL.match(word)
    return "" if found is None else (found["word"] or found["before"]).strip()


_MYRIADS = re.compile(r"[만억조]\s?$|[만억조]\s?[0-9]+천?\s?$")


class FactBook:
    """Facts per option, in order of trust: the option's own attributes first, then the context, then lines of prose."""

    def __init__(self, material: Material, today: date | None = None) -> None:
        self.brief: Brief = material.brief
        self.today = today
        self._facts: list[dict[str, list[Fact]]] = [{} for _ in self.brief.options]
        self._names: dict[str, str] = {}
        for index in range(len(self.brief.options)):
            for fact in (*self._given(index), *self._from_context(material, index), *self._lines(index)):
                self.add(index, fact)

        self._read_opposites()
        self._read_bare_sums()

    def _read_bare_sums(self) -> None:
        """0.8억 beside sums in 원: a number in Korean myriads has the currency that all the others have."""
        for key in self._names:
            facts = [fact for own in self._facts for fact in own.get(key, ())[:1]]
            amounts = [fact.reading.quantity for fact in facts if isinstance(fact.reading, Amount)]
            units = {each.unit for each in amounts if each.unit}
            if units != {"KRW"}:
                continue
            for own in self._facts:
                for place, fact in enumerate(own.get(key, ())):
                    read = fact.reading
                    if isinstance(read, Amount) and not read.quantity.unit and _MYRIADS.search(verbatim(fact.value)):
                        own[key][place] = replace(fact, reading=Amount(replace(read.quantity, unit="KRW")))

    def _read_opposites(self) -> None:
        """가입 beside 미가입, `covered` beside `not covered`: one is the denial of the other, so both are yes or no."""
        for key in self._names:
            facts = [
                (index, place, fact)
                for index, own in enumerate(self._facts)
                for place, fact in enumerate(own.get(key, ()))
            ]
            words = {normalise(fact.value) for _, _, fact in facts if isinstance(fact.value, str)}
            denied = {word for word in words if _opposite(word) in words}
            affirmed = {_opposite(word) for word in denied}
            for index, place, fact in facts:
                word = normalise(fact.value) if isinstance(fact.value, str) else ""
                if fact.reading is None and word in denied | affirmed:
                    self._facts[index][key][place] = replace(fact, reading=Flag(word in affirmed))

    def add(self, index: int, fact: Fact) -> None:
        key = normalise(fact.attribute)
        self._names.setdefault(key, fact.attribute)
        self._facts[index].setdefault(key, []).append(fact)

    @property
    def attributes(self) -> list[str]:
        """Every attribute that any option has, as first written."""
        return list(self._names.values())

    def of(self, index: int, attribute: str) -> list[Fact]:
        return self._facts[index].get(normalise(attribute), [])

    def first(self, index: int, attribute: str) -> Fact | None:
        found = self.of(index, attribute)
        return found[0] if found else None

    def matching(self, criterion: str) -> str:
        """The attribute that a criterion means: its own name, or the one attribute that contains its words."""
        wanted = normalise(criterion)
        if wanted in self._names:
            return criterion
        close = [
            name
            for key, name in self._names.items()
            if set(wanted.split()) <= set(key.split()) or set(key.split()) <= set(wanted.split())
        ]
        return close[0] if len(close) == 1 else criterion

    def _given(self, index: int) -> Iterator[Fact]:
        option = self.brief.options[index]
        for key, value in option.attributes.items():
            yield self._fact(key, value, f"{option.pointer}/attributes/{escape(key)}")

    def _from_context(self, material: Material, index: int) -> Iterator[Fact]:
        name = normalise(self.brief.options[index].name)
        for key, leaves in material.values.items():
            if name not in key:
                continue
            for leaf in leaves:
                other = next((token for token in reversed(leaf.path) if normalise(token) != name), leaf.path[-1])
                if pair(self.brief.options[index].name, other) == key:
                    yield self._fact(other, leaf.value, leaf.pointer)
        for cell in material.table_cells:
            if normalise(cell.row) == name:
                yield self._fact(cell.column, cell.value, cell.pointer)
            elif normalise(cell.column) == name:
                yield self._fact(cell.row, cell.value, cell.pointer)

    def _lines(self, index: int) -> Iterator[Fact]:
        option = self.brief.options[index]
        for line in re.split(r"[\n;]|(?<=[^\d])\.\s", option.description):
            found = _LINE.match(line)
            if found and interpret(found["value"].strip(" .,"), self.today) is not None:
                value = found["value"].strip(" .,")
                fact = self._fact(found["name"].strip(), value, f"{option.pointer}/description")
                yield replace(fact, evidence=Evidence(fact.evidence.pointer, quotation(line.strip())))

    def _fact(self, name: str, value: Scalar, pointer: str) -> Fact:
        return Fact(name, value, interpret(value, self.today), Evidence(pointer, quotation(verbatim(value))))
