"""Lists to read: the journal, findings, the runs' transitions, damaged results, dead letters, the trail of actions."""

from typing import Any
from uuid import UUID

from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.safestring import SafeString

from budget.models import BookFinding, EntryKind, LedgerEntry
from runs.access import poll_cost
from runs.admin.display import ReadOnlyAdmin, change_url, micros, moment, usd
from runs.models import DeadLetter, RunTransition
from storage.models import DamagedObject


@admin.register(LedgerEntry)
class LedgerEntryAdmin(ReadOnlyAdmin):
    list_display = ("id", "at", "tenant_id", "kind", "amount", "exact", "run_id", "reference", "note")
    fields = ("at", "tenant", "run", "kind", "amount", "exact", "reference", "note")
    readonly_fields = fields
    list_filter = ("kind",)
    search_fields = ("reference",)
    search_help_text = "A tenant's id, a run's id, or a reference, exactly."
    sortable_by = ()

    def get_ordering(self, request: HttpRequest) -> tuple[str, ...]:
        # A tenant's entries lie in the index by time; all entries by their number.
        return ("-created_at",) if request.GET.get("q") else ("-id",)

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        term = search_term.strip()
        if not term:
            return queryset, False
        try:
            run_id = UUID(term)
        except ValueError:
            return queryset.filter(Q(tenant_id=term) | Q(reference=term)), False
        # One partial index a kind.
        of_run = Q(run_id=run_id, kind=EntryKind.RESERVE) | Q(
            run_id=run_id, kind__in=[EntryKind.SETTLE, EntryKind.REFUND]
        )
        return queryset.filter(of_run | Q(reference__startswith=poll_cost.reference_prefix(run_id))), False

    @admin.display(description="at")
    def at(self, entry: LedgerEntry) -> SafeString | str:
        return moment(entry.created_at)

    @admin.display(description="amount")
    def amount(self, entry: LedgerEntry) -> str:
        return usd(entry.amount_usd_micros)

    @admin.display(description="exact")
    def exact(self, entry: LedgerEntry) -> str:
        return micros(entry.amount_usd_micros)


@admin.register(BookFinding)
class BookFindingAdmin(ReadOnlyAdmin):
    list_display = ("id", "found", "tenant_link", "invariant", "subject", "wrong", "freezes", "settled", "settled_by")
    list_filter = (("settled_at", admin.EmptyFieldListFilter), "invariant")
    list_display_links = None
    search_fields = ("tenant_id__exact",)
    search_help_text = "A tenant's id, exactly."
    ordering = ("-id",)

    @admin.display(description="found")
    def found(self, finding: BookFinding) -> SafeString | str:
        return moment(finding.found_at)

    @admin.display(description="tenant")
    def tenant_link(self, finding: BookFinding) -> SafeString:
        """Its page shows the sources side by side, and settles."""
        return format_html('<a href="{}">{}</a>', change_url(finding.tenant), finding.tenant_id)

    @admin.display(description="settled")
    def settled(self, finding: BookFinding) -> SafeString | str:
        return moment(finding.settled_at)


@admin.register(RunTransition)
class RunTransitionAdmin(ReadOnlyAdmin):
    list_display = ("id", "when", "run_id", "actor", "from_status", "to_status", "to_money", "stage", "reason_code")
    search_fields = ("run_id",)
    search_help_text = "A run's id."
    sortable_by = ()

    def get_ordering(self, request: HttpRequest) -> tuple[str, ...]:
        return ("version_after",) if request.GET.get("q") else ("-id",)

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        if not search_term.strip():
            return queryset, False
        try:
            return queryset.filter(run_id=UUID(search_term.strip())), False
        except ValueError:
            return queryset.none(), False

    @admin.display(description="at")
    def when(self, transition: RunTransition) -> SafeString | str:
        return moment(transition.at)

    @admin.display(description="stage")
    def stage(self, transition: RunTransition) -> str:
        return transition.finalize_stage or ""


@admin.register(DamagedObject)
class DamagedObjectAdmin(ReadOnlyAdmin):
    list_display = ("found", "problem", "run_link", "tenant", "name", "key", "checked")
    list_display_links = None
    list_select_related = ("stored__run",)
    list_filter = ("problem",)
    ordering = ("-found_at",)

    @admin.display(description="found")
    def found(self, damaged: DamagedObject) -> SafeString | str:
        return moment(damaged.found_at)

    @admin.display(description="run")
    def run_link(self, damaged: DamagedObject) -> SafeString:
        return format_html('<a href="{}">{}</a>', change_url(damaged.stored.run), damaged.stored.run_id)

    @admin.display(description="tenant")
    def tenant(self, damaged: DamagedObject) -> str:
        return damaged.stored.run.tenant_id

    @admin.display(description="object")
    def name(self, damaged: DamagedObject) -> str:
        return damaged.stored.name

    @admin.display(description="key")
    def key(self, damaged: DamagedObject) -> str:
        return damaged.stored.key

    @admin.display(description="last looked at")
    def checked(self, damaged: DamagedObject) -> SafeString | str:
        return moment(damaged.checked_at)


@admin.register(DeadLetter)
class DeadLetterAdmin(ReadOnlyAdmin):
    list_display = ("message_id", "problem", "received_at", "requeued_at")
    ordering = ("-id",)


@admin.register(LogEntry)
class LogEntryAdmin(ReadOnlyAdmin):
    list_display = ("action_time", "user", "content_type", "object_repr", "change_message")
    list_select_related = ("user", "content_type")
    list_filter = ("content_type",)
    search_fields = ("object_id__exact", "user__username__exact")
    search_help_text = "An object's id or a user's name, exactly."
    ordering = ("-action_time",)
