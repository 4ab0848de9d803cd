"""The meter: what a pack spends of the run's reservation, item by item."""

from collections import Counter
from collections.abc import Mapping

from dpp_project.money import ZERO, Micros, format_usd
from dpp_project.prices import MINIMUM_FEE
from packs.base import BudgetCapReached, JsonObject
from runs.lifecycle.price_list import price_list


class ReservationMeter:
    """Never passes the reservation: a step that would not fit is refused before it is done."""

    def __init__(self, reserved: Micros) -> None:
        self._prices = price_list()
        self._left = reserved
        self._spent = ZERO
        self._set_aside: Counter[str] = Counter()
        self._items: dict[str, tuple[int, Micros]] = {}
        self._waived: Counter[tuple[str, str]] = Counter()
        self.cap_reached = False

    def use_prices(self, prices: Mapping[str, Micros]) -> None:
        """Of the quote that the run was submitted with, before anything is spent."""
        self._prices = {**self._prices, **prices}

    @property
    def spent(self) -> Micros:
        return self._spent

    def base(self, item: str) -> None:
        # A run that came in under older rules may hold less: it is never asked for more than it holds.
        cost = Micros(min(self._prices[item], self._left))
        self._left = Micros(self._left - cost)
        self._add(item, 1, cost)

    def fits(self, items: Mapping[str, int]) -> bool:
        return sum(self._prices[item] * quantity for item, quantity in items.items()) <= self._left

    def spend(self, item: str, quantity: int = 1) -> None:
        if quantity < 0:
            raise ValueError("a meter does not run backwards")
        self._refuse_beyond(item, quantity)
        cost = Micros(self._prices[item] * quantity)
        self._left = Micros(self._left - cost)
        self._add(item, quantity, cost)

    def set_aside(self, item: str) -> None:
        self._refuse_beyond(item, 1)
        self._left = Micros(self._left - self._prices[item])
        self._set_aside[item] += 1

    def charge_set_aside(self, item: str) -> None:
        self._take_from_set_aside(item)
        self._add(item, 1, self._prices[item])

    def waive(self, item: str, reason: str) -> None:
        self._take_from_set_aside(item)
        self._left = Micros(self._left + self._prices[item])
        self._waived[item, reason] += 1

    def items(self) -> list[JsonObject]:
        """For the envelope: what was charged, then what was tried and costs nothing."""
        charged = [self._line(item, quantity, cost) for item, (quantity, cost) in sorted(self._items.items())]
        return charged + self._waived_lines()

    def items_of_fee(self, fee: Micros, reason: str) -> list[JsonObject]:
        """For a run that costs the minimum fee instead: what was metered stands there for nothing."""
        line = {"item": MINIMUM_FEE, "quantity": 1, "unit_price_usd_micros": fee}
        fee_line = {**line, "cost_usd_micros": fee, "cost_usd": format_usd(fee)}
        metered = [
            self._line(item, quantity, ZERO) | {"reason": reason} for item, (quantity, _) in sorted(self._items.items())
        ]
        return [fee_line, *metered, *self._waived_lines()]

    def _waived_lines(self) -> list[JsonObject]:
        return [
            {**self._line(item, quantity, ZERO), "reason": reason}
            for (item, reason), quantity in sorted(self._waived.items())
        ]

    def _line(self, item: str, quantity: int, cost: Micros) -> JsonObject:
        return {
            "item": item,
            "quantity": quantity,
            "unit_price_usd_micros": self._prices[item],
            "cost_usd_micros": cost,
            "cost_usd": format_usd(cost),
        }

    def _refuse_beyond(self, item: str, quantity: int) -> None:
        if not self.fits({item: quantity}):
            self.cap_reached = True
            raise BudgetCapReached(item)

    def _take_from_set_aside(self, item: str) -> None:
        if not self._set_aside[item]:
            raise ValueError(f"nothing was set aside for {item}")
        self._set_aside[item] -= 1

    def _add(self, item: str, quantity: int, cost: Micros) -> None:
        before = self._items.get(item, (0, ZERO))
        self._items[item] = (before[0] + quantity, Micros(before[1] + cost))
        self._spent = Micros(self._spent + cost)
