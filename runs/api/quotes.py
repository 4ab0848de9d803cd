"""POST /v1/quotes: what a run would cost. Free, and it makes no run."""

from typing import Any, cast

from rest_framework.request import Request
from rest_framework.response import Response

from dpp_project import clock
from dpp_project.metrics import QUOTES
from packs.registry import PACKS
from runs.api.api_view import ApiView, tenant_of
from runs.api.openapi import operations
from runs.api.serializers.quote import QUOTE
from runs.api.submission import read_submission
from runs.lifecycle.quotes import quote


class QuotesView(ApiView):
    @operations.MAKE_QUOTE
    def post(self, request: Request) -> Response:
        tenant, now = tenant_of(request), clock.now()
        body = cast(dict[str, Any], request.data)  # by our parser
        asked = read_submission(body, trace_header=None, tenant_id=tenant.pk, now=now).request
        made = quote(tenant.pk, PACKS[asked.pack_type], asked, now=now)
        QUOTES.labels(pack_type=asked.pack_type).inc()
        values = {
            **vars(made),
            "items": [{**vars(item), "unit_price_usd_micros": item.unit_price} for item in made.items],
        }
        return Response(QUOTE.to_representation(values))
