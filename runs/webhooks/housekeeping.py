"""Once a minute: tell of low budgets, and drop messages that nobody will ask for again."""

from dataclasses import dataclass

from django.db import connection, transaction

from dpp_project.money import Micros, format_usd
from dpp_project.profile import PROFILE
from runs.models import WebhookDelivery
from runs.webhooks.events import BUDGET_LOW

_DROPPED_AT_ONCE = 5_000

# In all of these, a row that somebody holds is left to the next pass: nobody else waits for it.
# Told once, and again only after the balance had recovered. By the books: Redis may have forgotten.
_LOW = """
    WITH low AS (
        SELECT hook.webhook_id, hook.budget_low_usd_micros, balance.available_usd_micros
        FROM webhooks AS hook JOIN tenant_balances AS balance USING (tenant_id)
        WHERE hook.budget_low_usd_micros > balance.available_usd_micros
            AND hook.budget_low_told_at IS NULL AND hook.status = 'ACTIVE' AND %s = ANY (hook.events)
        FOR NO KEY UPDATE OF hook SKIP LOCKED
    )
    UPDATE webhooks AS hook SET budget_low_told_at = statement_timestamp()
    FROM low WHERE hook.webhook_id = low.webhook_id
    RETURNING low.webhook_id, low.budget_low_usd_micros, low.available_usd_micros
"""
_RECOVERED = """
    WITH recovered AS (
        SELECT hook.webhook_id FROM webhooks AS hook JOIN tenant_balances AS balance USING (tenant_id)
        WHERE hook.budget_low_told_at IS NOT NULL
            AND (hook.budget_low_usd_micros IS NULL OR balance.available_usd_micros >= hook.budget_low_usd_micros)
        FOR NO KEY UPDATE OF hook SKIP LOCKED
    )
    UPDATE webhooks AS hook SET budget_low_told_at = NULL
    FROM recovered WHERE hook.webhook_id = recovered.webhook_id
"""
_DROP = """
    DELETE FROM webhook_deliveries WHERE delivery_id IN (
        SELECT delivery_id FROM webhook_deliveries
        WHERE created_at < statement_timestamp() - make_interval(days => %s) ORDER BY created_at LIMIT %s
        FOR UPDATE SKIP LOCKED
    )
"""
# What an ending inserted while its webhook was being deleted.
_DROP_OF_NOBODY = """
    DELETE FROM webhook_deliveries WHERE delivery_id IN (
        SELECT delivery_id FROM webhook_deliveries AS delivery
        WHERE state = 'PENDING' AND next_attempt_at < statement_timestamp() - interval '1 minute'
            AND NOT EXISTS (SELECT FROM webhooks AS hook WHERE hook.webhook_id = delivery.webhook_id)
        FOR UPDATE SKIP LOCKED
    )
"""


@dataclass(frozen=True)
class Kept:
    found: int = 0
    told: int = 0
    """Of a low budget."""
    dropped: int = 0


def keep_webhooks() -> Kept:
    """One bounded pass."""
    with connection.cursor() as cursor:
        cursor.execute(_RECOVERED)
        told = _tell_of_low_budgets()
        cursor.execute(_DROP, [PROFILE.webhook_deliveries_kept_days, _DROPPED_AT_ONCE])
        dropped = cursor.rowcount
        cursor.execute(_DROP_OF_NOBODY)
        dropped += cursor.rowcount
    return Kept(told + dropped, told, dropped)


def _tell_of_low_budgets() -> int:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(_LOW, [BUDGET_LOW])
        messages = [
            WebhookDelivery(
                webhook_id=webhook_id,
                event=BUDGET_LOW,
                data={"available_usd": format_usd(Micros(available)), "below_usd": format_usd(Micros(threshold))},
            )
            for webhook_id, threshold, available in cursor.fetchall()
        ]
        WebhookDelivery.objects.bulk_create(messages)
    return len(messages)
