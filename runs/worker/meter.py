"""The meter: what a pack spends of the run's reservation, item by item."""

from collections.abc import Mapping

from dpp_project.money import ZERO, Micros, format_usd
from packs.base import BudgetCapReached, JsonObject
from runs.lifecycle.price_list import price_list


class ReservationMeter:
    """Never passes the reservation: a step that would not fit is refused before it is done."""

    def __init__(self, reserved: Micros) -> None:
        self._prices = price_list()
        self._left = reserved
        self._spent = ZERO
        self._items: dict[str, tuple[int, Micros]] = {}
        self.cap_reached = False

    @property
    def spent(self) -> Micros:
        return self._spent

    def base(self, item: str) -> None:
        self._add(item, 1, Micros(min(self._prices[item], self._left)))

    def fits(self, items: Mapping[str, int]) -> bool:
        return sum(self._prices[item] * quantity for item, quantity in items.items()) <= self._left

    def spend(self, item: str, quantity: int = 1) -> None:
        if quantity < 0:
            raise ValueError("a meter does not run backwards")
        cost = Micros(self._prices[item] * quantity)
        if cost > self._left:
            self.cap_reached = True
            raise BudgetCapReached(item)
        self._add(item, quantity, cost)

    def items(self) -> list[JsonObject]:
        """For the envelope."""
        return [
            {
                "item": item,
                "quantity": quantity,
                "unit_price_usd_micros": self._prices[item],
                "cost_usd_micros": cost,
                "cost_usd": format_usd(cost),
            }
            for item, (quantity, cost) in sorted(self._items.items())
        ]

    def _add(self, item: str, quantity: int, cost: Micros) -> None:
        before = self._items.get(item, (0, ZERO))
        self._items[item] = (before[0] + quantity, Micros(before[1] + cost))
        self._left = Micros(self._left - cost)
        self._spent = Micros(self._spent + cost)
