"""A url run without a worker: a meter that counts, a deadline, a list of checkpoints."""

import logging
import threading
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from dpp_project.money import Micros
from dpp_project.prices import PRICES
from packs.base import BudgetCapReached, PackContext, PackResult, TimeboxExceeded
from packs.fetch import Fetcher
from packs.url import PACK
from tests.packs.pays_on_delivery import PaysOnDelivery

NOW = datetime(2026, 11, 16, 9, 0, tzinfo=UTC)


@dataclass
class CountingMeter(PaysOnDelivery):
    reserved: int = 1_000_000
    bought: Counter[str] = field(default_factory=Counter)

    @property
    def spent(self) -> Micros:
        return Micros(sum(PRICES[item] * count for item, count in self.bought.items()))

    def base(self, item: str) -> None:
        self.bought[item] += 1

    def fits(self, items: Mapping[str, int]) -> bool:
        wanted = self.aside_cost + sum(PRICES[item] * count for item, count in items.items())
        return self.spent + wanted <= self.reserved

    def spend(self, item: str, quantity: int = 1) -> None:
        if not self.fits({item: quantity}):
            raise BudgetCapReached
        self.bought[item] += quantity


@dataclass
class Timebox:
    seconds: float = 60.0
    started_at: float = field(default_factory=time.monotonic)

    def remaining_sec(self) -> float:
        return self.started_at + self.seconds - time.monotonic()

    def check(self) -> None:
        if self.remaining_sec() <= 0:
            raise TimeboxExceeded


@dataclass
class Checkpoints:
    seen: list[tuple[str, float, dict[str, Any]]] = field(default_factory=list)
    threads: set[str] = field(default_factory=set)
    stop_at: int | None = None
    stop_with: Exception | None = None

    def __call__(self, stage: str, progress: float, **detail: str | int) -> None:
        self.seen.append((stage, progress, detail))
        self.threads.add(threading.current_thread().name)
        if self.stop_with is not None and self.stop_at is not None and len(self.seen) >= self.stop_at:
            raise self.stop_with


@dataclass
class Desk:
    fetcher: Fetcher
    meter: CountingMeter = field(default_factory=CountingMeter)
    timebox_sec: float = 60.0
    checkpoints: Checkpoints = field(default_factory=Checkpoints)
    services: dict[str, Any] = field(default_factory=dict)

    def run(self, *urls: str, question: str = "", **inputs: Any) -> PackResult:
        asked = {"urls": list(urls), **({"decision_question": question} if question else {}), **inputs}
        return PACK.execute(asked, self.context())

    def context(self) -> PackContext:
        return PackContext(
            tenant_id="acme",
            now=NOW,
            deadline=Timebox(self.timebox_sec),
            meter=self.meter,
            checkpoint=self.checkpoints,
            log=logging.getLogger("tests.url"),
            services={"fetcher": self.fetcher, **self.services},
        )
