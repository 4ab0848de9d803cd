"""The prices of this installation: the locked list, and the operator's own for the tokens of their model."""

from collections.abc import Mapping
from types import MappingProxyType

from django.conf import settings

from dpp_project.money import Micros
from dpp_project.prices import PRICES


def price_list() -> Mapping[str, Micros]:
    return MappingProxyType({**PRICES, **settings.LLM_TOKEN_PRICES})
