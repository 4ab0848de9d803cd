"""What the packs' test meters share: prices set aside until something is delivered."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from dpp_project.prices import PRICES
from packs.base import BudgetCapReached


@dataclass
class PaysOnDelivery:
    aside: Counter[str] = field(default_factory=Counter, kw_only=True)
    waived: list[tuple[str, str]] = field(default_factory=list, kw_only=True)

    @property
    def aside_cost(self) -> int:
        return sum(PRICES[item] * quantity for item, quantity in self.aside.items())

    def fits(self, items: Mapping[str, int]) -> bool:
        raise NotImplementedError

    def spend(self, item: str, quantity: int = 1) -> None:
        raise NotImplementedError

    def set_aside(self, item: str) -> None:
        if not self.fits({item: 1}):
            raise BudgetCapReached(item)
        self.aside[item] += 1

    def charge_set_aside(self, item: str) -> None:
        self.aside -= Counter({item: 1})
        self.spend(item)

    def waive(self, item: str, reason: str) -> None:
        self.aside -= Counter({item: 1})
        self.waived.append((item, reason))
