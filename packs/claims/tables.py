"""Rows of a table as sentences: `Beta | 85` under `Model | Latency (ms)` reads "Beta: Latency 85 ms"."""

import re
from collections.abc import Sequence

_UNIT = re.compile(r"\s*\(([^()]{1,12})\)\s*$")
_YEAR = re.compile(r"^([A-Za-z][A-Za-z ]*)((?:19|20)[0-9]{2})$")
_PER = re.compile(r"\sper\s[a-z]+$")
_NUMBER = re.compile(r"[0-9][0-9.,]*")
_RULE = re.compile(r"[\s|:+-]+")
_LEAST_CELLS = 2


def cells_of(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")] if "|" in line else []


def row_readings(lines: Sequence[str]) -> list[str]:
    """For each line what it says together with the heading above it; a line that is no row says itself."""
    heading: list[str] = []
    readings = []
    for line in lines:
        cells = cells_of(line)
        if len(cells) < _LEAST_CELLS:
            heading = []
            readings.append(line)
        elif _RULE.fullmatch(line) or not heading:
            heading = heading or cells
            readings.append(line)
        elif len(cells) == len(heading):
            parts = [cell_reading(name, cell) for name, cell in zip(heading[1:], cells[1:], strict=True)]
            readings.append(f"{cells[0]}: " + "; ".join(parts))
        else:
            readings.append(line)
    return readings


def cell_reading(name: str, cell: str) -> str:
    """A cell with the heading of its column: `Latency (ms)` and `85` read "Latency 85 ms"."""
    unit = _UNIT.search(name)
    plain = _UNIT.sub("", name)
    rate = _PER.search(plain)
    if rate is not None and cell[:1] and _NUMBER.search(cell):
        return f"{_PER.sub('', plain)} {cell} {rate.group().strip()}"
    plain = _YEAR.sub(r"\1in \2", plain)
    joint = ": " if plain[-1:].isdigit() else " "
    if unit is not None and _NUMBER.fullmatch(cell):
        return f"{plain}{joint}{cell} {unit[1]}"
    return f"{plain}{joint}{cell}"
