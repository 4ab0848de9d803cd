"""Texts to publish: for each rule that is met, the notice the law asks for, unless the text has it already."""

from packs.base import JsonObject
from packs.compliance.product import GENERAL, speaks_of
from packs.compliance.rules import rulebook
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
_TOPIC = {"INSURANCE": "topic_insurance", "DEPOSIT_PROTECTION": "topic_deposit"}


def required_notices(state: RunState) -> list[JsonObject]:
    book = rulebook()
    wanted: dict[str, list[str]] = {}
    for rule in state.rules:
        if state.met.get(rule.id):
            for code in rule.notices:
                wanted.setdefault(code, []).append(rule.id)
    entries = []
    for code, because in wanted.items():
        if state.product not in _ONLY_FOR.get(code, frozenset({state.product})):
            continue
        if code in _TOPIC and not speaks_of(state.reading, _TOPIC[code]):
            continue
        notice = book.notices[code]
        if state.reading.says(notice.said):
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
