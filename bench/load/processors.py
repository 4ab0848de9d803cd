"""How much of the processors each part takes while the load goes on, stage by stage: it shows what gives way first."""

import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from bench.load.stages import Stage
from bench.processor_time import sec_by_server

_LOOK_EVERY_SEC = 1.0
_ITSELF = "sites"
"""They answer in the process of the bench."""


@dataclass
class ProcessorTimes:
    """Seconds used by each part, as they were at several moments."""

    looks: list[tuple[float, Counter[str]]] = field(default_factory=list)

    def look(self) -> None:
        used = sec_by_server()
        used[_ITSELF] += time.process_time()  # type: ignore[assignment]
        self.looks.append((time.monotonic(), used))

    def of_stages(self, stages: tuple[Stage, ...]) -> list[dict[str, float]]:
        """For each stage, the processors that each part kept busy on average."""
        began = self.looks[0][0]
        found = []
        for stage in stages:
            within = [look for look in self.looks if began <= look[0] <= began + stage.seconds]
            began += stage.seconds
            found.append(_busy(*within[0], *within[-1]) if len(within) > 1 else {})
        return found


def _busy(began: float, before: Counter[str], ended: float, after: Counter[str]) -> dict[str, float]:
    shares = {name: round((after[name] - before[name]) / (ended - began), 2) for name in after}
    return dict(sorted(((name, share) for name, share in shares.items() if share > 0), key=lambda pair: -pair[1]))


@contextmanager
def watched() -> Iterator[ProcessorTimes]:
    times, over = ProcessorTimes(), threading.Event()

    def watch() -> None:
        while not over.wait(_LOOK_EVERY_SEC):
            times.look()

    times.look()
    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield times
    finally:
        over.set()
        watcher.join()
