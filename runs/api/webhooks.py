"""Webhooks: who is told when a run ends or money runs out. One view per path."""

from typing import Any
from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response

from dpp_project import clock
from dpp_project.money import Micros
from runs.api.api_view import ApiView, tenant_of
from runs.api.openapi import operations
from runs.api.request_body import read_body
from runs.api.serializers.query import delivery_parameters
from runs.api.serializers.webhook import (
    DELIVERY,
    DELIVERY_LIST,
    ROTATION_REQUEST,
    WEBHOOK,
    WEBHOOK_LIST,
    WEBHOOK_REQUEST,
    WEBHOOK_WITH_SECRET,
)
from runs.exceptions import WebhookNotFound
from runs.models import Webhook, WebhookDelivery
from runs.reports.webhook_deliveries import delivery_page
from runs.webhooks import subscriptions
from runs.webhooks.subscriptions import WithSecret


class WebhooksView(ApiView):
    @operations.LIST_WEBHOOKS
    def get(self, request: Request) -> Response:
        found = subscriptions.listed(tenant_of(request))
        return Response(WEBHOOK_LIST.to_representation({"webhooks": [_shown(webhook) for webhook in found]}))

    @operations.CREATE_WEBHOOK
    def post(self, request: Request) -> Response:
        asked = read_body(WEBHOOK_REQUEST, request)
        made = subscriptions.create(
            tenant_of(request),
            url=asked["url"],
            events=asked["events"],
            description=asked.get("description", ""),
            budget_low=asked.get("budget_low_usd"),
        )
        return Response(_with_secret(made), status=201)


class WebhookView(ApiView):
    http_method_names = [*ApiView.http_method_names, "delete"]

    @operations.GET_WEBHOOK
    def get(self, request: Request, webhook_id: str) -> Response:
        return Response(WEBHOOK.to_representation(_shown(_found(request, webhook_id))))

    @operations.DELETE_WEBHOOK
    def delete(self, request: Request, webhook_id: str) -> Response:
        subscriptions.delete(_found(request, webhook_id))
        return Response(status=204)


class RotateWebhookView(ApiView):
    @operations.ROTATE_WEBHOOK
    def post(self, request: Request, webhook_id: str) -> Response:
        webhook = _found(request, webhook_id)
        asked = read_body(ROTATION_REQUEST, request)
        return Response(_with_secret(subscriptions.rotate(webhook, overlap_sec=asked["overlap_sec"])))


class EnableWebhookView(ApiView):
    @operations.ENABLE_WEBHOOK
    def post(self, request: Request, webhook_id: str) -> Response:
        return Response(WEBHOOK.to_representation(_shown(subscriptions.enable(_found(request, webhook_id)))))


class TestWebhookView(ApiView):
    @operations.TEST_WEBHOOK
    def post(self, request: Request, webhook_id: str) -> Response:
        delivery = subscriptions.send_test(_found(request, webhook_id))
        return Response(DELIVERY.to_representation(_shown_delivery(delivery)), status=202)


class DeliveriesView(ApiView):
    @operations.LIST_DELIVERIES
    def get(self, request: Request, webhook_id: str) -> Response:
        asked = delivery_parameters(request._request.GET)
        webhook = _found(request, webhook_id)
        page = delivery_page(webhook, state=asked.get("state"), after=asked.get("cursor"), limit=asked["limit"])
        shown = {
            "deliveries": [_shown_delivery(delivery) for delivery in page.deliveries],
            "next_cursor": str(page.next_cursor) if page.next_cursor else None,
        }
        return Response(DELIVERY_LIST.to_representation(shown))


class RedeliverView(ApiView):
    @operations.REDELIVER
    def post(self, request: Request, webhook_id: str, delivery_id: str) -> Response:
        webhook = _found(request, webhook_id)
        delivery = subscriptions.find_delivery(webhook, _uuid(delivery_id))
        again = subscriptions.redeliver(webhook, delivery)
        return Response(DELIVERY.to_representation(_shown_delivery(again)), status=202)


def _found(request: Request, webhook_id: str) -> Webhook:
    return subscriptions.find(tenant_of(request), _uuid(webhook_id))


def _uuid(text: str) -> UUID:
    try:
        found = UUID(text)
    except ValueError:
        raise WebhookNotFound from None
    if str(found) != text.lower():
        raise WebhookNotFound
    return found


def _shown(webhook: Webhook) -> dict[str, Any]:
    optional = {
        "disabled_reason": webhook.disabled_reason,
        "budget_low_usd": None if webhook.budget_low_usd_micros is None else Micros(webhook.budget_low_usd_micros),
        "old_secret_until": subscriptions.old_secrets_until(webhook, now=clock.now()),
        "last_success_at": webhook.last_success_at,
    }
    always = ("webhook_id", "url", "events", "description", "status", "public_key", "created_at")
    return {**{name: getattr(webhook, name) for name in always}, **_without(optional)}


def _with_secret(made: WithSecret) -> dict[str, Any]:
    return WEBHOOK_WITH_SECRET.to_representation({**_shown(made.webhook), "secret": made.secret})


def _shown_delivery(delivery: WebhookDelivery) -> dict[str, Any]:
    pending = delivery.state == WebhookDelivery.State.PENDING
    optional = {
        "run_id": delivery.run_id,
        "next_attempt_at": delivery.next_attempt_at if pending else None,
        "last_attempt_at": delivery.last_attempt_at,
        "last_status_code": delivery.last_status_code,
        "last_problem": delivery.last_problem,
        "delivered_at": delivery.delivered_at,
    }
    always = ("delivery_id", "event", "state", "attempts", "created_at")
    return {**{name: getattr(delivery, name) for name in always}, **_without(optional)}


def _without(optional: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in optional.items() if value is not None}
