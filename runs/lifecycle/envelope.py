"""The envelope: a run's result as one signed JSON document. Its stored bytes are its RFC 8785 form."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from dpp_project import signing
from dpp_project.canonical import NotCanonical, canonical_bytes, canonical_object, sha256_hex
from dpp_project.clock import instant
from dpp_project.money import Micros, format_usd
from dpp_project.profile import profile_of
from packs.base import JsonObject, PackResult
from runs.lifecycle.outcomes import StoredRef
from runs.models import Run
from runs.states import Reason, Status
from storage import store


@dataclass(frozen=True)
class Envelope:
    body: bytes
    signature: str


# The platform's own words in an answer are in the answer's language.
PROVISIONAL = {
    "en": "Reliability {score} is below the requested {required}: treat the answer as provisional.",
    "ko": "신뢰도 {score} — 요청한 {required}보다 낮으므로 잠정적인 답으로 보십시오.",
}


def score(result: PackResult) -> float:
    return round(min(max(result.reliability, 0.0), 1.0), 4)


def success(
    run: Run,
    result: PackResult,
    *,
    used: Micros,
    items: list[JsonObject],
    artifacts: list[StoredRef],
    key: str,
    now: datetime,
    latency_ms: int,
) -> Envelope:
    required, reached = run.min_reliability_score, score(result)
    data = dict(result.data)
    if reached < required:
        data["open"] = [
            *data.get("open", []),
            {
                "id": "RELIABILITY_NOT_MET",
                "kind": "RELIABILITY_NOT_MET",
                "text": PROVISIONAL["ko" if data.get("language") == "ko" else "en"].format(
                    score=reached, required=required
                ),
            },
        ]
    if result.budget_cap_reached:
        data["budget_cap"] = "BUDGET_CAP_REACHED"
    document = _frame(run, Status.COMPLETED, used=used, items=items, key=key, now=now, latency_ms=latency_ms)
    document |= {
        "reliability": {"score": reached, "required": required, "met": reached >= required},
        "data": data,
        "artifacts": _artifacts(artifacts),
        "logs": {"discard_log": list(result.discard_log), "blocked_log": list(result.blocked_log)},
    }
    document["meta"]["cache"] = result.cache
    return sign(document)


def failure(
    run: Run,
    reason: Reason,
    detail: str,
    *,
    used: Micros,
    items: list[JsonObject],
    key: str,
    now: datetime,
    latency_ms: int,
    shown: PackResult | None = None,
) -> Envelope:
    """For the owner: the reason, no internals. `shown` tells what became of each input of a run that delivered
    nothing."""
    found = shown or PackResult({}, reliability=0)
    document = _frame(run, Status.FAILED, used=used, items=items, key=key, now=now, latency_ms=latency_ms)
    document |= {
        "reliability": {"score": score(found), "required": run.min_reliability_score, "met": False},
        "data": {**found.data, "error": {"reason_code": str(reason), "detail": detail}},
        "artifacts": _artifacts([]),
        "logs": {"discard_log": list(found.discard_log), "blocked_log": list(found.blocked_log)},
    }
    return sign(document)


def sign(document: JsonObject) -> Envelope:
    """The signature is over everything but itself. Each member is serialised once, for both forms."""
    members = {name: canonical_bytes(value) for name, value in document.items()}
    unsigned = canonical_object(members)
    digest, signature = sha256_hex(unsigned), signing.sign(unsigned)
    members["signatures"] = canonical_bytes(
        {"sha256": digest, "ed25519": signature.ed25519, "key_id": signature.key_id}
    )
    return Envelope(canonical_object(members), digest)


def signature_is_valid(document: Any) -> bool:
    if not isinstance(document, dict):
        return False
    try:
        unsigned = canonical_bytes({name: value for name, value in document.items() if name != "signatures"})
    except NotCanonical:
        return False
    match document.get("signatures"):
        case {"sha256": digest, "ed25519": str(signature), "key_id": str(key_id), **others} if not others:
            return bool(digest == sha256_hex(unsigned)) and signing.is_signed(unsigned, signature, key_id)
        case {"sha256": digest, **others} if not others:
            # From before results were signed with a key.
            return bool(digest == sha256_hex(unsigned))
    return False


def _frame(
    run: Run,
    status: Status,
    *,
    used: Micros,
    items: list[JsonObject],
    key: str,
    now: datetime,
    latency_ms: int,
) -> JsonObject:
    reserved = format_usd(Micros(run.reservation_max_cost_usd_micros))
    return {
        "schema_version": profile_of(run.profile_version).envelope_schema_version,
        "run_id": str(run.pk),
        "pack_type": run.pack_type,
        "status": str(status),
        "generated_at": instant(now),
        "cost": {
            "reserved_usd": reserved,
            "used_usd": format_usd(used),
            "minimum_fee_usd": format_usd(Micros(run.minimum_fee_usd_micros)),
            "items": items,
        },
        "meta": {
            "trace_id": run.trace_id,
            "profile_version": run.profile_version,
            "created_at": instant(run.created_at),
            "completed_at": instant(now),
            "latency_ms": latency_ms,
            "retention_until": instant(run.retention_until),
            "cost_usd_actual": format_usd(used),
            "cost_usd_reserved": reserved,
            "cache": {},
        },
        "pointers": {"result_object": f"s3://{store.bucket()}/{key}"},
    }


def _artifacts(refs: list[StoredRef]) -> JsonObject:
    """By their names in the contract; everything else under `extra_files`."""
    known = {"report.md": "report_markdown", "report.docx": "report_docx"}
    entries = {ref.name: {"name": ref.name, "key": ref.key, "sha256": ref.sha256, "size": ref.size} for ref in refs}
    listed: JsonObject = {known[name]: entry for name, entry in entries.items() if name in known}
    listed["extra_files"] = {name: entry for name, entry in entries.items() if name not in known}
    return listed
