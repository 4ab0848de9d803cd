"""A pack's context for tests: a meter with a real limit and real prices, a timebox, and what was reported."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from dpp_project.money import Micros
from dpp_project.prices import PRICES
from packs.base import BudgetCapReached, PackContext
from tests.packs.pays_on_delivery import PaysOnDelivery

NOW = datetime(2026, 11, 16, 9, 30, tzinfo=UTC)


@dataclass
class Purse(PaysOnDelivery):
    """Spends at list prices and never passes its limit."""

    limit: int = 500_000
    items: list[tuple[str, int]] = field(default_factory=list)
    total: int = 0

    @property
    def spent(self) -> Micros:
        return Micros(self.total)

    def base(self, item: str) -> None:
        self.items.append((item, 1))
        self.total = min(self.limit, self.total + PRICES[item])

    def fits(self, items: Mapping[str, int]) -> bool:
        wanted = self.aside_cost + sum(PRICES[item] * quantity for item, quantity in items.items())
        return self.total + wanted <= self.limit

    def spend(self, item: str, quantity: int = 1) -> None:
        if self.total + PRICES[item] * quantity > self.limit:
            raise BudgetCapReached
        self.items.append((item, quantity))
        self.total += PRICES[item] * quantity

    def quantity(self, item: str) -> int:
        return sum(quantity for name, quantity in self.items if name == item)


@dataclass
class Timebox:
    left_sec: float = 60.0

    def remaining_sec(self) -> float:
        return self.left_sec

    def check(self) -> None:
        return


@dataclass
class Steps:
    """Remembers what was reported."""

    seen: list[tuple[str, float]] = field(default_factory=list)

    def __call__(self, stage: str, progress: float, **detail: str | int) -> None:
        self.seen.append((stage, progress))


def a_context(
    meter: Purse | None = None, left_sec: float = 60.0, steps: Steps | None = None, **services: Any
) -> PackContext:
    return PackContext(
        tenant_id="acme",
        now=NOW,
        deadline=Timebox(left_sec),
        meter=meter or Purse(),
        checkpoint=steps or Steps(),
        log=logging.getLogger("tests.packs"),
        services=services,
    )
