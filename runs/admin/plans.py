"""Plans: made and changed with a reason; what a tenant's plan says, in words."""

from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.core.exceptions import ValidationError
from django.db.models import Count, Model, QuerySet
from django.http import HttpRequest

from dpp_project.money import InvalidMoney, Micros, format_usd, parse_usd
from runs.access import plans
from runs.access.plans import PlanTerms
from runs.admin import action_log
from runs.admin.action_page import why_field
from runs.admin.display import ReadOnlyAdmin, usd
from runs.models import Plan


def shown_terms(terms: PlanTerms) -> list[tuple[str, str]]:
    return [
        ("polls a minute", str(terms.poll_rate_per_min)),
        ("submits a minute", str(terms.submit_rate_per_min)),
        ("live runs at once", str(terms.max_concurrent_runs)),
        ("days results are kept", str(terms.retention_days)),
        ("balance is low below", usd(terms.budget_alert)),
    ]


class PlanForm(forms.ModelForm):  # type: ignore[type-arg]  # generic for the type checker only
    budget_alert_usd = forms.CharField(
        label="Balance is low below, in USD", required=False, help_text="0: never. Empty: the platform's default."
    )
    why = why_field()

    class Meta:
        model = Plan
        fields = ("name", "poll_rate_per_min", "submit_rate_per_min", "max_concurrent_runs", "retention_days")
        widgets = {"name": forms.TextInput(attrs={"size": 40})}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        alert = self.instance.budget_alert_usd_micros
        self.fields["budget_alert_usd"].initial = "" if alert is None else format_usd(Micros(alert))

    def clean_budget_alert_usd(self) -> Micros | None:
        text = self.cleaned_data["budget_alert_usd"].strip()
        try:
            return parse_usd(text) if text else None
        except InvalidMoney as error:
            raise ValidationError(str(error)) from error

    def save(self, commit: bool = True) -> Plan:
        self.instance.budget_alert_usd_micros = self.cleaned_data["budget_alert_usd"]
        plan: Plan = super().save(commit)
        return plan


@admin.register(Plan)
class PlanAdmin(ReadOnlyAdmin):
    form = PlanForm
    fields = (*PlanForm.Meta.fields, "budget_alert_usd", "why")
    list_display = ("name", "terms", "tenants_on_it")
    ordering = ("name",)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("runs.add_plan")

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return request.user.has_perm("runs.change_plan")

    def get_readonly_fields(self, request: HttpRequest, obj: Model | None = None) -> tuple[str, ...]:
        # The name is what tenants are put on it by.
        return ("name",) if obj else ()

    def get_queryset(self, request: HttpRequest) -> "QuerySet[Plan]":
        plans_of_all: QuerySet[Plan] = super().get_queryset(request)
        return plans_of_all.annotate(number_of_tenants=Count("tenants"))

    def log_addition(self, request: HttpRequest, obj: Plan, message: Any) -> LogEntry:
        return self._record(request, obj, "made")

    def log_change(self, request: HttpRequest, obj: Plan, message: Any) -> LogEntry:
        return self._record(request, obj, "changed")

    def _record(self, request: HttpRequest, plan: Plan, what: str) -> LogEntry:
        shown = ", ".join(f"{name} {value}" for name, value in shown_terms(plans.terms(plan)))
        return action_log.record(request, plan, f"The plan was {what}: {shown}.", request.POST["why"].strip())

    @admin.display(description="what it says; numbers it does not have are the platform's")
    def terms(self, plan: Plan) -> str:
        return ", ".join(f"{name} {value}" for name, value in shown_terms(plans.terms(plan)))

    @admin.display(description="tenants")
    def tenants_on_it(self, plan: Plan) -> int:
        return int(plan.number_of_tenants)  # type: ignore[attr-defined]  # annotated above
