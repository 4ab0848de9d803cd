"""Once a minute: alert of low budgets, and drop messages that nobody will ask for again."""

from dataclasses import dataclass

from django.db import connection, transaction

from dpp_project.money import Micros, format_usd
from dpp_project.profile import PROFILE
from runs.models import WebhookDelivery
from runs.webhooks.events import BUDGET_LOW

_DROPPED_AT_ONCE = 5_000

# Below which balance a webhook gets an alert: its own threshold, else that of its tenant's plan, else the profile's.
_THRESHOLDS = """
    SELECT hook.*, balance.available_usd_micros,
           coalesce(hook.budget_low_usd_micros, plan.budget_alert_usd_micros, %(default)s::bigint) AS threshold
    FROM webhooks AS hook JOIN tenant_balances AS balance USING (tenant_id) JOIN tenants USING (tenant_id)
        LEFT JOIN plans AS plan ON plan.name = tenants.plan_id
"""
# In all of these, a row that somebody holds is left to the next pass: nobody else waits for it.
# Alerted once, and again only after the balance had recovered. By the books: Redis may have forgotten.
_LOW = f"""
    WITH low AS (
        SELECT held.webhook_id, seen.threshold, seen.available_usd_micros
        FROM webhooks AS held JOIN ({_THRESHOLDS}) AS seen USING (webhook_id)
        WHERE seen.threshold > seen.available_usd_micros
            AND held.budget_low_told_at IS NULL AND held.status = 'ACTIVE' AND %(event)s = ANY (held.events)
        FOR NO KEY UPDATE OF held SKIP LOCKED
    )
    UPDATE webhooks AS hook SET budget_low_told_at = statement_timestamp()
    FROM low WHERE hook.webhook_id = low.webhook_id
    RETURNING low.webhook_id, low.threshold, low.available_usd_micros
"""  # noqa: S608 (our own text)
_RECOVERED = f"""
    WITH recovered AS (
        SELECT held.webhook_id FROM webhooks AS held JOIN ({_THRESHOLDS}) AS seen USING (webhook_id)
        WHERE held.budget_low_told_at IS NOT NULL AND seen.available_usd_micros >= seen.threshold
        FOR NO KEY UPDATE OF held SKIP LOCKED
    )
    UPDATE webhooks AS hook SET budget_low_told_at = NULL
    FROM recovered WHERE hook.webhook_id = recovered.webhook_id
"""  # noqa: S608 (our own text)
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
class WebhooksKept:
    found: int = 0
    alerted: int = 0
    """Webhooks, of a low budget."""
    dropped: int = 0


def keep_webhooks() -> WebhooksKept:
    """One bounded pass."""
    with connection.cursor() as cursor:
        cursor.execute(_RECOVERED, {"default": PROFILE.budget_alert})
        alerted = _send_low_budget_alerts()
        cursor.execute(_DROP, [PROFILE.webhook_deliveries_kept_days, _DROPPED_AT_ONCE])
        dropped = cursor.rowcount
        cursor.execute(_DROP_OF_NOBODY)
        dropped += cursor.rowcount
    return WebhooksKept(alerted + dropped, alerted, dropped)


def _send_low_budget_alerts() -> int:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(_LOW, {"default": PROFILE.budget_alert, "event": BUDGET_LOW})
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
