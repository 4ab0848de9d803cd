"""How money is counted: its unit, its smallest part, its digits and its rounding. The values stand in the profile."""

from dataclasses import dataclass
from typing import NewType

Micros = NewType("Micros", int)


@dataclass(frozen=True)
class MoneyRules:
    unit: str
    scale: int
    """Decimal places of the smallest part: 6 for micros."""
    display_places: int
    """Decimal places of an amount that is shown, and the most of one that is given."""
    rounding: str
    """Of an amount that is shown, by its name in `decimal`. The ledger never rounds."""

    def __post_init__(self) -> None:
        assert 0 < self.display_places <= self.scale
