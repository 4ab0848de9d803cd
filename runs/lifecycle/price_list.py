"""The prices of this installation: the locked list, and the operator's own for the tokens of their model."""

from collections.abc import Mapping
from types import MappingProxyType

from django.conf import settings

from dpp_project.money import Micros
from dpp_project.prices import PRICES, REPORT
from packs.base import JsonObject, Pack


def price_list() -> Mapping[str, Micros]:
    return MappingProxyType({**PRICES, **settings.LLM_TOKEN_PRICES})


def least_price(pack: Pack, inputs: JsonObject, *, reports: int) -> Micros:
    """The least that a run with these inputs and so many reports costs if it delivers anything."""
    return cost_of({**pack.estimate(inputs).least, REPORT: reports}, price_list())


def cost_of(items: Mapping[str, int], prices: Mapping[str, Micros]) -> Micros:
    return Micros(sum(prices[item] * quantity for item, quantity in items.items()))
