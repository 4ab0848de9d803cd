"""The way of a request through the source tree: which modules it calls, in order, and how often it goes back.

A module counts once, at its first call. A hop back is a step from one folder into another that the walk had already
left. Both figures are what a newcomer pays who follows the code from the route to the answer. They are given twice: of
all modules, and without the leaves of `dpp_project` (clock, money, logging …), which a reader knows after one look.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

CLONE = Path(__file__).resolve().parents[2]
_FOLDERS = ("dpp_project", "runs", "budget", "packs", "storage")


@dataclass
class CallPath:
    modules: list[str] = field(default_factory=list)

    def record(self, frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and (module := _module(frame.f_code.co_filename)) and module not in self.modules:
            self.modules.append(module)

    def without(self, folder: str) -> "CallPath":
        return CallPath([module for module in self.modules if not module.startswith(f"{folder}/")])

    @property
    def hops_back(self) -> list[str]:
        """Modules whose folder the walk had left before."""
        left: set[str] = set()
        current, back = "", []
        for module in self.modules:
            folder = module.rpartition("/")[0]
            if folder != current:
                if folder in left:
                    back.append(module)
                left.add(current)
                current = folder
        return back


@contextmanager
def traced(path: CallPath) -> Iterator[None]:
    """Record every call that this thread makes meanwhile."""
    before: Callable[..., Any] | None = sys.getprofile()
    sys.setprofile(path.record)
    try:
        yield
    finally:
        sys.setprofile(before)


def _module(filename: str) -> str:
    try:
        relative = Path(filename).relative_to(CLONE)
    except ValueError:
        return ""
    return relative.as_posix() if relative.parts[0] in _FOLDERS else ""
