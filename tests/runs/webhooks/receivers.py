"""Webhooks of customers, runs that end, and what a receiver got."""

from dataclasses import dataclass
from typing import Any

from django.db.models.functions import Now
from standardwebhooks import Webhook as Verifier

from dpp_project.money import Micros
from runs.lifecycle import transitions
from runs.lifecycle.cancel import cancel
from runs.lifecycle.finalize import end
from runs.lifecycle.outcomes import completed
from runs.models import Run, Webhook, WebhookDelivery
from runs.states import Actor
from runs.webhooks import subscriptions
from tests.builders import Customer, processing, submitted
from tests.packs.fetch.zoo import Request

HOST = "hooks.example.org"
RUN_EVENTS = ("run.completed", "run.failed")


@dataclass(frozen=True)
class Subscription:
    owner: Customer
    webhook: Webhook
    secret: str

    def deliveries(self) -> list[WebhookDelivery]:
        return list(WebhookDelivery.objects.filter(webhook_id=self.webhook.pk).order_by("created_at"))

    def only_delivery(self) -> WebhookDelivery:
        (delivery,) = self.deliveries()
        return delivery

    def verified(self, request: Request) -> dict[str, Any]:
        """By the specification's own library."""
        message: dict[str, Any] = Verifier(self.secret).verify(request.body, request.headers)
        return message

    def now(self) -> Webhook:
        return Webhook.objects.get(pk=self.webhook.pk)


def subscribed(
    owner: Customer, *, host: str = HOST, events: tuple[str, ...] = RUN_EVENTS, budget_low: Micros | None = None
) -> Subscription:
    made = subscriptions.create(owner.tenant, url=f"https://{host}/in?x=1", events=events, budget_low=budget_low)
    return Subscription(owner, made.webhook, made.secret)


def completed_run(owner: Customer) -> Run:
    run = processing(owner)
    token, outcome = run.lease_token, completed(run, actual=Micros(50_000), objects=())
    assert token
    end(run, lambda: transitions.claim_own(run, outcome, lease_token=token), actor=Actor.WORKER)
    return Run.objects.get(pk=run.pk)


def cancelled_run(owner: Customer) -> Run:
    run = submitted(owner)
    cancel(run)
    return Run.objects.get(pk=run.pk)


def all_is_due() -> None:
    """As if every wait were over."""
    WebhookDelivery.objects.filter(state="PENDING").update(next_attempt_at=Now())
