"""GET /v1/budget"""

from rest_framework.request import Request
from rest_framework.response import Response

from dpp_project import clock
from runs.api.api_view import ApiView, tenant_of
from runs.api.openapi import operations
from runs.api.serializers.service import BUDGET
from runs.reports.spending import spending


class BudgetView(ApiView):
    @operations.GET_BUDGET
    def get(self, request: Request) -> Response:
        found = spending(tenant_of(request).pk, now=clock.now())
        values = {
            "available": found.available,
            "reserved": found.reserved,
            "spent": found.spent,
            "month": f"{found.month:%Y-%m}",
        }
        return Response(BUDGET.to_representation(values))
