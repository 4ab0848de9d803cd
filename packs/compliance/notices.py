"""Texts to publish: for each rule that is met, the notice the law asks for, unless the text has it already."""

from packs.base import JsonObject
from packs.compliance.product import GENERAL, speaks_of
from packs.compliance.rules import Rule, rulebook
from packs.compliance.run_state import RunState

# Some rules serve several products; the notice is the one of the product at hand.
_ONLY_FOR = {
    "HEALTH_FOOD": frozenset({"food"}),
    "MEDICAL_DEVICE": frozenset({"device"}),
    "MEDICAL_AD": frozenset({"medical"}),
    "VIRTUAL_ASSET_RISK": frozenset({"virtual_asset"}),
    "INVESTMENT_RISK": frozenset({"finance", "general", "food", "cosmetic", "device", "medical"}),
    "PRICE_BASIS": frozenset({GENERAL}),
}
# An advertisement that a medical institution has to correct also needs what every medical advertisement needs.
_FOR_PRODUCT = {"medical": "MEDICAL_AD"}
_ADVERTISING_AREAS = frozenset({"advertising", "health"})
# What is wrong is the notice itself, so that its words are there already.
_FAULTY_NOTICE = {"CM-UNSUBSCRIBE": "AD_MARK"}
_TOPIC = {"INSURANCE": "topic_insurance", "DEPOSIT_PROTECTION": "topic_deposit"}


def required_notices(state: RunState) -> list[JsonObject]:
    book = rulebook()
    wanted: dict[str, list[str]] = {}
    for rule in state.rules:
        if state.met.get(rule.id):
            for code in _codes(rule, state):
                wanted.setdefault(code, []).append(rule.id)
    entries = []
    for code, because in wanted.items():
        if state.product not in _ONLY_FOR.get(code, frozenset({state.product})):
            continue
        if code in _TOPIC and not speaks_of(state.reading, _TOPIC[code]):
            continue
        notice = book.notices[code]
        faulty = any(_FAULTY_NOTICE.get(each) == code for each in because)
        if state.reading.says(notice.said) and not faulty:
            continue
        entries.append(
            {
                "code": code,
                **notice.text.as_json(),
                "basis": notice.basis.as_json(),
                "where": notice.where.as_json(),
                "because": because,
            }
        )
    return entries


def _codes(rule: Rule, state: RunState) -> tuple[str, ...]:
    """Notices of the rule, and the one that the product asks for in advertisements."""
    added = _FOR_PRODUCT.get(state.product)
    if added is None or state.reading.kind != "ad" or rule.area not in _ADVERTISING_AREAS or added in rule.notices:
        return rule.notices
    return (*rule.notices, added)
