"""Money is integer USD micros inside and a decimal string of four places outside, as the profile says. No float ever.

Called by everything that touches an amount; knows nothing but numbers and text.
"""

import re
from decimal import Decimal

from dpp_project.money_rules import Micros as Micros
from dpp_project.profile import PROFILE

_RULES = PROFILE.money

MICROS_PER_USD = 10**_RULES.scale
DISPLAY_PLACES = _RULES.display_places

# Lua compares doubles: above 2^53 - 1 two different balances could compare equal.
MAX_BALANCE = Micros(2**53 - 1)
MAX_AMOUNT = Micros(1_000_000_000 * MICROS_PER_USD)

ZERO = Micros(0)

# The integer part is bounded so that a megabyte of digits is refused by the pattern.
_USD_TEXT = re.compile(rf"[0-9]{{1,20}}(?:\.[0-9]{{1,{DISPLAY_PLACES}}})?", re.ASCII)
_DISPLAY_UNIT = Decimal(1).scaleb(-DISPLAY_PLACES)


class InvalidMoney(ValueError):
    """The text is not an amount of USD with at most four decimal places."""


def parse_usd(text: object) -> Micros:
    """`"0.5000"` -> 500_000. Anything but such a string, a JSON number included, is refused."""
    if not isinstance(text, str) or not _USD_TEXT.fullmatch(text):
        raise InvalidMoney('An amount is a string of digits with at most 4 decimal places, such as "0.5000".')
    return Micros(int(Decimal(text).scaleb(_RULES.scale)))


def format_usd(amount: Micros) -> str:
    """500_000 -> `"0.5000"`, HALF_UP. For display only: it may round, the ledger never does."""
    usd = Decimal(amount).scaleb(-_RULES.scale)
    return f"{usd.quantize(_DISPLAY_UNIT, rounding=_RULES.rounding):f}"
