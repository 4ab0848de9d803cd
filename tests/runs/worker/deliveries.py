"""Runs of the probe pack, delivered to a worker's function in this process."""

import json
from typing import Any

from packs.registry import PACKS
from runs.lifecycle.envelope import signature_is_valid
from runs.models import Run
from runs.worker.run_one import Delivery, MessageOutcome, run_one
from storage import store
from tests.builders import Customer, fresh_key, message, submitted
from tests.probe_pack import PACK as PROBE

_PACKS = {**PACKS, "probe": PROBE}


def deliver(run: Run, **changes: str) -> MessageOutcome:
    body: dict[str, Any] = {**message(run), **changes}
    return run_one(Delivery(message_id=fresh_key(), body=body, extend=lambda: None), packs=_PACKS)


def probe(owner: Customer, *steps: str, **changes: Any) -> Run:
    inputs = {"steps": list(steps), **changes.pop("inputs", {})}
    return submitted(owner, pack_type="probe", inputs=inputs, **changes)


def ended(run: Run) -> Run:
    return Run.objects.get(pk=run.pk)


def envelope(run: Run) -> dict[str, Any]:
    assert run.result_key
    assert run.result_sha256
    document: dict[str, Any] = json.loads(store.read(run.result_key, sha256=run.result_sha256))
    assert signature_is_valid(document)
    return document
