"""docs/prices.md, made from the price list: `python -m tests.dpp_project.price_page`."""

from pathlib import Path

from dpp_project.money import Micros, format_usd
from dpp_project.prices import FOR_REPORTS, FREE, OPERATORS_OWN, PRICE_LIST
from dpp_project.profile import PROFILE
from packs.registry import PACKS

PAGE = Path(__file__).parents[2] / "docs" / "prices.md"

_HEAD = """# Prices

Made by `python -m tests.dpp_project.price_page` from the price list; do not edit. `GET /v1/packs` serves the same list.

Amounts are integer USD micros inside (1,000,000 are one dollar) and text with four places outside. A run holds
`max_cost_usd` and never costs more. A limit that cannot pay the least result is refused with 402
`RESERVATION_TOO_SMALL`, which names `least_usd`; nothing is held then. Work that would pass the limit stops cleanly
with what there is, and says so (`BUDGET_CAP_REACHED`).
"""

_PROMISES = """## What is charged is what was delivered

Each line of `cost.items` is an item of the list with its quantity. Something that was tried and not delivered is a line
of `0.0000` with its `reason`. The lines always add up to `used_usd`.

- A run that started and failed costs the minimum fee, and that line alone.
- A run that delivered nothing at all (no page came, no page could be read) fails with `NOTHING_DELIVERED`.
- A decision run that could decide nothing is delivered with what is missing, and costs at most the minimum fee; the
  metered lines then stand at `0.0000` with the reason `UNDECIDED`.
- With `reservation.on_unmet: "refund"` a result below `min_reliability_score` is withheld, and the run fails with
  `RELIABILITY_NOT_MET`. By default (`accept`) you get the result, and it says that the score was not met.
"""


def price_page() -> str:
    rows = [
        f"| `{item}` | {price.unit} | {price.amount:,}{' *' if item in OPERATORS_OWN else ''} | {_packs(item)} "
        f"| {price.charged} |"
        for item, price in PRICE_LIST.items()
    ]
    fee = (
        f"Minimum fee: {PROFILE.minimum_fee_percent} percent of the reservation, at least "
        f"{format_usd(PROFILE.minimum_fee_floor)} and at most {format_usd(PROFILE.minimum_fee_ceiling)} USD, never\n"
        f"more than the reservation. For a reservation of 0.5000 it is "
        f"{format_usd(PROFILE.minimum_fee(Micros(500_000)))}."
    )
    table = ["| item | one | USD micros | packs | charged |", "|---|---|---|---|---|", *rows]
    free = ["## Free", "", *(f"- {line}" for line in FREE)]
    note = "\\* An operator prices their own language model; `GET /v1/packs` tells what holds where you are."
    parts = [_HEAD, "\n".join(table), "", note, "", fee, "", _PROMISES, "\n".join(free), ""]
    return "\n".join(parts)


def _packs(item: str) -> str:
    return "all" if item in FOR_REPORTS else ", ".join(name for name, pack in PACKS.items() if item in pack.prices)


if __name__ == "__main__":
    PAGE.write_text(price_page())
