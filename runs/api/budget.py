"""GET /v1/budget"""

from rest_framework.request import Request
from rest_framework.response import Response

from dpp_project import clock
from runs.access import key_budgets, plans
from runs.api.api_view import ApiView, key_of, tenant_of
from runs.api.openapi import operations
from runs.api.serializers.key import budget_values
from runs.api.serializers.service import BUDGET
from runs.models import KeyBudget
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
        budget_id = key_of(request).budget_id
        if budget_id is not None:
            budget = KeyBudget.objects.get(pk=budget_id)
            values["key"] = budget_values(budget, key_budgets.left_of([budget])[budget_id])
        return Response(BUDGET.to_representation(values))
