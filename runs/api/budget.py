"""GET /v1/budget"""

from django.http import HttpResponse
from django.utils import timezone
from rest_framework.request import Request

from dpp_project.money import format_usd
from runs.api.answers import ApiView, json_response
from runs.api.auth import admit_reader
from runs.api.openapi import operations
from runs.spending import spending


class BudgetView(ApiView):
    @operations.GET_BUDGET
    def get(self, request: Request) -> HttpResponse:
        tenant = admit_reader(request._request)
        found = spending(tenant.pk, now=timezone.now())
        body = {
            "currency": "USD",
            "balance_usd": format_usd(found.available),
            "reserved_usd": format_usd(found.reserved),
            "spent_this_month_usd": format_usd(found.spent),
            "month": f"{found.month:%Y-%m}",
        }
        return json_response(body)
