"""The simulation's part of docs/capacity.md, between two marks, and its picture."""

from pathlib import Path
from typing import Any

from bench.simulation.predictions import LOG

_DOCS = Path(__file__).resolve().parent.parent.parent / "docs"
_WITHIN = 0.2
_COLOURS = ("#2f7d4f", "#b08a3c", "#8a8f98", "#4a6fa5", "#b3412f")


def write_docs(found: dict[str, Any]) -> None:
    page = _DOCS / "capacity.md"
    text = page.read_text()
    begin, end = "<!-- simulation -->", "<!-- end of simulation -->"
    page.write_text(text[: text.index(begin)] + f"{begin}\n{show(found)}\n{end}" + text[text.index(end) + len(end) :])
    (_DOCS / "img" / "capacity.svg").write_text(_lines(found["sizes"]))


def show(found: dict[str, Any]) -> str:
    return "\n".join(
        [
            f"Measured and simulated {found['at']}, beside {_range(found['others'])} other programs:",
            "",
            "| what | measured | simulated | apart | within 20 % |",
            "|---|---|---|---|---|",
            *(_checked(row) for row in found["checked"]),
            "",
            "Nobody else on the machine (`bench/results/simulation-idle.json`):",
            "",
            "| what | seen | simulated | apart | within 20 % |",
            "|---|---|---|---|---|",
            *(_checked(row) for row in found["idle"]),
            "",
            "![how busy each part of a cell is](img/capacity.svg)",
            "",
            "| runs/s | accepted | finished | submit p95 | end p95 | API cores | worker cores | slots | busiest |",
            "|---|---|---|---|---|---|---|---|---|",
            *(_size(row) for row in found["sizes"]),
        ]
    )


def _range(others: dict[str, float]) -> str:
    least, most = min(others.values()), max(others.values())
    return f"{least} to {most}" if most > least else f"{most}"


def _checked(row: dict[str, Any]) -> str:
    apart = row["simulated"] / row["measured"] - 1
    told = "yes" if abs(apart) <= _WITHIN else "**no**"
    unit = row["unit"]
    return f"| {row['what']} | {row['measured']:,.1f}{unit} | {row['simulated']:,.1f}{unit} | {apart:+.0%} | {told} |"


def _size(row: dict[str, Any]) -> str:
    # A log that is always being flushed still serves everybody who waits with the next flush.
    name, share = max((item for item in row["busy"].items() if item[0] != LOG), key=lambda item: item[1])
    return (
        f"| {row['runs_per_sec']:,} | {row['accepted_per_sec']:,.0f} | {row['finished_per_sec']:,.0f}"
        f" | {row['submit_p95_ms']:,.0f} ms | {row['end_p95_ms']:,.0f} ms | {row['api_cores']} | {row['worker_cores']}"
        f" | {row['worker_slots']} | {name}, {share:.0%} |"
    )


def _lines(sizes: list[dict[str, Any]]) -> str:
    """How busy each part is, over the runs a second."""
    left, top, width, height = 60, 20, 520, 260
    most = max(size["runs_per_sec"] for size in sizes)
    parts = [
        f'<line x1="{left}" y1="{top + height}" x2="{left + width}" y2="{top + height}" stroke="#222"/>',
        f'<line x1="{left}" y1="{top}" x2="{left + width}" y2="{top}" stroke="#bbb" stroke-dasharray="4"/>',
        f'<text x="{left - 8}" y="{top + 5}" text-anchor="end">100 %</text>',
        f'<text x="{left - 8}" y="{top + height}" text-anchor="end">0</text>',
        f'<text x="{left + width / 2:.0f}" y="{top + height + 36}" text-anchor="middle">runs a second and cell</text>',
    ]
    for size in sizes:
        if size["runs_per_sec"] >= most / 10:
            x = left + size["runs_per_sec"] / most * width
            parts.append(
                f'<text x="{x:.0f}" y="{top + height + 18}" text-anchor="middle">{size["runs_per_sec"]:,}</text>'
            )
    for colour, name in zip(_COLOURS, sizes[0]["busy"], strict=True):
        points = " ".join(
            f"{left + size['runs_per_sec'] / most * width:.0f},{top + height - min(1, size['busy'][name]) * height:.0f}"
            for size in sizes
        )
        number = list(sizes[0]["busy"]).index(name)
        parts.append(
            f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>'
            f'<text x="{left + width + 16}" y="{top + 20 + number * 22}" fill="{colour}">{name}</text>'
        )
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" width="760" height="330" font-family="sans-serif" font-size="13">'
        f'<rect width="100%" height="100%" fill="white"/>{"".join(parts)}</svg>\n'
    )
