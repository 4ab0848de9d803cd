"""The tables of docs/packs-url.md: `python -m tests.packs.url.tables`."""

from dpp_project.money import format_usd
from dpp_project.prices import FETCH, FETCH_CACHED, FETCH_LARGE, PRICE_LIST
from packs.url.discards import GATE_OF, HINTS, MEANINGS, DiscardReason
from packs.url.tiers import DOMAINS, TIERS


def reason_table() -> str:
    head = ["| gate | reason_code | means | replacement_hint |", "| --- | --- | --- | --- |"]
    return "\n".join([*head, *map(_reason_row, DiscardReason)])


def tier_table() -> str:
    head = ["| tier | kept without being asked | weight | domains listed |", "| --- | --- | --- | --- |"]
    counts = {tier.name: sum(of is tier for of in DOMAINS.values()) for tier in TIERS}
    rows = [
        f"| `{tier.name}` | {'yes' if tier.kept else 'no'} | {tier.weight_percent} % | {counts[tier.name] or '–'} |"
        for tier in TIERS
    ]
    return "\n".join([*head, *rows])


def price_table() -> str:
    head = ["| item | USD | charged |", "| --- | --- | --- |"]
    priced = [(item, PRICE_LIST[item]) for item in (FETCH, FETCH_LARGE, FETCH_CACHED)]
    rows = [f"| `{item}` | {format_usd(price.amount)} | {price.charged} |" for item, price in priced]
    return "\n".join([*head, *rows])


def _reason_row(reason: DiscardReason) -> str:
    return f"| {GATE_OF[reason]} | `{reason}` | {MEANINGS[reason]} | {HINTS.get(reason, '–')} |"


if __name__ == "__main__":
    print(f"{reason_table()}\n\n{tier_table()}\n\n{price_table()}")
