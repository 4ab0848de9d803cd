"""The peers' table and picture in docs/performance.md, between two marks."""

from pathlib import Path
from typing import Any

_DOCS = Path(__file__).resolve().parent.parent.parent / "docs"
_NAMES = {"dpp": "DPP", "prefect": "Prefect server", "dbos": "DBOS", "procrastinate": "Procrastinate"}
_COLOURS = {"dpp": "#2f7d4f", "prefect": "#8a8f98", "dbos": "#4a6fa5", "procrastinate": "#b08a3c"}
_QUESTIONS = ("accept", "read live", "read ended", "finish")


def write_docs(found: dict[str, Any]) -> None:
    page = _DOCS / "performance.md"
    text = page.read_text()
    begin, end = "<!-- peers -->", "<!-- end of peers -->"
    figures = f"{begin}\n{show(found)}\n{end}"
    page.write_text(text[: text.index(begin)] + figures + text[text.index(end) + len(end) :])
    (_DOCS / "img" / "peers.svg").write_text(_bars(found["peers"]))


def show(found: dict[str, Any]) -> str:
    machine = found["machine"]
    head = "| | " + " | ".join(f"{question}, a second (processor ms each)" for question in _QUESTIONS) + " |"
    return "\n".join(
        [
            f"Measured {found['at']} on {machine['cores']} cores, Python {machine['python']}, all on one machine; "
            f"load average at the end {found['load_average_at_the_end'][0]}. The middle of three turns.",
            "",
            "![peers](img/peers.svg)",
            "",
            head,
            "|---" * (len(_QUESTIONS) + 1) + "|",
            *(
                f"| {title} | " + " | ".join(_cell(found["peers"][name][question]) for question in _QUESTIONS) + " |"
                for name, title in _NAMES.items()
            ),
        ]
    )


def _cell(figures: dict[str, float]) -> str:
    return f"{figures['per_sec']:,.0f} ({figures['processor_ms']:.1f})"


def _bars(peers: dict[str, Any]) -> str:
    """A group per question, each scaled to its own quickest."""
    left, width, height = 150, 560, 20
    parts, top = [], 10
    for question in _QUESTIONS:
        quickest = max(peers[name][question]["per_sec"] for name in _NAMES)
        parts.append(f'<text x="10" y="{top + 15}" font-weight="bold">{question}, a second</text>')
        top += height + 4
        for name, title in _NAMES.items():
            rate = peers[name][question]["per_sec"]
            bar = max(1, rate / quickest * width)
            parts.append(
                f'<text x="{left - 8}" y="{top + 14}" text-anchor="end">{title}</text>'
                f'<rect x="{left}" y="{top + 2}" width="{bar:.0f}" height="14" fill="{_COLOURS[name]}"/>'
                f'<text x="{left + bar + 6:.0f}" y="{top + 14}">{rate:,.0f}</text>'
            )
            top += height
        top += 8
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="800" height="{top + 6}" font-family="sans-serif" '
        f'font-size="13"><rect width="100%" height="100%" fill="white"/>{"".join(parts)}</svg>\n'
    )
