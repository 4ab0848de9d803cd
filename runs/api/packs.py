"""GET /v1/packs"""

import functools

from django.http import HttpResponse
from rest_framework.request import Request

from dpp_project.profile import PROFILE
from packs.registry import PACKS
from runs.api.answers import ApiView, bytes_response, json_bytes
from runs.api.auth import admit_reader
from runs.api.openapi import operations
from runs.price_list import price_list


class PacksView(ApiView):
    @operations.LIST_PACKS
    def get(self, request: Request) -> HttpResponse:
        admit_reader(request._request)
        return bytes_response(_body())


@functools.cache
def _body() -> bytes:
    """The same for everybody for as long as the process lives."""
    prices = price_list()
    packs = [
        {
            "name": pack.name,
            "title": pack.title,
            "input_schema": pack.input_schema,
            "prices": [{"item": item, "unit_price_usd_micros": prices[item]} for item in pack.prices],
        }
        for pack in PACKS.values()
    ]
    return json_bytes({"profile_version": PROFILE.version, "currency": "USD", "packs": packs})
