"""A deterministic run once more, from its stored request: the worker's own code, without a service and without money.

What has been issued says when and for whom it was made; everything else is computed again, and compared as bytes.
"""

import json
import logging
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from dpp_project.canonical import canonical_bytes, sha256_hex
from dpp_project.json_pointer import escape
from dpp_project.money import parse_usd
from dpp_project.prices import LLM_INPUT_TOKEN, LLM_OUTPUT_TOKEN
from dpp_project.profile import PROFILE
from packs.base import JsonObject, PackContext, PackResult
from packs.registry import PACKS
from runs.lifecycle.envelope import Envelope
from runs.lifecycle.outcomes import StoredRef
from runs.models import Run, RunPayload
from runs.states import Reason, Status
from runs.worker.execution import Execution
from runs.worker.timebox import Timebox
from storage import object_keys

# A run that failed otherwise (cancelled, out of time, a server away) failed for a reason that no inputs explain.
_FAILURES_OF_THE_PACK = frozenset({Reason.PACK_FAILED, Reason.NOTHING_DELIVERED, Reason.RELIABILITY_NOT_MET})
_TOKENS = frozenset({LLM_INPUT_TOKEN, LLM_OUTPUT_TOKEN})
_MOST_DIFFERENCES = 20


class NotRecomputable(Exception):
    """Says why another execution would not show anything."""


def differences(issued: JsonObject, request: JsonObject) -> list[str]:
    """JSON Pointers of the members that are computed otherwise now; none if the bytes are the same."""
    _refuse_what_cannot_be_repeated(issued, request)
    again = _Recomputation(issued, request).document()
    before = {name: value for name, value in issued.items() if name != "signatures"}
    if canonical_bytes(again) == canonical_bytes(before):
        return []
    return list(_differing("", before, again))[:_MOST_DIFFERENCES]


def _refuse_what_cannot_be_repeated(issued: JsonObject, request: JsonObject) -> None:
    pack = PACKS.get(request["pack_type"])
    if pack is None or not pack.is_deterministic:
        repeatable = ", ".join(sorted(name for name, each in PACKS.items() if each.is_deterministic))
        raise NotRecomputable(f"The {request['pack_type']} pack is not deterministic; these are: {repeatable}.")
    if "fetch_external" in pack.features(request["inputs"]):
        raise NotRecomputable("The run read pages of the web, which may have changed.")
    if any(item["item"] in _TOKENS for item in issued["cost"]["items"]):
        raise NotRecomputable("A language model took part, which need not answer the same twice.")
    reason = issued["data"].get("error", {}).get("reason_code")
    if issued["status"] == Status.FAILED and reason not in _FAILURES_OF_THE_PACK:
        raise NotRecomputable(f"The run failed for a reason outside of the pack: {reason}.")
    if issued["meta"]["profile_version"] != PROFILE.version:
        raise NotRecomputable(
            f"The run's profile is {issued['meta']['profile_version']}; this is the code of {PROFILE.version}."
        )


class _Recomputation(Execution):
    """What the worker stores is kept here instead."""

    def __init__(self, issued: JsonObject, request: JsonObject) -> None:
        meta = issued["meta"]
        run = Run(
            run_id=UUID(issued["run_id"]),
            pack_type=request["pack_type"],
            trace_id=meta["trace_id"],
            profile_version=meta["profile_version"],
            created_at=datetime.fromisoformat(meta["created_at"]),
            retention_until=datetime.fromisoformat(meta["retention_until"]),
            reservation_max_cost_usd_micros=parse_usd(request["max_cost_usd"]),
            minimum_fee_usd_micros=parse_usd(issued["cost"]["minimum_fee_usd"]),
            min_reliability_score=request["min_reliability_score"],
            timebox_sec=request["timebox_sec"],
        )
        payload = RunPayload(run_id=run.pk, body=canonical_bytes(request).decode())
        super().__init__(run, payload, PACKS[run.pack_type], heartbeat=None)
        self._issued = issued
        self._made: JsonObject = {}
        self._keys = {entry["name"]: entry["key"] for entry in _entries(issued["artifacts"])}

    def document(self) -> JsonObject:
        """The unsigned envelope that the worker would issue, at the moment and place of the one that it did."""
        self.outcome()
        moments = {name: self._issued["meta"][name] for name in ("completed_at", "latency_ms")}
        places = {name: self._issued[name] for name in ("generated_at", "pointers")}
        return {**self._made, **places, "meta": {**self._made["meta"], **moments}}

    def _run_pack(self, inputs: JsonObject) -> PackResult:
        ended = datetime.fromisoformat(self._issued["generated_at"])
        context = PackContext(
            tenant_id="",
            # When the worker began: a pack may say how old something is.
            now=ended - timedelta(milliseconds=self._issued["meta"]["latency_ms"]),
            deadline=Timebox(self.run.timebox_sec),
            meter=self.meter,
            checkpoint=lambda stage, progress, **detail: None,
            log=logging.getLogger("dpp.recomputation"),
        )
        return self.pack.execute(inputs, context)

    def _put_envelope(self, document: Envelope) -> StoredRef:
        self._made = json.loads(document.body)
        del self._made["signatures"]
        return self._put_artifact(object_keys.ENVELOPE, document.body, "")

    def _put_artifact(self, name: str, body: bytes, mime: str) -> StoredRef:
        key = self._keys.get(name, "")
        return StoredRef(bucket="", key=key, name=name, sha256=sha256_hex(body), size=len(body), mime=mime, etag="")

    @property
    def _envelope_key(self) -> str:
        return ""


def _entries(artifacts: JsonObject) -> Iterator[JsonObject]:
    for name, entry in artifacts.items():
        if name == "extra_files":
            yield from entry.values()
        else:
            yield entry


def _differing(pointer: str, before: Any, again: Any) -> Iterator[str]:
    """The smallest members that differ. A member that only one side has is one."""
    match before, again:
        case dict(), dict():
            pairs: Any = [(name, before.get(name), again.get(name)) for name in sorted({*before, *again})]
        case list(), list() if len(before) == len(again):
            pairs = list(zip(map(str, range(len(before))), before, again, strict=True))
        case _:
            if before != again:
                yield pointer
            return
    for name, one, other in pairs:
        yield from _differing(f"{pointer}/{escape(name)}", one, other)
