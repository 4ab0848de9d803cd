"""The table, and docs/performance.md with its bars."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_DOCS = Path(__file__).resolve().parent.parent.parent / "docs"


@dataclass(frozen=True)
class Row:
    """One comparison: the ratio of our figure to that of the peer."""

    what: str
    ours: str
    peer: str
    ratio: float
    wanted: str
    met: bool


@dataclass
class Section:
    name: str
    rows: list[Row] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    absolute: dict[str, Any] = field(default_factory=dict)

    def at_least(self, what: str, ours: float, peer: float, least: float | None, unit: str = "/s") -> None:
        ratio = ours / peer
        self._add(what, ours, peer, unit, f"≥ {least}" if least else "", least is None or ratio >= least)

    def at_most(self, what: str, ours: float, peer: float, most: float | None, unit: str = " ms") -> None:
        ratio = ours / peer
        self._add(what, ours, peer, unit, f"≤ {most}" if most else "", most is None or ratio <= most)

    def _add(self, what: str, ours: float, peer: float, unit: str, wanted: str, met: bool) -> None:
        self.rows.append(Row(what, f"{ours:,.1f}{unit}", f"{peer:,.1f}{unit}", ours / peer, wanted, met))

    def figures(self) -> dict[str, Any]:
        return {"rows": [vars(row) for row in self.rows], "notes": self.notes, "absolute": self.absolute}


def show(sections: list[Section]) -> str:
    lines = []
    for section in sections:
        lines += ["", f"## {section.name}"]
        lines += ["", *_table(section.rows)] if section.rows else []
        lines += ["", *(f"- {note}" for note in section.notes)] if section.notes else []
    return "\n".join(lines)


def _table(rows: list[Row]) -> list[str]:
    return [
        "| what | ours | beside | ratio | wanted | |",
        "|---|---|---|---|---|---|",
        *(
            f"| {row.what} | {row.ours} | {row.peer} | {row.ratio:.2f} | {row.wanted} |"
            f" {'' if not row.wanted else 'met' if row.met else '**missed**'} |"
            for row in rows
        ),
    ]


def write_docs(found: dict[str, Any], sections: list[Section]) -> None:
    """Between the two marks of docs/performance.md; what people wrote around them stays."""
    page = _DOCS / "performance.md"
    text = page.read_text()
    begin, end = "<!-- figures -->", "<!-- end of figures -->"
    machine = found["machine"]
    intro = (
        f"Measured {found['at']} on {machine['cores']} cores, Python {machine['python']}, everything on one machine; "
        f"load average at the end {found['load_average_at_the_end'][0]}."
    )
    figures = f"{begin}\n{intro}\n\n![ratios](img/performance.svg)\n{show(sections)}\n{end}"
    page.write_text(text[: text.index(begin)] + figures + text[text.index(end) + len(end) :])
    (_DOCS / "img" / "performance.svg").write_text(
        _bars([row for section in sections for row in section.rows if row.wanted])
    )


def _bars(rows: list[Row]) -> str:
    """One bar a wanted ratio, the wanted value as a line."""
    height, left, scale = 26, 330, 200
    parts = []
    for number, row in enumerate(rows):
        top, width = 10 + number * height, min(row.ratio, 2.4) * scale
        wanted = float(row.wanted.split()[1])
        colour = "#2f7d4f" if row.met else "#b3412f"
        parts.append(
            f'<text x="{left - 10}" y="{top + 15}" text-anchor="end">{row.what}</text>'
            f'<rect x="{left}" y="{top + 3}" width="{width:.0f}" height="16" fill="{colour}"/>'
            f'<line x1="{left + wanted * scale:.0f}" x2="{left + wanted * scale:.0f}" y1="{top}" y2="{top + 22}" '
            f'stroke="#222" stroke-width="2"/>'
            f'<text x="{left + width + 6:.0f}" y="{top + 15}">{row.ratio:.2f} ({row.wanted})</text>'
        )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="920" height="{20 + len(rows) * height}" '
        f'font-family="sans-serif" font-size="13"><rect width="100%" height="100%" fill="white"/>'
        f"{''.join(parts)}</svg>\n"
    )
