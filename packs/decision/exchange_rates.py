"""Exchange rates that the input itself gives. Nothing is looked up, nothing is assumed."""

import re
from decimal import Decimal

from packs.decision.brief import Brief
from packs.decision.comparing import Rates
from packs.decision.evidence import sentences
from packs.text.quantities import find_quantities
from packs.text.units import CURRENCIES, unit_of

_RATE = re.compile(r"\b(?:exchange|rate|convert\w*|equals?|worth)\b|환율|=|기준\s?환율|적용", re.IGNORECASE)
_CURRENCY_NOUN = re.compile(
    r"\b(?:the|one|a)\s(?P<name>pound|euro|dollar|yen|yuan|won)\b|(?P<ko>달러|유로|엔|위안|파운드)(?=[가를는은이]|화)",
    re.IGNORECASE,
)
_TO_THE = re.compile(r"\s?(?:to|for|per|against)\s(?:the|one|a|1)?\s?(?P<name>[a-z]+)", re.IGNORECASE)


def given_rates(brief: Brief) -> Rates:
    found: dict[tuple[str, str], Decimal] = {}
    texts = [
        brief.question,
        *(f"{' '.join(leaf.path)}: {leaf.value}" for leaf in brief.context if isinstance(leaf.value, str)),
    ]
    for text in texts:
        for sentence in sentences(text):
            if _RATE.search(sentence) or _CURRENCY_NOUN.search(sentence):
                found.update(_rates(sentence))
    return Rates(found)


def _rates(sentence: str) -> dict[tuple[str, str], Decimal]:
    money = [q for q in find_quantities(sentence) if q.unit in CURRENCIES and not q.is_range]
    for quantity in money:
        per = quantity.per if quantity.per in CURRENCIES else ""
        behind = _TO_THE.match(sentence, quantity.end)
        per = per or (unit_of(behind["name"]) if behind else "")
        if per in CURRENCIES and per != quantity.unit:
            return {(per, quantity.unit): quantity.low}
    for one in money:
        for other in money:
            if one.unit != other.unit and one.low == 1 and other.low > 0:
                return {(one.unit, other.unit): other.low}
    noun = _CURRENCY_NOUN.search(sentence)
    if noun is not None:
        name = (noun["name"] or noun["ko"]).lower()
        unit = "GBP" if name in ("pound", "파운드") else unit_of(name)  # beside money a pound is no weight
        others = [q for q in money if q.unit != unit]
        if unit in CURRENCIES and len(others) == len(money) == 1:
            return {(unit, others[0].unit): others[0].low}
    korean = re.search(r"(달러|유로|엔|위안)(?:당|\s?환율(?:은|:)?)\s?", sentence)
    if korean:
        others = [q for q in money if q.unit != unit_of(korean[1])]
        if others:
            return {(unit_of(korean[1]), others[0].unit): others[0].low}
    return {}
