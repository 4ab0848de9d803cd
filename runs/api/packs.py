"""GET /v1/packs"""

import functools

from rest_framework.request import Request
from rest_framework.response import Response

from dpp_project.prices import FOR_REPORTS, FREE, PRICE_LIST
from dpp_project.profile import PROFILE
from packs.registry import PACKS
from runs.api.api_view import ApiView
from runs.api.json_bodies import json_bytes
from runs.api.openapi import operations
from runs.api.serializers.service import PACK_LIST
from runs.lifecycle.price_list import price_list


class PacksView(ApiView):
    @operations.LIST_PACKS
    def get(self, request: Request) -> Response:
        return Response(_body())


@functools.cache
def _body() -> bytes:
    """The same for everybody for as long as the process lives."""
    prices = price_list()
    packs = [
        {
            "name": pack.name,
            "title": pack.title,
            "input_schema": pack.input_schema,
            "max_body_bytes": pack.max_body_bytes,
            "max_values": pack.max_values,
            "prices": [
                {
                    "item": item,
                    "unit": PRICE_LIST[item].unit,
                    "unit_price_usd_micros": prices[item],
                    "charged": PRICE_LIST[item].charged,
                }
                for item in (*pack.prices, *FOR_REPORTS)
            ],
        }
        for pack in PACKS.values()
    ]
    minimum_fee = {
        "percent_of_reservation": PROFILE.minimum_fee_percent,
        "at_least_usd_micros": PROFILE.minimum_fee_floor,
        "at_most_usd_micros": PROFILE.minimum_fee_ceiling,
    }
    whole = {"profile_version": PROFILE.version, "packs": packs, "minimum_fee": minimum_fee, "free": list(FREE)}
    return json_bytes(PACK_LIST.to_representation(whole))
