"""Numbers that cannot be right as they were read: people pay by them, so they are read again or marked."""

import re

_EDGES = "()[]{}<>:;'\"*#"
_NUMBER = re.compile(r"[+\-₩$€£¥]?\d[\d.,]*\d|\d")
# Marks of thousands and of the fraction, each in its place: 2,350,000 · 1.234,56 · 1,234.56 · 0.75 · 10.5
_GROUPED = re.compile(r"\d{1,3}(,\d{3})+(\.\d+)?|\d{1,3}(\.\d{3})+(,\d{1,2})?|\d+(\.\d+|,\d{1,2})?")
_DATE_OR_LIST = re.compile(r"\d{1,4}(\.\d{1,2}){1,2}\.?|\d+(\.\d+){2,}")
# A digit and the letter that looks like it, side by side in what is otherwise a number.
_CONFUSED = re.compile(r"\d[OolISBZ]\d|\d[.,][OolISZ]|[OolIZ][.,]\d|\d[Ool]{1,2}$")
# Any other letter makes it a code, where digits and letters may stand side by side.
_CODE = re.compile("(?![OolISBZ])[A-Za-z]")
_BUSINESS_NUMBER = re.compile(r"(?<!\d)(\d{3})-(\d{2})-(\d{5})(?!\d)")
_CARD_NUMBER = re.compile(r"(?<!\d)\d{4}-\d{4}-\d{4}-\d{4}(?!\d)")
_BUSINESS_WEIGHTS = (1, 3, 7, 1, 3, 7, 1, 3, 5)


def is_implausible(word: str) -> bool:
    """Groups that are none (`2.350,000`), letters amid digits (`1O0`), a check digit that does not fit."""
    bare = word.strip(_EDGES)
    if any(not _fits_business("".join(groups)) for groups in _BUSINESS_NUMBER.findall(bare)):
        return True
    if any(not _fits_luhn(found.replace("-", "")) for found in _CARD_NUMBER.findall(bare)):
        return True
    if _CONFUSED.search(bare) and not _CODE.search(bare):
        return True
    return any(_is_badly_grouped(found) for found in _NUMBER.findall(bare))


def _is_badly_grouped(number: str) -> bool:
    digits = number.lstrip("+-₩$€£¥")
    return not _GROUPED.fullmatch(digits) and not _DATE_OR_LIST.fullmatch(digits)


def _fits_business(digits: str) -> bool:
    """The last digit of a Korean business registration number is computed from the others."""
    total = sum(int(digit) * weight for digit, weight in zip(digits, _BUSINESS_WEIGHTS, strict=False))
    total += int(digits[8]) * 5 // 10
    return (10 - total % 10) % 10 == int(digits[9])


def _fits_luhn(digits: str) -> bool:
    doubled = [int(digit) * 2 if at % 2 else int(digit) for at, digit in enumerate(reversed(digits))]
    return sum(value - 9 if value > 9 else value for value in doubled) % 10 == 0
