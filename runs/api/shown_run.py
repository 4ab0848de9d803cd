"""A run as its owner sees it: the columns that are shown, what it costs, its links, why it failed.

The columns are listed once, here: for the query of the poll lane, for the view, for listings.
"""

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NamedTuple, get_type_hints
from uuid import UUID

from django.conf import settings

from dpp_project.clock import instant
from dpp_project.money import ZERO, Micros, format_usd
from dpp_project.profile import PROFILE, profile_of
from packs.base import JsonObject
from runs.api.json_bodies import json_bytes
from runs.api.problems import RUN_FAILURES
from runs.api.serializers.problem import problem_document
from runs.api.serializers.receipt import RECEIPT
from runs.api.serializers.run import RUN, RUN_LIST
from runs.lifecycle.envelope import signature_is_valid
from runs.models import Run
from runs.states import LIVE, Status
from storage import store
from storage.exceptions import ObjectDamaged, ObjectMissing
from storage.object_keys import ENVELOPE


class RunColumns(NamedTuple):
    """As the table has them; a `Run` has them under the same names."""

    run_id: UUID
    pack_type: str
    status: str
    money_state: str
    progress: float
    reservation_max_cost_usd_micros: Micros
    actual_cost_usd_micros: Micros | None
    minimum_fee_usd_micros: Micros
    tokens_consumed: int
    created_at: datetime
    updated_at: datetime
    trace_id: str
    profile_version: str
    retention_until: datetime
    result_summary: JsonObject | None
    tags: JsonObject | None
    inline_result: bool
    result_bucket: str | None
    result_key: str | None
    last_error_reason_code: str | None
    last_error_detail: str | None

    @classmethod
    def from_texts(cls, texts: Sequence[bytes | None]) -> "RunColumns":
        """From a row in PostgreSQL's text format, in the order of the fields."""
        return cls._make(
            None if text is None else read(text.decode()) for read, text in zip(_READERS, texts, strict=True)
        )

    @property
    def is_live(self) -> bool:
        return self.status in LIVE


class StoredItem(NamedTuple):
    """What lies in object storage for a run."""

    name: str
    key: str
    sha256: str
    size: int
    mime: str
    is_damaged: bool
    """The scrubber did not find it as it was written."""

    @classmethod
    def from_column(cls, text: str | None) -> "list[StoredItem]":
        """From the column `STORED_ITEMS`."""
        return [cls(*values) for values in json.loads(text)] if text else []


# A column of a query of `runs`: a poll needs no second question.
STORED_ITEMS = """
    CASE WHEN runs.result_key IS NOT NULL THEN (
        SELECT json_agg(json_build_array(
            stored.name, stored.key, stored.sha256, stored.size, stored.mime, damaged.stored_id IS NOT NULL
        ))::text
        FROM stored_objects AS stored LEFT JOIN damaged_objects AS damaged ON damaged.stored_id = stored.id
        WHERE stored.run_id = runs.run_id
    ) END
"""


def column_values(run: Run | RunColumns) -> dict[str, Any]:
    values = {name: getattr(run, name) for name in RunColumns._fields}
    if values["tags"] is None:
        del values["tags"]
    return values


def is_expired(run: Run | RunColumns, *, now: datetime) -> bool:
    """Past its retention, also before the retention job has come to it."""
    return run.status == Status.EXPIRED or run.retention_until <= now


_READER_OF_TYPE: dict[Any, Callable[[str], Any]] = {
    UUID: UUID,
    str: str,
    int: int,
    float: float,
    bool: "t".__eq__,  # as PostgreSQL writes it
    datetime: datetime.fromisoformat,
    Micros: int,
    Micros | None: int,
    str | None: str,
    JsonObject | None: json.loads,
}
_READERS = [_READER_OF_TYPE[kind] for kind in get_type_hints(RunColumns).values()]


@dataclass(frozen=True)
class Costs:
    """What the cost headers of every answer about runs say."""

    reserved: Micros = ZERO
    used: Micros = ZERO
    remaining: Micros = ZERO
    tokens: int = 0

    @classmethod
    def of(cls, run: Run | RunColumns, available: Micros) -> "Costs":
        """Used is zero until the run has ended; reserved is always the original reservation."""
        return cls(
            reserved=Micros(run.reservation_max_cost_usd_micros),
            used=Micros(run.actual_cost_usd_micros or 0),
            remaining=available,
            tokens=run.tokens_consumed,
        )

    def headers(self) -> dict[str, str]:
        return {
            "X-DPP-Cost-Reserved": format_usd(self.reserved),
            "X-DPP-Cost-Used": format_usd(self.used),
            "X-DPP-Budget-Remaining": format_usd(self.remaining),
            "X-DPP-Tokens-Consumed": str(self.tokens),
        }


def receipt(run: Run) -> dict[str, Any]:
    """The answer to a submit. Made from what never changes, so that a replay is the same receipt."""
    href = f"/v1/runs/{run.pk}"
    profile = profile_of(run.profile_version)
    values = {
        **column_values(run),
        "timebox_sec": run.timebox_sec,
        "min_reliability_score": run.min_reliability_score,
        "poll_href": href,
        "recommended_interval_ms": profile.poll_recommended_interval_ms,
        "max_wait_sec": profile.poll_max_wait_sec,
        "events_href": f"{settings.EVENTS_URL}{href}/events",
    }
    return dict(RECEIPT.to_representation(values))


def shown_run(
    run: Run | RunColumns, costs: Costs, stored: Sequence[StoredItem], *, now: datetime
) -> tuple[bytes, str | None]:
    """The answer to a poll, and while the run is live its ETag: later the link inside would grow stale behind a 304."""
    document = run_document(run, costs, stored)
    if run.status in LIVE:
        body = json_bytes(document)
        return body, f'"{hashlib.sha256(body).hexdigest()[:32]}"'
    return json_bytes(with_links(document, run, stored, now=now)), None


def run_document(run: Run | RunColumns, costs: Costs, stored: Sequence[StoredItem]) -> dict[str, Any]:
    """The run as its owner sees it at any time. Of an ended one the links are still missing."""
    values = _values(run, costs)
    if run.status not in LIVE:
        values |= run.result_summary or {}
        if run.result_key:
            values["result"] = _result(run, stored)
        if run.status == Status.FAILED:
            values["error"] = {"reason_code": run.last_error_reason_code, "problem": _failure(run, costs)}
    return dict(RUN.to_representation(values))


def with_links(
    document: dict[str, Any], run: Run | RunColumns, stored: Sequence[StoredItem], *, now: datetime
) -> dict[str, Any]:
    """The document of an ended run with links that work from now on, and with the envelope where that was asked for."""
    if "result" not in document:
        return document
    # No link outlives what it leads to.
    kept_sec = max(int((run.retention_until - now).total_seconds()), 1)
    seconds = min(PROFILE.presigned_url_ttl_sec, kept_sec)
    links = {item.name: store.presigned_url(item.key, seconds=seconds, bucket=run.result_bucket) for item in stored}
    result = {
        **document["result"],
        "presigned_url": links[ENVELOPE],
        "expires_at": instant(now + timedelta(seconds=seconds)),
        "artifacts": [{**item, "presigned_url": links[item["name"]]} for item in document["result"]["artifacts"]],
    }
    if run.inline_result:
        envelope = next(item for item in stored if item.name == ENVELOPE)
        if envelope.size <= PROFILE.max_inline_result_bytes:
            result["inline"] = _verified_envelope(envelope, run.result_bucket)
    return {**document, "result": result}


def shown_list(runs: list[Run], next_cursor: str | None, *, now: datetime) -> dict[str, Any]:
    return dict(RUN_LIST.to_representation({"runs": [_summary(run, now) for run in runs], "next_cursor": next_cursor}))


def _summary(run: Run, now: datetime) -> dict[str, Any]:
    values = _values(run, Costs.of(run, ZERO))
    if is_expired(run, now=now):
        values["status"] = Status.EXPIRED.value
    if run.last_error_reason_code:
        values["error"] = {"reason_code": run.last_error_reason_code}
    return values


def _values(run: Run | RunColumns, costs: Costs) -> dict[str, Any]:
    values = column_values(run)
    values["reserved"], values["used"], values["remaining"] = costs.reserved, costs.used, costs.remaining
    return values


def _result(run: Run | RunColumns, stored: Sequence[StoredItem]) -> dict[str, Any]:
    """Raises `ObjectMissing` or `ObjectDamaged` also for what the scrubber has found: a dead link helps nobody."""
    for item in stored:
        if item.is_damaged:
            raise ObjectDamaged(item.key)
    items = {item.name: {**item._asdict(), "presigned_url": ""} for item in stored}
    envelope = items.pop(ENVELOPE, None)
    if envelope is None:
        raise ObjectMissing(str(run.result_key))
    return {**envelope, "expires_at": run.updated_at, "artifacts": [items[name] for name in sorted(items)]}


def _verified_envelope(stored: StoredItem, bucket: str | None) -> Any:
    document = json.loads(store.read(stored.key, sha256=stored.sha256, bucket=bucket))
    if not signature_is_valid(document):
        raise ObjectDamaged(stored.key)
    return document


def _failure(run: Run | RunColumns, costs: Costs) -> dict[str, Any]:
    """Why it failed, as a problem document: what a caller of any failed request would read."""
    return problem_document(
        RUN_FAILURES[run.last_error_reason_code or ""],
        detail=run.last_error_detail or "",
        instance=f"/v1/runs/{run.run_id}",
        trace_id=run.trace_id,
        charged_usd=format_usd(costs.used),
        run_id=str(run.run_id),
    )
