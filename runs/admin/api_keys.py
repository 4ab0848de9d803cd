"""API keys: their text is shown once, when they are made; afterwards they can be replaced or revoked."""

from datetime import timedelta
from typing import Any

from django import forms
from django.contrib import admin
from django.http import HttpRequest
from django.utils.safestring import SafeString

from dpp_project import clock
from runs.access import api_keys, key_budgets
from runs.access.key_restrictions import Restrictions
from runs.admin.action_page import ActionForm, ActionPage, ActionRefused, ActionResult
from runs.admin.display import badge, micros, moment, usd
from runs.admin.record_page import RecordAdmin
from runs.models import ApiKey


class RotateForm(ActionForm):
    overlap_hours = forms.IntegerField(
        label="Overlap in hours",
        initial=24,
        min_value=0,
        max_value=24 * 30,
        help_text="For this long the old key works beside the new one.",
    )
    field_order = ("overlap_hours", "why")


def _rotate(request: HttpRequest, key: ApiKey, form: dict[str, Any]) -> ActionResult:
    if key.status != ApiKey.Status.ACTIVE:
        raise ActionRefused("A revoked key cannot be rotated; issue a new one on the tenant's page.")
    fresh, text = api_keys.rotate(key, overlap=timedelta(hours=form["overlap_hours"]), now=clock.now())
    return ActionResult(
        f"Rotated: {fresh.prefix}… follows {key.prefix}…, which ends in {form['overlap_hours']} h.", text
    )


def _revoke(request: HttpRequest, key: ApiKey, form: dict[str, Any]) -> ActionResult:
    if not api_keys.revoke(key):
        raise ActionRefused("The key was revoked before.")
    return ActionResult(f"Revoked the key {key.prefix}….")


def _is_active(key: ApiKey) -> bool:
    return key.status == ApiKey.Status.ACTIVE


_ACTIONS = (
    ActionPage(
        name="rotate",
        title="Rotate",
        permission="runs.change_apikey",
        form=RotateForm,
        perform=_rotate,
        explain="Makes a new key for the same tenant. Its text is shown once, on the next page.",
        offered=_is_active,
    ),
    ActionPage(
        name="revoke",
        title="Revoke",
        permission="runs.change_apikey",
        form=ActionForm,
        perform=_revoke,
        explain="Refused everywhere within five seconds. This cannot be undone.",
        danger=True,
        offered=_is_active,
    ),
)


@admin.register(ApiKey)
class ApiKeyAdmin(RecordAdmin):
    action_pages = _ACTIONS
    list_display = (
        *("prefix", "tenant_id", "label", "state", "restrictions", "spent_and_held"),
        *("created", "expires", "last_used"),
    )
    fields = (
        *("prefix", "tenant", "label", "state", "restrictions", "may_create_keys", "parent", "limits"),
        *("spent_and_held", "created", "expires", "last_used"),
    )
    readonly_fields = fields
    list_select_related = ("budget",)
    list_filter = ("status",)
    search_fields = ("tenant__tenant_id__exact", "prefix__startswith")
    search_help_text = "A tenant's id, or the beginning of a key."
    ordering = ("-created_at",)
    change_form_template = "operate/record.html"

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        # A filter in the address would tell a hash, character by character.
        return not lookup.startswith("key_hash") and super().lookup_allowed(lookup, value, request)

    @admin.display(description="status")
    def state(self, key: ApiKey) -> SafeString:
        return badge(key.status)

    @admin.display(description="may only")
    def restrictions(self, key: ApiKey) -> str:
        return Restrictions.of(key).shown() or "–"

    @admin.display(description="may spend")
    def limits(self, key: ApiKey) -> str:
        if key.budget is None:
            return "what its tenant can pay"
        left = key_budgets.left(key.budget.pk)
        parts = {
            "in all": key.budget.max_total_usd_micros,
            "on a run": key.budget.max_per_run_usd_micros,
            "left, with the limits above it": left.total,
        }
        return "; ".join(f"{name} {usd(amount)}" for name, amount in parts.items() if amount is not None)

    @admin.display(description="spent + held")
    def spent_and_held(self, key: ApiKey) -> str:
        budget = key.budget
        return f"{micros(budget.spent_usd_micros)} + {micros(budget.held_usd_micros)}" if budget else "–"

    @admin.display(description="created")
    def created(self, key: ApiKey) -> SafeString | str:
        return moment(key.created_at)

    @admin.display(description="expires")
    def expires(self, key: ApiKey) -> SafeString | str:
        return moment(key.expires_at)

    @admin.display(description="last used")
    def last_used(self, key: ApiKey) -> SafeString | str:
        return moment(key.last_used_at)
