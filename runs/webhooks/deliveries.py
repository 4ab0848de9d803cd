"""The rows of messages: which are due, taken for an attempt, and what came of it.

A row that is taken is due again after the lease: a sender that dies in an attempt delays its message, and at worst it
arrives twice. Whose result counts is told by `next_attempt_at`, which every taking changes.
"""

import json
from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection
from psycopg.types.json import Jsonb

from dpp_project.profile import PROFILE
from runs.models import Webhook, WebhookDelivery

# How long an attempt of a quick receiver may take.
SLOW_SEC = 2.0

# Of every webhook that has something to send, the oldest due messages, as many as it and its tenant have places for.
# The webhooks are found by steps over the index of what is pending: a long backlog of one is never read through.
TAKE = """
    WITH RECURSIVE waiting AS (
        (SELECT webhook_id FROM webhook_deliveries WHERE state = 'PENDING' ORDER BY webhook_id LIMIT 1)
        UNION ALL
        SELECT (
            SELECT further.webhook_id FROM webhook_deliveries AS further
            WHERE further.state = 'PENDING' AND further.webhook_id > waiting.webhook_id
            ORDER BY further.webhook_id LIMIT 1
        ) FROM waiting WHERE waiting.webhook_id IS NOT NULL
    ), due AS (
        SELECT one.delivery_id, one.next_attempt_at, hook.is_slow,
            row_number() OVER (PARTITION BY hook.tenant_id ORDER BY one.next_attempt_at)
                + coalesce((%(tenants)s::jsonb ->> hook.tenant_id)::integer, 0) AS of_tenant
        FROM waiting JOIN webhooks AS hook USING (webhook_id)
        CROSS JOIN LATERAL (
            SELECT delivery_id, next_attempt_at FROM webhook_deliveries AS pending
            WHERE pending.webhook_id = hook.webhook_id AND pending.state = 'PENDING'
                AND pending.next_attempt_at <= statement_timestamp()
            ORDER BY pending.next_attempt_at
            LIMIT greatest(0, CASE WHEN hook.is_slow THEN 1 ELSE %(of_webhook)s END
                - coalesce((%(webhooks)s::jsonb ->> hook.webhook_id::text)::integer, 0))
        ) AS one
        WHERE hook.status = 'ACTIVE'
    ), placed AS (
        SELECT delivery_id, is_slow, row_number() OVER (PARTITION BY is_slow ORDER BY next_attempt_at) AS of_kind
        FROM due WHERE of_tenant <= %(of_tenant)s
    )
    UPDATE webhook_deliveries AS taken
    SET attempts = attempts + 1,
        last_attempt_at = statement_timestamp(),
        next_attempt_at = statement_timestamp() + make_interval(secs => %(lease)s)
    FROM webhooks AS hook
    -- As an array: the rows are then found by their key, whatever the planner thinks how many there are.
    WHERE taken.delivery_id = ANY (ARRAY(
            SELECT delivery_id FROM placed WHERE of_kind <= CASE WHEN is_slow THEN %(slow)s ELSE %(quick)s END
        ))
        AND taken.state = 'PENDING' AND taken.next_attempt_at <= statement_timestamp()
        AND hook.webhook_id = taken.webhook_id
    RETURNING taken.delivery_id, taken.webhook_id, hook.tenant_id, hook.url, taken.event, taken.data, taken.created_at,
        taken.attempts, taken.next_attempt_at, taken.last_attempt_at, hook.is_slow, hook.sealed_secrets,
        CASE WHEN hook.old_secrets_until > statement_timestamp() THEN hook.sealed_old_secrets END
"""


_DATA = 5  # the place of `data` among what it returns


@dataclass(frozen=True)
class Taken:
    """A message for one attempt."""

    delivery_id: UUID
    webhook_id: UUID
    tenant_id: str
    url: str
    event: str
    data: dict[str, Any]
    created_at: datetime
    attempts: int
    """With this one."""
    taken_until: datetime
    taken_at: datetime
    is_slow: bool
    sealed_secrets: bytes
    sealed_old_secrets: bytes | None


@dataclass(frozen=True)
class Places:
    """How many attempts may be begun, and who has how many under way."""

    quick: int
    slow: int
    of_webhook: int
    of_tenant: int
    tenants: Counter[str]
    webhooks: Counter[str]

    def as_parameters(self) -> dict[str, Any]:
        return {
            "quick": self.quick,
            "slow": self.slow,
            "of_webhook": self.of_webhook,
            "of_tenant": self.of_tenant,
            "tenants": Jsonb(dict(self.tenants)),
            "webhooks": Jsonb(dict(self.webhooks)),
            "lease": PROFILE.webhook_lease_sec,
        }


def take(places: Places) -> list[Taken]:
    with connection.cursor() as cursor:
        cursor.execute(TAKE, places.as_parameters())
        # Django leaves JSON of raw statements as text.
        rows = [(*row[:_DATA], json.loads(row[_DATA]), *row[_DATA + 1 :]) for row in cursor.fetchall()]
    return [Taken(*row) for row in rows]


_DELIVERED = """
    WITH done AS (
        UPDATE webhook_deliveries
        SET state = 'DELIVERED', delivered_at = statement_timestamp(), next_attempt_at = statement_timestamp(),
            last_status_code = %(status)s, last_problem = NULL
        WHERE delivery_id = %(delivery)s AND state = 'PENDING' AND next_attempt_at = %(taken_until)s
        RETURNING webhook_id
    ), seen AS (
        -- At most once a minute: a busy receiver's row is not written for every message.
        UPDATE webhooks SET last_success_at = statement_timestamp(), is_slow = %(slow)s
        FROM done WHERE webhooks.webhook_id = done.webhook_id
            AND (is_slow <> %(slow)s OR last_success_at IS NULL
                OR last_success_at < statement_timestamp() - interval '1 minute')
    )
    SELECT 1 FROM done
"""

_FAILED = """
    WITH done AS (
        UPDATE webhook_deliveries
        SET state = %(state)s,
            next_attempt_at = statement_timestamp() + make_interval(secs => %(wait)s),
            last_status_code = %(status)s, last_problem = %(problem)s
        WHERE delivery_id = %(delivery)s AND state = 'PENDING' AND next_attempt_at = %(taken_until)s
        RETURNING webhook_id
    ), seen AS (
        UPDATE webhooks SET is_slow = true FROM done WHERE webhooks.webhook_id = done.webhook_id AND NOT is_slow
    )
    SELECT 1 FROM done
"""


def delivered(taken: Taken, *, status: int, seconds: float) -> bool:
    """False: somebody else decides on this message by now."""
    values = {**_named(taken), "status": status, "slow": seconds > SLOW_SEC}
    return _changed(_DELIVERED, values)


def not_delivered(taken: Taken, *, status: int | None, problem: str, wait_sec: float | None) -> bool:
    """To be tried again after the wait; given up if there is none."""
    state = WebhookDelivery.State.FAILED if wait_sec is None else WebhookDelivery.State.PENDING
    values = {"state": str(state), "wait": wait_sec or 0.0, "status": status, "problem": problem}
    return _changed(_FAILED, {**_named(taken), **values})


def disable_gone(webhook_id: UUID) -> bool:
    return _disable(webhook_id, Webhook.DisabledReason.GONE)


def disable_failing(taken: Taken) -> bool:
    """After a message was given up: nothing has arrived for as long as it was tried."""
    found = Webhook.objects.filter(pk=taken.webhook_id, last_success_at__gt=taken.created_at)
    return not found.exists() and _disable(taken.webhook_id, Webhook.DisabledReason.FAILING)


def _disable(webhook_id: UUID, reason: Webhook.DisabledReason) -> bool:
    active = Webhook.objects.filter(pk=webhook_id, status=Webhook.Status.ACTIVE)
    return active.update(status=Webhook.Status.DISABLED, disabled_reason=reason) == 1


def _named(taken: Taken) -> dict[str, Any]:
    return {"delivery": taken.delivery_id, "taken_until": taken.taken_until}


def _changed(sql: str, values: dict[str, Any]) -> bool:
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        return cursor.fetchone() is not None
