"""The SQL of a run's changes, put together here and nowhere else: the acceptance, the compare-and-set, the ending.

`transitions` is the only caller. Functions of the database are in `runs/sql`.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from psycopg.types.json import Jsonb

from budget.models import EntryKind
from dpp_project.money import Micros
from runs.models import Run, RunPayload
from runs.states import MoneyState

# SQLSTATEs of `dpp_accept_run` and outcomes of `dpp_accept_runs`.
INSUFFICIENT = "DP402"
FROZEN = "DP403"
KEY_DRAINED = "DP420"
VOIDED = "DP503"

ACCEPT = """
    SELECT dpp_accept_run(
        new_run_id => %(run_id)s, tenant => %(tenant_id)s, pack => %(pack_type)s, profile => %(profile_version)s,
        key => %(idempotency_key)s, hash => %(payload_hash)s, amount => %(reservation)s, fee => %(minimum_fee)s,
        timebox => %(timebox_sec)s, reliability => %(min_reliability_score)s, inline => %(inline_result)s,
        retained_until => %(retention_until)s, trace => %(trace_id)s, moment => %(created_at)s,
        request => %(body)s, request_key => %(object_key)s,
        caller => %(client_name)s, caller_version => %(client_version)s,
        used_key => %(api_key_id)s, used_budget => %(key_budget_id)s, given_tags => %(tags)s
    ), statement_timestamp()
"""


# The same for several at once. Each has its number, from 1, and gets its own SQLSTATE.
ACCEPT_TOGETHER = "SELECT place, outcome, remaining, statement_timestamp() FROM dpp_accept_runs(requests => %s)"
ACCEPTED = "00000"
ROW_IS_LOCKED = "55P03"
KEY_IS_TAKEN = "23505"
ONE_KEY_CONSTRAINT = "runs_one_per_idempotency_key"


def accept_together_params(requests: Sequence[tuple[Run, RunPayload]]) -> list[Any]:
    return [
        Jsonb(
            [
                {"number": number, **accept_params(run, payload), "tags": run.tags}
                for number, (run, payload) in enumerate(requests, 1)
            ],
            dumps=_json_text,
        )
    ]


def _json_text(value: Any) -> str:
    return json.dumps(value, default=_text, ensure_ascii=False)


def _text(value: UUID | datetime) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)


def accept_params(run: Run, payload: RunPayload) -> dict[str, Any]:
    return {
        "run_id": run.pk,
        "tenant_id": run.tenant_id,
        "pack_type": run.pack_type,
        "profile_version": run.profile_version,
        "idempotency_key": run.idempotency_key,
        "payload_hash": run.payload_hash,
        "reservation": run.reservation_max_cost_usd_micros,
        "minimum_fee": run.minimum_fee_usd_micros,
        "timebox_sec": run.timebox_sec,
        "min_reliability_score": run.min_reliability_score,
        "inline_result": run.inline_result,
        "retention_until": run.retention_until,
        "trace_id": run.trace_id,
        "created_at": run.created_at,
        "body": payload.body,
        "object_key": payload.object_key,
        "client_name": run.client_name,
        "client_version": run.client_version,
        "api_key_id": run.api_key_id,
        "key_budget_id": run.key_budget_id,
        "tags": None if run.tags is None else Jsonb(run.tags),
    }


@dataclass(frozen=True)
class StatementPart:
    """Further parts of a compare-and-set. Each reads `won`, the changed row: a loser changes nothing."""

    sql: str
    params: Sequence[Any]


def compare_and_set(*, sets: Sequence[str], conditions: Sequence[str], part: StatementPart | None) -> str:
    """One statement: the change if all conditions hold, its audit row, and the part. Returns a row for the winner.

    Parameters: of the sets, of the conditions; actor, status and money before, version before, reason; of the part.
    """
    # All of it is text of this program: names of columns, and the part below.
    more = f", {part.sql}" if part else ""
    return f"""
        WITH won AS (
            UPDATE runs SET {", ".join(sets)}, updated_at = statement_timestamp()
            WHERE {" AND ".join(conditions)}
            RETURNING *
        ), recorded AS (
            INSERT INTO run_transitions (run_id, actor, from_status, to_status, from_money, to_money, finalize_stage,
                version_before, version_after, reason_code, at)
            SELECT run_id, %s::text, %s::text, status, %s::text, money_state, finalize_stage,
                %s::bigint, version, %s::text, clock_timestamp()
            FROM won
        ){more}
        SELECT 1 FROM won
    """  # noqa: S608


# The balance row, the journal entry, the objects that the claim recorded, and the messages for webhooks.
_ENDING = """
    paid AS (
        UPDATE tenant_balances SET available_usd_micros = available_usd_micros + %s
        FROM won WHERE tenant_balances.tenant_id = won.tenant_id
        RETURNING tenant_balances.tenant_id
    ), entered AS (
        INSERT INTO ledger_entries (tenant_id, run_id, kind, amount_usd_micros, note, created_at)
        SELECT tenant_id, run_id, %s::text, %s, '', clock_timestamp() FROM won
    ), stored AS (
        INSERT INTO stored_objects (run_id, key, name, sha256, size, mime, etag, created_at)
        SELECT won.run_id, ref.key, ref.name, ref.sha256, ref.size, ref.mime, ref.etag, clock_timestamp()
        FROM won, jsonb_to_recordset(coalesce(won.intended_objects, '[]'))
            AS ref (key text, name text, sha256 text, size bigint, mime text, etag text)
    ), notified AS (
        -- The messages for the tenant's webhooks: with the ending or not at all. `runs.webhooks` sends them.
        INSERT INTO webhook_deliveries (delivery_id, webhook_id, run_id, event, data, state)
        SELECT gen_random_uuid(), hook.webhook_id, won.run_id, 'run.' || lower(won.status), jsonb_strip_nulls(
            jsonb_build_object('run_id', won.run_id, 'pack_type', won.pack_type, 'status', won.status,
                'reason_code', won.last_error_reason_code)), 'PENDING'
        FROM won JOIN webhooks AS hook ON hook.tenant_id = won.tenant_id
        WHERE hook.status = 'ACTIVE' AND 'run.' || lower(won.status) = ANY (hook.events)
    )
"""


# What the run's key had held is spent or free again, for all budgets above it too. After the balance row, as in the
# acceptance. A row edited by hand stops no ending: the audit finds it.
_KEY_BUDGET = """, released AS (
        UPDATE key_budgets AS budget
        SET held_usd_micros = greatest(budget.held_usd_micros - won.reservation_max_cost_usd_micros, 0),
            spent_usd_micros = budget.spent_usd_micros + won.actual_cost_usd_micros
        FROM won JOIN paid USING (tenant_id) JOIN key_budgets AS own ON own.budget_id = won.key_budget_id
        WHERE budget.budget_id = ANY (own.lineage)
    )
"""


def ending(run: Run) -> StatementPart:
    """What makes a claimed run's recorded outcome true besides its own row."""
    refunded = run.intended_money_state == MoneyState.REFUNDED
    kind = EntryKind.REFUND if refunded else EntryKind.SETTLE
    charge = Micros(0 if refunded else run.intended_charge_usd_micros or 0)
    returned = run.reservation_max_cost_usd_micros - charge
    sql = _ENDING if run.key_budget_id is None else f"{_ENDING.rstrip()}{_KEY_BUDGET}"
    return StatementPart(sql, [returned, str(kind), returned])
