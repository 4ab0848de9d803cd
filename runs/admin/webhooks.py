"""Webhooks of tenants and the messages for them: what arrived, what did not, and why. No secret is shown."""

from typing import Any
from urllib.parse import urlsplit

from django.contrib import admin
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.safestring import SafeString

from runs.admin.action_page import ActionForm, ActionPage, ActionRefused, ActionResult
from runs.admin.display import badge, change_url, list_url, moment
from runs.admin.record_page import RecordAdmin
from runs.models import Webhook, WebhookDelivery
from runs.webhooks import subscriptions


def _disable(request: HttpRequest, webhook: Webhook, form: dict[str, Any]) -> ActionResult:
    if not subscriptions.disable(webhook):
        raise ActionRefused("It was switched off before.")
    return ActionResult(f"Switched off the webhook {webhook}.")


def _enable(request: HttpRequest, webhook: Webhook, form: dict[str, Any]) -> ActionResult:
    subscriptions.enable(webhook, by_operator=True)
    return ActionResult(f"Switched on the webhook {webhook}: what waited is sent.")


def _redeliver(request: HttpRequest, delivery: WebhookDelivery, form: dict[str, Any]) -> ActionResult:
    webhook = Webhook.objects.filter(pk=delivery.webhook_id).first()
    if webhook is None or webhook.status != Webhook.Status.ACTIVE:
        raise ActionRefused("Its webhook is switched off or deleted.")
    subscriptions.redeliver(webhook, delivery)
    return ActionResult(f"The message {delivery.pk} is sent again.")


@admin.register(Webhook)
class WebhookAdmin(RecordAdmin):
    action_pages = (
        ActionPage(
            name="disable",
            title="Switch off",
            permission="runs.change_webhook",
            form=ActionForm,
            perform=_disable,
            explain="Nothing is sent to it and nothing further is kept for it, until it is switched on again here.",
            danger=True,
            offered=lambda webhook: webhook.status == Webhook.Status.ACTIVE,
        ),
        ActionPage(
            name="enable",
            title="Switch on",
            permission="runs.change_webhook",
            form=ActionForm,
            perform=_enable,
            explain="What waited is sent at once.",
            offered=lambda webhook: webhook.status != Webhook.Status.ACTIVE,
        ),
    )
    list_display = ("webhook_id", "tenant_id", "host", "event_names", "state", "slow", "last_success", "messages")
    fields = ("webhook_id", "tenant", "host", "event_names", "description", "state", "slow", "last_success", "messages")
    readonly_fields = fields
    list_filter = ("status", "is_slow")
    search_fields = ("tenant__tenant_id__exact",)
    search_help_text = "A tenant's id, exactly."
    ordering = ("-created_at",)
    change_form_template = "operate/record.html"

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        # A filter in the address would tell an address or a secret, character by character.
        return not lookup.startswith(("url", "sealed")) and super().lookup_allowed(lookup, value, request)

    @admin.display(description="host")
    def host(self, webhook: Webhook) -> str:
        """Not the path: it may be the receiver's password."""
        return urlsplit(webhook.url).hostname or ""

    @admin.display(description="events")
    def event_names(self, webhook: Webhook) -> str:
        return ", ".join(webhook.events)

    @admin.display(description="status")
    def state(self, webhook: Webhook) -> SafeString:
        return badge(webhook.disabled_reason or webhook.status)

    @admin.display(description="fails or slow", boolean=True)
    def slow(self, webhook: Webhook) -> bool:
        return webhook.is_slow

    @admin.display(description="last success")
    def last_success(self, webhook: Webhook) -> SafeString | str:
        return moment(webhook.last_success_at)

    @admin.display(description="messages")
    def messages(self, webhook: Webhook) -> SafeString:
        return format_html('<a href="{}">messages</a>', list_url(WebhookDelivery, webhook_id=str(webhook.pk)))


@admin.register(WebhookDelivery)
class WebhookDeliveryAdmin(RecordAdmin):
    action_pages = (
        ActionPage(
            name="redeliver",
            title="Send again",
            permission="runs.change_webhook",
            form=ActionForm,
            perform=_redeliver,
            explain="The same message with the same id, at once and then by the whole schedule.",
        ),
    )
    list_display = ("delivery_id", "event", "run_id", "state_badge", "attempts", "answer", "happened", "next_attempt")
    fields = ("delivery_id", "webhook_link", "event", "run_id", "state_badge", "attempts", "answer", "happened")
    readonly_fields = fields
    list_filter = ("state", "event")
    search_fields = ("webhook__webhook_id",)
    search_help_text = "A webhook's id."
    ordering = ("-created_at",)
    change_form_template = "operate/record.html"

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        return lookup == "webhook_id" or (
            not lookup.startswith("webhook__") and super().lookup_allowed(lookup, value, request)
        )

    @admin.display(description="webhook")
    def webhook_link(self, delivery: WebhookDelivery) -> SafeString | str:
        webhook = Webhook.objects.filter(pk=delivery.webhook_id).first()
        return format_html('<a href="{}">{}</a>', change_url(webhook), webhook) if webhook else "deleted"

    @admin.display(description="state")
    def state_badge(self, delivery: WebhookDelivery) -> SafeString:
        return badge(delivery.state)

    @admin.display(description="last answer")
    def answer(self, delivery: WebhookDelivery) -> str:
        return " ".join(str(part) for part in (delivery.last_status_code, delivery.last_problem) if part) or "–"

    @admin.display(description="happened")
    def happened(self, delivery: WebhookDelivery) -> SafeString | str:
        return moment(delivery.created_at)

    @admin.display(description="next attempt")
    def next_attempt(self, delivery: WebhookDelivery) -> SafeString | str:
        return moment(delivery.next_attempt_at) if delivery.state == WebhookDelivery.State.PENDING else "–"
