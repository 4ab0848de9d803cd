"""Tables inside a text: Markdown with pipes, and comma- or tab-separated lines. Rows become named values.

Only a table with a header and at least one row of the same width is one; everything else stays prose.
"""

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass

_RULE = re.compile(r"^\s*\|?\s*:?-{2,}:?\s*(?:\|\s*:?-{2,}:?\s*)*\|?\s*$")
_MIN_COLUMNS = 2
_MAX_CELL_CHARS = 300


@dataclass(frozen=True)
class TableCell:
    row: str
    """The row's name: its first cell."""
    column: str
    value: str


@dataclass(frozen=True)
class Tables:
    cells: tuple[TableCell, ...]
    rest: str
    """The text without its tables."""


def read_tables(text: str) -> Tables:
    lines = text.split("\n")
    cells: list[TableCell] = []
    rest: list[str] = []
    place = 0
    while place < len(lines):
        block = _markdown(lines, place) or _separated(lines, place)
        if block is None:
            rest.append(lines[place])
            place += 1
            continue
        rows, place = block
        cells += _cells(rows)
    return Tables(tuple(cells), "\n".join(rest)) if cells else Tables((), text)


def _cells(rows: list[list[str]]) -> Iterator[TableCell]:
    """Options may stand in the rows or in the columns: both readings are given, names decide later."""
    header = rows[0]
    for row in rows[1:]:
        for name, value in zip(header[1:], row[1:], strict=False):
            if row[0] and name and value:
                yield TableCell(row[0], name, value)


def _markdown(lines: list[str], place: int) -> tuple[list[list[str]], int] | None:
    if "|" not in lines[place]:
        return None
    rows: list[list[str]] = []
    end = place
    while end < len(lines) and "|" in lines[end]:
        if not _RULE.match(lines[end]):
            rows.append([_clean(cell) for cell in lines[end].strip().strip("|").split("|")])
        end += 1
    width = len(rows[0]) if rows else 0
    if len(rows) < 2 or width < _MIN_COLUMNS or any(len(row) != width for row in rows):
        return None
    return rows, end


def _separated(lines: list[str], place: int) -> tuple[list[list[str]], int] | None:
    for separator in ("\t", ";", ","):
        header = _split(lines[place], separator)
        if len(header) < _MIN_COLUMNS or not all(header):
            continue
        rows, end = [header], place + 1
        while end < len(lines) and len(row := _split(lines[end], separator)) == len(header):
            rows.append(row)
            end += 1
        if len(rows) >= 2 + (separator == ",") and _looks_like_a_header(rows):
            return rows, end
    return None


def _split(line: str, separator: str) -> list[str]:
    if separator not in line:
        return []
    try:
        return [_clean(cell) for cell in next(csv.reader([line], delimiter=separator, skipinitialspace=True))]
    except (csv.Error, StopIteration):
        return []


def _looks_like_a_header(rows: list[list[str]]) -> bool:
    """A header holds names; prose with commas has long cells and full stops."""
    cells = [cell for row in rows for cell in row]
    return (
        max(len(cell) for cell in cells) <= 80
        and not any(re.search(r"[.!?]\s*$", cell) for cell in rows[0])
        and not any(re.match(r"^[\d$₩€]", cell) for cell in rows[0])
        and any(re.search(r"\d|yes|no|있음|없음|true|false", cell) for row in rows[1:] for cell in row)
    )


def _clean(cell: str) -> str:
    return cell.strip().strip("*`_ ").strip()[:_MAX_CELL_CHARS]
