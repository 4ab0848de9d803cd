"""Runs: found by id, tenant or trace; read, never written. Their page is the run's story."""

from datetime import timedelta
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from dpp_project.money import InvalidMoney, parse_usd
from packs.registry import PACKS
from runs.admin import action_log, run_history
from runs.admin.action_page import ActionForm, ActionPage, ActionRefused, ActionResult
from runs.admin.display import badge, lasting, micros, moment, usd
from runs.admin.record_page import RecordAdmin
from runs.exceptions import LostRace, OutcomeUnknown, RunNotCancellable
from runs.lifecycle import disputes
from runs.lifecycle.cancel import cancel
from runs.models import Run, Tenant
from runs.states import LIVE, Actor, MoneyState, Reason, Status
from storage import store
from storage.models import StoredObject


class CreatedFilter(admin.SimpleListFilter):
    """Without any word the last week: what the index of ages answers at once, whatever else is asked for."""

    title = "created"
    parameter_name = "created"
    _SPANS = {"1h": timedelta(hours=1), "24h": timedelta(hours=24), "7d": timedelta(days=7)}

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("1h", "last hour"), ("24h", "last 24 hours"), ("any", "any time")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Run]) -> QuerySet[Run]:
        # What people search for by name, and what still lives, is found by other indexes, however old it is.
        named = request.GET.get("q") or request.GET.get("status__exact") in LIVE
        default = "any" if named or request.GET.get("money_state__exact") == MoneyState.DISPUTED else "7d"
        span = self._SPANS.get(self.value() or default)
        return queryset if span is None else queryset.filter(created_at__gte=timezone.now() - span)

    def choices(self, changelist: Any) -> Any:
        first, *others = super().choices(changelist)
        yield {**first, "display": "last 7 days"}
        yield from others


class PackFilter(admin.SimpleListFilter):
    title = "pack"
    parameter_name = "pack_type"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        # From the registry: asking the table for its distinct values would read it.
        return [(name, name) for name in sorted(PACKS)]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Run]) -> QuerySet[Run]:
        return queryset.filter(pack_type=self.value()) if self.value() else queryset


class ReasonFilter(admin.SimpleListFilter):
    title = "reason"
    parameter_name = "reason"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(reason, reason) for reason in Reason.values]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Run]) -> QuerySet[Run]:
        return queryset.filter(last_error_reason_code=self.value()) if self.value() else queryset


class ResolveForm(ActionForm):
    charge_usd = forms.CharField(
        label="Charge in USD", required=False, help_text='"0.0500"; empty refunds the whole reservation.'
    )
    field_order = ("charge_usd", "why")


def _resolve(request: HttpRequest, run: Run, form: dict[str, Any]) -> ActionResult:
    try:
        charge = parse_usd(form["charge_usd"]) if form["charge_usd"] else None
        if charge is not None and charge > run.reservation_max_cost_usd_micros:
            raise ActionRefused(f"The charge is above the reservation of {usd(run.reservation_max_cost_usd_micros)}.")
        disputes.resolve(run, charge=charge, reason=form["why"])
    except (InvalidMoney, disputes.NotDisputed, LostRace) as error:
        raise ActionRefused(str(error)) from error
    return ActionResult(f"Dispute resolved: {'all refunded' if charge is None else f'{usd(charge)} charged'}.")


def _cancel(request: HttpRequest, run: Run, form: dict[str, Any]) -> ActionResult:
    try:
        ended = cancel(run, actor=Actor.ADMIN)
    except (RunNotCancellable, OutcomeUnknown) as error:
        raise ActionRefused(
            "The run has ended, or is ending, or the database did not answer: look at it again."
        ) from error
    if ended.status == Status.PROCESSING:
        return ActionResult("Asked the worker to stop at its next step; the tenant pays the minimum fee.")
    return ActionResult("Cancelled before it started; nothing was charged.")


_ACTIONS = (
    ActionPage(
        name="cancel",
        title="Cancel the run",
        permission="runs.cancel_run",
        form=ActionForm,
        perform=_cancel,
        explain="A queued run ends at once, for nothing; a running one ends at its next step, for the minimum fee.",
        danger=True,
        offered=lambda run: run.status in LIVE and run.finalize_stage is None and run.cancel_requested_at is None,
        commits_itself=True,
    ),
    ActionPage(
        name="resolve",
        title="Resolve the dispute",
        permission="runs.change_run",
        form=ResolveForm,
        perform=_resolve,
        explain="The books follow what you decide here, and Redis is rebuilt from them.",
        danger=True,
        offered=lambda run: run.money_state == MoneyState.DISPUTED,
    ),
)


@admin.register(Run)
class RunAdmin(RecordAdmin):
    action_pages = _ACTIONS
    page_template = "operate/run.html"
    list_display = ("short_id", "tenant_id", "pack_type", "state", "money", "reserved", "charged", "reason", "created")
    list_filter = ("status", "money_state", PackFilter, ReasonFilter, CreatedFilter)
    search_fields = ("run_id",)  # `get_search_results` decides; this shows the box
    search_help_text = "A run's id, a tenant's id, or a trace id, exactly."
    ordering = ("-created_at",)
    sortable_by = ()

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        """Exactly one of three indexes: a search for parts of words would read every run there is."""
        term = search_term.strip()
        if not term:
            return queryset, False
        try:
            return queryset.filter(pk=UUID(term)), False
        except ValueError:
            pass
        if Tenant.objects.filter(pk=term).exists():
            return queryset.filter(tenant_id=term), False
        return queryset.filter(trace_id=term), False

    def get_urls(self) -> list[URLPattern]:
        opened = path(
            "<uuid:run_id>/object/<int:object_id>/",
            self.admin_site.admin_view(self._open_object),
            name="runs_run_object",
        )
        return [opened, *super().get_urls()]

    def page_context(self, request: HttpRequest, run: Run) -> dict[str, Any]:
        return {
            "run": run,
            "facts": _facts(run),
            "steps": run_history.steps(run),
            "movements": [
                (entry, usd(entry.amount_usd_micros), micros(entry.amount_usd_micros))
                for entry in run_history.movements(run)
            ],
            "in_redis": run_history.in_redis(run),
            "objects": StoredObject.objects.filter(run=run).order_by("id"),
            "may_open": request.user.has_perm("storage.view_storedobject"),
            "badges": [badge(run.status), badge(run.money_state)],
        }

    def _open_object(self, request: HttpRequest, run_id: UUID, object_id: int) -> HttpResponse:
        """A customer's result: opening it is an action, and leaves its entry in the trail."""
        if not request.user.has_perm("storage.view_storedobject"):
            raise PermissionDenied
        stored = get_object_or_404(StoredObject.objects.select_related("run"), pk=object_id, run_id=run_id)
        action_log.record(request, stored.run, f"Opened the object {stored.name}.", "link on the run's page")
        return HttpResponseRedirect(store.presigned_url(stored.key, bucket=stored.run.result_bucket))

    @admin.display(description="run")
    def short_id(self, run: Run) -> SafeString:
        return format_html("<code>{}</code>", str(run.pk)[:13])

    @admin.display(description="status")
    def state(self, run: Run) -> SafeString:
        return badge(run.status)

    @admin.display(description="money")
    def money(self, run: Run) -> SafeString:
        return badge(run.money_state)

    @admin.display(description="reserved")
    def reserved(self, run: Run) -> str:
        return usd(run.reservation_max_cost_usd_micros)

    @admin.display(description="charged")
    def charged(self, run: Run) -> str:
        return usd(run.actual_cost_usd_micros)

    @admin.display(description="reason")
    def reason(self, run: Run) -> str:
        return run.last_error_reason_code or ""

    @admin.display(description="created")
    def created(self, run: Run) -> SafeString | str:
        return moment(run.created_at)


def _facts(run: Run) -> list[tuple[str, list[tuple[str, Any]]]]:
    """The row, grouped as people ask about it."""
    lease_left = (run.lease_expires_at - timezone.now()).total_seconds() if run.lease_expires_at else 0
    return [
        (
            "Request",
            [
                ("tenant", _tenant_link(run)),
                ("pack", run.pack_type),
                ("trace", format_html("<code>{}</code>", run.trace_id)),
                ("idempotency key", format_html("<code>{}</code>", run.idempotency_key)),
                ("timebox", f"{run.timebox_sec} s"),
                ("created", moment(run.created_at)),
                ("kept until", moment(run.retention_until)),
            ],
        ),
        (
            "Money",
            [
                ("reserved", usd(run.reservation_max_cost_usd_micros)),
                ("charged", usd(run.actual_cost_usd_micros)),
                ("minimum fee", usd(run.minimum_fee_usd_micros)),
                ("tokens", f"{run.tokens_consumed:,}"),
            ],
        ),
        (
            "Work",
            [
                ("progress", f"{run.progress:.0%}"),
                ("version", run.version),
                ("finalize stage", run.finalize_stage or "–"),
                ("lease", _lease(run, lease_left)),
                ("cancel asked", moment(run.cancel_requested_at)),
                ("sent again", moment(run.last_resent_at)),
                ("updated", moment(run.updated_at)),
            ],
        ),
    ]


def _lease(run: Run, seconds_left: float) -> str:
    if run.status not in LIVE or not run.lease_expires_at:
        return "–"
    return f"expires in {lasting(seconds_left)}" if seconds_left > 0 else f"expired {lasting(-seconds_left)} ago"


def _tenant_link(run: Model) -> SafeString:
    tenant_id = run.tenant_id  # type: ignore[attr-defined]
    return format_html('<a href="{}">{}</a>', reverse("admin:runs_tenant_change", args=[tenant_id]), tenant_id)
