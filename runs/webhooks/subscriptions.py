"""A tenant's webhooks: made, listed, given new secrets, switched on again, deleted; messages sent by hand.

Another tenant's webhook is none.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID, uuid4

from django.db import transaction
from django.db.models.functions import Now

from dpp_project.clock import db_now_plus
from dpp_project.money import Micros
from dpp_project.profile import PROFILE
from packs.fetch import refuse_literal
from runs.exceptions import TooManyWebhooks, WebhookDisabled, WebhookDisabledByOperator, WebhookNotFound
from runs.lifecycle.fetch_policy import webhook_policy
from runs.models import Tenant, Webhook, WebhookDelivery
from runs.webhooks.events import TEST
from runs.webhooks.secrets import Secrets


@dataclass(frozen=True)
class WithSecret:
    """Its secret's text is told this once."""

    webhook: Webhook
    secret: str


def address_refusal(url: str) -> str | None:
    """Why nothing is ever sent there, or None. Looks nothing up: what a name leads to is judged at every attempt."""
    refusal = refuse_literal(url, webhook_policy())
    return refusal.detail if refusal else None


def create(
    tenant: Tenant, *, url: str, events: Sequence[str], description: str = "", budget_low: Micros | None = None
) -> WithSecret:
    secrets = Secrets.new()
    with transaction.atomic():
        # The tenant's row makes two requests at once count each other.
        Tenant.objects.select_for_update(no_key=True).get(pk=tenant.pk)
        if Webhook.objects.filter(tenant=tenant).count() >= PROFILE.webhooks_per_tenant:
            raise TooManyWebhooks
        webhook = Webhook.objects.create(
            tenant=tenant,
            url=url,
            events=list(events),
            description=description,
            budget_low_usd_micros=budget_low,
            public_key=secrets.public_text,
            sealed_secrets=secrets.sealed(),
        )
    webhook.refresh_from_db()
    return WithSecret(webhook, secrets.text)


def listed(tenant: Tenant) -> list[Webhook]:
    return list(Webhook.objects.filter(tenant=tenant).order_by("created_at", "webhook_id"))


def find(tenant: Tenant, webhook_id: UUID) -> Webhook:
    webhook = Webhook.objects.filter(tenant=tenant, pk=webhook_id).first()
    if webhook is None:
        raise WebhookNotFound
    return webhook


def delete(webhook: Webhook) -> None:
    """With what it has not been sent. A message that an ending inserts at this moment is removed by the job."""
    with transaction.atomic():
        Webhook.objects.filter(pk=webhook.pk).delete()
        WebhookDelivery.objects.filter(webhook_id=webhook.pk).delete()


def rotate(webhook: Webhook, *, overlap_sec: int) -> WithSecret:
    """New secrets; messages are signed with both for the overlap."""
    secrets = Secrets.new()
    with transaction.atomic():
        now_kept = Webhook.objects.select_for_update(no_key=True).get(pk=webhook.pk)
        now_kept.sealed_old_secrets = now_kept.sealed_secrets
        now_kept.sealed_secrets, now_kept.public_key = secrets.sealed(), secrets.public_text
        now_kept.old_secrets_until = db_now_plus(timedelta(seconds=overlap_sec))
        now_kept.save(update_fields=["sealed_old_secrets", "sealed_secrets", "public_key", "old_secrets_until"])
    now_kept.refresh_from_db()
    return WithSecret(now_kept, secrets.text)


def enable(webhook: Webhook, *, by_operator: bool = False) -> Webhook:
    """What waited is sent at once. What an operator switched off, its owner does not switch on."""
    own = Webhook.objects.filter(pk=webhook.pk)
    if not by_operator:
        own = own.exclude(disabled_reason=Webhook.DisabledReason.OPERATOR, status=Webhook.Status.DISABLED)
    if not own.update(status=Webhook.Status.ACTIVE, disabled_reason=None, is_slow=False):
        raise WebhookDisabledByOperator if Webhook.objects.filter(pk=webhook.pk).exists() else WebhookNotFound
    pending = WebhookDelivery.objects.filter(webhook_id=webhook.pk, state=WebhookDelivery.State.PENDING)
    pending.filter(next_attempt_at__gt=Now()).update(next_attempt_at=Now())
    webhook.refresh_from_db()
    return webhook


def disable(webhook: Webhook) -> bool:
    """By an operator. False if it was off."""
    active = Webhook.objects.filter(pk=webhook.pk, status=Webhook.Status.ACTIVE)
    reason = Webhook.DisabledReason.OPERATOR
    return active.update(status=Webhook.Status.DISABLED, disabled_reason=reason) == 1


def send_test(webhook: Webhook) -> WebhookDelivery:
    _must_be_active(webhook)
    data = {"webhook_id": str(webhook.pk)}
    delivery = WebhookDelivery.objects.create(delivery_id=uuid4(), webhook=webhook, event=TEST, data=data)
    delivery.refresh_from_db()
    return delivery


def find_delivery(webhook: Webhook, delivery_id: UUID) -> WebhookDelivery:
    delivery = WebhookDelivery.objects.filter(webhook_id=webhook.pk, pk=delivery_id).first()
    if delivery is None:
        raise WebhookNotFound
    return delivery


def redeliver(webhook: Webhook, delivery: WebhookDelivery) -> WebhookDelivery:
    """The same message with the same `webhook-id`, at once and then by the whole schedule. An attempt that is under
    way no longer counts."""
    _must_be_active(webhook)
    WebhookDelivery.objects.filter(pk=delivery.pk).update(
        state=WebhookDelivery.State.PENDING, attempts=0, next_attempt_at=Now(), delivered_at=None
    )
    delivery.refresh_from_db()
    return delivery


def old_secrets_until(webhook: Webhook, *, now: datetime) -> datetime | None:
    until = webhook.old_secrets_until
    return until if until is not None and until > now else None


def _must_be_active(webhook: Webhook) -> None:
    if webhook.status != Webhook.Status.ACTIVE:
        raise WebhookDisabled
