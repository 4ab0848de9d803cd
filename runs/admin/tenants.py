"""Tenants: their money in the books and in Redis, top-up, suspension, plan, new keys."""

from datetime import timedelta
from typing import Any
from uuid import uuid4

from django import forms
from django.conf import settings
from django.contrib import admin
from django.contrib.auth.models import User
from django.db.models import QuerySet, Sum
from django.http import HttpRequest
from django.utils import timezone
from django.utils.safestring import SafeString

from budget import books, ledger
from budget.exceptions import LedgerError
from budget.models import BookFinding, EntryKind, LedgerEntry
from budget.rebuild import rebuild
from dpp_project.money import ZERO, InvalidMoney, Micros, format_usd, parse_usd
from packs.registry import PACKS
from runs.access import api_keys, key_budgets, plans
from runs.access.key_budgets import Limits
from runs.access.key_restrictions import BadRestriction, Restrictions
from runs.admin.action_log import who
from runs.admin.action_page import ActionForm, ActionPage, ActionRefused, ActionResult
from runs.admin.charts import Series, stacked_bars
from runs.admin.display import badge, list_url, micros, moment, usd
from runs.admin.plans import shown_terms
from runs.admin.record_page import RecordAdmin
from runs.admin.tenant_money import by_runs, daily_spend, side_by_side
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


def _credited_lately(signed: str) -> int:
    """What this person has credited in 24 hours. Their name is the end of the note, which they do not write."""
    since = timezone.now() - timedelta(hours=24)
    credits = LedgerEntry.objects.filter(kind=EntryKind.CREDIT, created_at__gt=since, note__endswith=signed)
    return int(credits.aggregate(total=Sum("amount_usd_micros"))["total"] or 0)


def _top_up(request: HttpRequest, tenant: Tenant, form: dict[str, Any]) -> ActionResult:
    signed = f" [{who(request)}]"
    # One at a time per person, or two at once would both find the limit untouched.
    User.objects.select_for_update().get(username=who(request))
    left = settings.ADMIN_TOPUP_MAX - _credited_lately(signed)
    if form["amount_usd"] > left:
        raise ActionRefused(
            f"You may credit {usd(max(ZERO, left))} more within 24 hours. Larger amounts: `manage.py topup`."
        )
    try:
        credited = ledger.top_up(tenant.pk, form["amount_usd"], reference=form["reference"], note=form["why"] + signed)
    except (LedgerError, ValueError) as error:
        raise ActionRefused(str(error)) from error
    if not credited:
        raise ActionRefused(f"Reference {form['reference']} has been credited before. Nothing was done.")
    return ActionResult(f"Credited {usd(form['amount_usd'])} under reference {form['reference']}.")


def _set_status(tenant: Tenant, status: Tenant.Status, what: str) -> ActionResult:
    if not Tenant.objects.exclude(status=status).filter(pk=tenant.pk).update(status=status):
        raise ActionRefused(f"The tenant is {status} already.")
    return ActionResult(what)


def _plan_choices() -> list[tuple[str, str]]:
    return [(name, name) for name in plans.names()]


class PlanForm(ActionForm):
    plan = forms.ChoiceField(choices=_plan_choices)
    field_order = ("plan", "why")


def _set_plan(request: HttpRequest, tenant: Tenant, form: dict[str, Any]) -> ActionResult:
    before = plans.terms_of(tenant).name
    plans.assign(tenant, form["plan"])
    return ActionResult(f"Plan {before} became {form['plan']}.")


class KeyForm(ActionForm):
    label = forms.CharField(max_length=100, required=False, help_text="For whom or what this key is.")
    packs = forms.MultipleChoiceField(
        choices=[(name, name) for name in sorted(PACKS)], required=False, help_text="None chosen: all packs."
    )
    read_only = forms.BooleanField(label="Only reads", required=False, help_text="It neither submits nor cancels.")
    networks = forms.CharField(
        label="Only from",
        required=False,
        max_length=1_000,
        help_text="Networks, separated by commas: 203.0.113.0/24, 2001:db8::/48. Empty: from everywhere.",
    )
    expires_in_days = forms.IntegerField(required=False, min_value=1, max_value=3_650)
    max_total_usd = forms.CharField(label="Spends in all, in USD", required=False, help_text="Empty: no limit.")
    max_per_run_usd = forms.CharField(label="On one run, in USD", required=False, help_text="Empty: no limit.")
    may_create_keys = forms.BooleanField(
        label="Makes keys", required=False, help_text="By POST /v1/keys, which may do and spend at most what it may."
    )
    field_order = (
        *("label", "packs", "read_only", "networks", "expires_in_days"),
        *("max_total_usd", "max_per_run_usd", "may_create_keys", "why"),
    )

    def clean_max_total_usd(self) -> Micros | None:
        return _limit(self.cleaned_data["max_total_usd"])

    def clean_max_per_run_usd(self) -> Micros | None:
        return _limit(self.cleaned_data["max_per_run_usd"])

    def clean(self) -> dict[str, Any]:
        form = super().clean() or {}
        networks = [text for text in form.get("networks", "").split(",") if text.strip()]
        try:
            form["restrictions"] = Restrictions.read(
                packs=form.get("packs", ()), read_only=form.get("read_only", False), networks=networks
            )
        except BadRestriction as error:
            raise forms.ValidationError(str(error)) from error
        if form.get("read_only") and form.get("may_create_keys"):
            raise forms.ValidationError("A key that only reads makes no keys.")
        return form


def _limit(text: str) -> Micros | None:
    if not text.strip():
        return None
    try:
        amount = parse_usd(text.strip())
    except InvalidMoney as error:
        raise forms.ValidationError(str(error)) from error
    if amount <= ZERO:
        raise forms.ValidationError("A limit is more than nothing.")
    return amount


def _issue_key(request: HttpRequest, tenant: Tenant, form: dict[str, Any]) -> ActionResult:
    days = form["expires_in_days"]
    expires_at = timezone.now() + timedelta(days=days) if days else None
    restrictions: Restrictions = form["restrictions"]
    limits = Limits(form["max_total_usd"], form["max_per_run_usd"])
    key, text = api_keys.issue(
        tenant,
        label=form["label"],
        expires_at=expires_at,
        restrictions=restrictions,
        limits=limits,
        may_create_keys=form["may_create_keys"],
    )
    shown = "; ".join(part for part in (restrictions.shown(), _shown_limits(limits, form["may_create_keys"])) if part)
    return ActionResult(f"Issued the key {key.prefix}…{f' ({shown})' if shown else ''}.", shown_once=text)


def _shown_limits(limits: Limits, may_create_keys: bool) -> str:
    parts = [
        f"at most {usd(limits.max_total)} in all" if limits.max_total is not None else "",
        f"at most {usd(limits.max_per_run)} on a run" if limits.max_per_run is not None else "",
        "makes keys" if may_create_keys else "",
    ]
    return "; ".join(part for part in parts if part)


def _rebuild(request: HttpRequest, tenant: Tenant, form: dict[str, Any]) -> ActionResult:
    try:
        result = rebuild(tenant.pk)
    except LedgerError as error:
        raise ActionRefused(str(error)) from error
    return ActionResult(f"Redis rebuilt from the books: {micros(result.before)} became {micros(result.after)}.")


class SettleBooksForm(ActionForm):
    follow_journal = forms.BooleanField(
        label="Set the balance row to the journal",
        required=False,
        help_text="And the budgets of keys to what their runs say. Otherwise they stay as they are. "
        "Redis follows the journal in both cases.",
    )
    field_order = ("follow_journal", "why")


def _settle_books(request: HttpRequest, tenant: Tenant, form: dict[str, Any]) -> ActionResult:
    follow = form["follow_journal"]
    try:
        settled = books.settle(tenant.pk, by=who(request), why=form["why"], follow_journal=follow)
    except (LedgerError, ValueError) as error:
        raise ActionRefused(str(error)) from error
    if follow:
        key_budgets.recount(tenant.pk)
    row = "The balance row follows the journal." if follow else "The balance row stays."
    return ActionResult(f"{settled} findings settled; the tenant may spend again. {row}")


def _is_frozen(tenant: Tenant) -> bool:
    return hasattr(tenant, "balance") and tenant.balance.frozen_at is not None


_ACTIONS = (
    ActionPage(
        name="settle-books",
        title="Settle the books",
        permission="budget.add_ledgerentry",
        form=SettleBooksForm,
        perform=_settle_books,
        explain="For a tenant whose books disagree, once you know why. Its findings are settled, the chain is believed"
        " as it stands, and the tenant may spend again.",
        danger=True,
        offered=lambda tenant: _is_frozen(tenant) or _findings(tenant).exists(),
    ),
    ActionPage("topup", "Top up", "budget.add_ledgerentry", TopUpForm, _top_up),
    ActionPage("issue-key", "Issue a key", "runs.add_apikey", KeyForm, _issue_key),
    ActionPage(
        name="plan",
        title="Set the plan",
        permission="runs.change_tenant",
        form=PlanForm,
        perform=_set_plan,
        explain="Limits work within five seconds. Results of runs that were accepted before are kept as long as was"
        " promised then.",
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


def _findings(tenant: Tenant) -> QuerySet[BookFinding]:
    return BookFinding.objects.filter(tenant=tenant, settled_at__isnull=True).order_by("id")


@admin.register(Tenant)
class TenantAdmin(RecordAdmin):
    action_pages = _ACTIONS
    page_template = "operate/tenant.html"
    list_display = ("tenant_id", "display_name", "state", "plan_name", "available", "created")
    list_filter = ("status", "plan")
    list_select_related = ("balance", "plan")
    search_fields = ("tenant_id__startswith",)
    search_help_text = "The beginning of a tenant's id."
    ordering = ("tenant_id",)

    def page_context(self, request: HttpRequest, tenant: Tenant) -> dict[str, Any]:
        money = side_by_side(tenant.pk)
        findings = list(_findings(tenant)[:_LATEST])
        # What all of a tenant's runs add up to is only worth reading when the other sources disagree.
        runs_available, runs_held = by_runs(tenant.pk) if findings else (None, None)
        spend = daily_spend(tenant.pk, now=timezone.now())
        bars = Series("charged, by day of submit", "busy", [amount for _, amount in spend])
        return {
            "tenant": tenant,
            "plan": shown_terms(plans.terms_of(tenant)),
            "plan_name": plans.terms_of(tenant).name,
            "badges": [badge(tenant.status), *([badge("FROZEN")] if _is_frozen(tenant) else [])],
            "findings": [(finding, moment(finding.found_at)) for finding in findings],
            "money": money,
            "rows": [
                (
                    "available",
                    [usd(of) for of in (money.journal_sum, money.available, runs_available, money.redis_available)],
                ),
                ("held by live runs", [usd(money.held), "", usd(runs_held), usd(money.redis_held)]),
            ],
            "spend_plot": stacked_bars(
                [day for day, _ in spend], [bars], label_of=lambda value: format_usd(Micros(int(value)))
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

    @admin.display(description="plan")
    def plan_name(self, tenant: Tenant) -> str:
        return plans.terms_of(tenant).name

    @admin.display(description="available")
    def available(self, tenant: Tenant) -> str:
        return usd(tenant.balance.available_usd_micros) if hasattr(tenant, "balance") else "–"

    @admin.display(description="created")
    def created(self, tenant: Tenant) -> SafeString | str:
        return moment(tenant.created_at)
