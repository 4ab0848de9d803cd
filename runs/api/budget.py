"""GET /v1/budget"""

from rest_framework.request import Request
from rest_framework.response import Response

from dpp_project import clock
from runs.access import plans
from runs.api.api_view import ApiView, tenant_of
from runs.api.openapi import operations
from runs.api.serializers.service import BUDGET
from runs.reports.spending import spending


class BudgetView(ApiView):
    @operations.GET_BUDGET
    def get(self, request: Request) -> Response:
        tenant = tenant_of(request)
        found, terms = spending(tenant.pk, now=clock.now()), plans.terms_of(tenant)
        values = {
            "available": found.available,
            "reserved": found.reserved,
            "spent": found.spent,
            "month": f"{found.month:%Y-%m}",
            "plan": vars(terms),
            "is_low": terms.is_low(found.available),
        }
        return Response(BUDGET.to_representation(values))
