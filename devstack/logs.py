"""`make logs`: all logs in one stream, each line with the name of whose it is."""

import time
from pathlib import Path

from devstack.files import last_lines
from devstack.layout import Layout
from devstack.terminal import Terminal

_COLOURS = ("cyan", "green", "yellow", "bold", "dim")


def logs(layout: Layout, terminal: Terminal, *, follow: bool, count: int = 15) -> int:
    """The last lines of every log; then, if asked, whatever is added."""
    places: dict[Path, int] = {}
    for path in _paths(layout):
        places[path] = path.stat().st_size
        for line in last_lines(path, count):
            _show(terminal, path, line)
    if not places and not follow:
        terminal.line("No logs yet. `make up` starts the stack.")
        return 1
    while follow:
        time.sleep(0.25)
        for path in _paths(layout):
            lines, places[path] = _added(path, places.get(path, 0))
            for line in lines:
                _show(terminal, path, line)
    return 0


def _added(path: Path, place: int) -> tuple[list[str], int]:
    """Complete lines after `place`, and the place after them. A log that was shortened starts again."""
    with path.open("rb") as file:
        if path.stat().st_size < place:
            place = 0
        file.seek(place)
        content = file.read(1_048_576)
    complete = content[: content.rfind(b"\n") + 1]
    return complete.decode(errors="replace").splitlines(), place + len(complete)


def _show(terminal: Terminal, path: Path, line: str) -> None:
    colour = _COLOURS[sum(map(ord, path.stem)) % len(_COLOURS)]
    terminal.line(f"{terminal.style(f'{path.stem:<11}', colour)} {line}")


def _paths(layout: Layout) -> list[Path]:
    return sorted(layout.logs.glob("*.log"))
