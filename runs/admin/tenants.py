"""Tenants: their money in the books and in Redis, top-up, suspension, limits, new keys."""

from typing import Any
from uuid import uuid4

from django import forms
from django.contrib import admin
from django.http import HttpRequest
from django.utils import timezone
from django.utils.safestring import SafeString

from budget import ledger
from budget.exceptions import LedgerError
from budget.models import LedgerEntry
from budget.rebuild import rebuild
from dpp_project.money import ZERO, InvalidMoney, Micros, format_usd, parse_usd
from runs import keys
from runs.admin.action_page import ActionForm, ActionPage, Done, Refused
from runs.admin.charts import Series, stacked_bars
from runs.admin.parts import badge, list_url, micros, moment, usd
from runs.admin.record import RecordAdmin
from runs.admin.tenant_money import daily_spend, side_by_side
from runs.models import ApiKey, Run, Tenant

_LATEST = 20


class TopUpForm(ActionForm):
    amount_usd = forms.CharField(label="Amount in USD", help_text='"25.0000": at most four decimal places.')
    reference = forms.CharField(
        label="Reference",
        max_length=200,
        widget=forms.TextInput(attrs={"size": 50}),
        help_text="What this credit is for. A reference is credited once, however often the form is sent.",
    )
    field_order = ("amount_usd", "reference", "why")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # Made with the page: sending it twice credits once.
        self.fields["reference"].initial = f"admin:{uuid4()}"

    def clean_amount_usd(self) -> int:
        try:
            amount = parse_usd(self.cleaned_data["amount_usd"].strip())
        except InvalidMoney as error:
            raise forms.ValidationError(str(error)) from error
        if amount <= ZERO:
            raise forms.ValidationError("A top-up is a positive amount.")
        return amount


def _top_up(request: HttpRequest, tenant: Tenant, form: dict[str, Any]) -> Done:
    try:
        credited = ledger.top_up(tenant.pk, form["amount_usd"], reference=form["reference"], note=form["why"])
    except (LedgerError, ValueError) as error:
        raise Refused(str(error)) from error
    if not credited:
        raise Refused(f"Reference {form['reference']} has been credited before. Nothing was done.")
    return Done(f"Credited {usd(form['amount_usd'])} under reference {form['reference']}.")


def _set_status(tenant: Tenant, status: Tenant.Status, what: str) -> Done:
    if not Tenant.objects.exclude(status=status).filter(pk=tenant.pk).update(status=status):
        raise Refused(f"The tenant is {status} already.")
    return Done(what)


class LimitsForm(ActionForm):
    poll_rate_per_min = forms.IntegerField(label="Polls a minute", required=False, min_value=1)
    submit_rate_per_min = forms.IntegerField(label="Submits a minute", required=False, min_value=1)
    max_concurrent_runs = forms.IntegerField(label="Live runs at once", required=False, min_value=1)
    field_order = ("poll_rate_per_min", "submit_rate_per_min", "max_concurrent_runs", "why")


def _set_limits(request: HttpRequest, tenant: Tenant, form: dict[str, Any]) -> Done:
    limits = {name: form[name] for name in LimitsForm.field_order if name != "why"}
    Tenant.objects.filter(pk=tenant.pk).update(**limits)
    told = ", ".join(f"{name} {'default' if value is None else value}" for name, value in limits.items())
    return Done(f"Limits set: {told}.")


class KeyForm(ActionForm):
    label = forms.CharField(max_length=100, required=False, help_text="For whom or what this key is.")
    field_order = ("label", "why")


def _issue_key(request: HttpRequest, tenant: Tenant, form: dict[str, Any]) -> Done:
    key, text = keys.issue(tenant, label=form["label"])
    return Done(f"Issued the key {key.prefix}….", shown_once=text)


def _rebuild(request: HttpRequest, tenant: Tenant, form: dict[str, Any]) -> Done:
    try:
        result = rebuild(tenant.pk)
    except LedgerError as error:
        raise Refused(str(error)) from error
    return Done(f"Redis rebuilt from the books: {micros(result.before)} became {micros(result.after)}.")


_ACTIONS = (
    ActionPage("topup", "Top up", "budget.add_ledgerentry", TopUpForm, _top_up),
    ActionPage("issue-key", "Issue a key", "runs.add_apikey", KeyForm, _issue_key),
    ActionPage(
        name="limits",
        title="Set limits",
        permission="runs.change_tenant",
        form=LimitsForm,
        perform=_set_limits,
        explain="Empty means the platform's default. Works within five seconds.",
    ),
    ActionPage(
        name="rebuild",
        title="Rebuild Redis from the books",
        permission="runs.change_tenant",
        form=ActionForm,
        perform=_rebuild,
        explain="Exact at any moment, under load too; not one micro is lost or invented.",
    ),
    ActionPage(
        name="suspend",
        title="Suspend",
        permission="runs.change_tenant",
        form=ActionForm,
        perform=lambda request, tenant, form: _set_status(tenant, Tenant.Status.SUSPENDED, "Suspended."),
        explain="New runs are refused within five seconds. Reading and cancelling go on; running work is not stopped.",
        danger=True,
        offered=lambda tenant: tenant.status == Tenant.Status.ACTIVE,
    ),
    ActionPage(
        name="resume",
        title="Resume",
        permission="runs.change_tenant",
        form=ActionForm,
        perform=lambda request, tenant, form: _set_status(tenant, Tenant.Status.ACTIVE, "Active again."),
        offered=lambda tenant: tenant.status == Tenant.Status.SUSPENDED,
    ),
)


@admin.register(Tenant)
class TenantAdmin(RecordAdmin):
    action_pages = _ACTIONS
    page_template = "operate/tenant.html"
    list_display = ("tenant_id", "display_name", "state", "available", "created")
    list_filter = ("status",)
    list_select_related = ("balance",)
    search_fields = ("tenant_id__startswith",)
    search_help_text = "The beginning of a tenant's id."
    ordering = ("tenant_id",)

    def story(self, request: HttpRequest, tenant: Tenant) -> dict[str, Any]:
        money = side_by_side(tenant.pk)
        spend = daily_spend(tenant.pk, now=timezone.now())
        bars = Series("charged, by day of submit", "busy", [amount for _, amount in spend])
        return {
            "tenant": tenant,
            "badges": [badge(tenant.status)],
            "money": money,
            "rows": [
                ("available", usd(money.available), usd(money.redis_available)),
                ("held by live runs", usd(money.held), usd(money.redis_held)),
                ("sum of the journal", usd(money.journal_sum), ""),
            ],
            "spend_plot": stacked_bars(
                [day for day, _ in spend], [bars], told=lambda value: format_usd(Micros(int(value)))
            ),
            "spent": usd(sum(amount for _, amount in spend)),
            "keys": ApiKey.objects.filter(tenant=tenant).order_by("-created_at")[:_LATEST],
            "entries": [
                (entry, usd(entry.amount_usd_micros), moment(entry.created_at))
                for entry in LedgerEntry.objects.filter(tenant=tenant).order_by("-created_at")[:_LATEST]
            ],
            "runs_url": list_url(Run, q=tenant.pk),
            "journal_url": list_url(LedgerEntry, q=tenant.pk),
        }

    @admin.display(description="status")
    def state(self, tenant: Tenant) -> SafeString:
        return badge(tenant.status)

    @admin.display(description="available")
    def available(self, tenant: Tenant) -> str:
        return usd(tenant.balance.available_usd_micros) if hasattr(tenant, "balance") else "–"

    @admin.display(description="created")
    def created(self, tenant: Tenant) -> SafeString | str:
        return moment(tenant.created_at)
