"""A pack context that only remembers what was asked of it."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from dpp_project.money import Micros
from packs.base import PackContext
from tests.packs.pays_on_delivery import PaysOnDelivery


@dataclass
class Remembering(PaysOnDelivery):
    """Meter, deadline and checkpoint in one: nothing here ever stops the work."""

    based: list[str] = field(default_factory=list)
    progress: list[tuple[str, float]] = field(default_factory=list)

    @property
    def spent(self) -> Micros:
        return Micros(0)

    def base(self, item: str) -> None:
        self.based.append(item)

    def fits(self, items: Mapping[str, int]) -> bool:
        return True

    def spend(self, item: str, quantity: int = 1) -> None:
        raise AssertionError(f"unexpected spending on {item}")

    def remaining_sec(self) -> float:
        return 90.0

    def check(self) -> None:
        return

    def __call__(self, stage: str, progress: float, **detail: str | int) -> None:
        self.progress.append((stage, progress))


def remembering_context() -> tuple[PackContext, Remembering]:
    memory = Remembering()
    context = PackContext(
        tenant_id="acme",
        now=datetime(2026, 3, 1, tzinfo=UTC),
        deadline=memory,
        meter=memory,
        checkpoint=memory,
        log=logging.getLogger("test"),
    )
    return context, memory
