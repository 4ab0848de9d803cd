"""A pack that does what a test tells it: waits, fails, spends, answers. Used in-process and, by
`DPP_EXTRA_PACKS=tests.probe_pack:PACK`, in real API and worker processes."""

import os
import signal
import time

from dpp_project.prices import DECISION_BASE, FETCH
from packs.base import (
    Artifact,
    BudgetCapReached,
    Estimate,
    JsonObject,
    Pack,
    PackContext,
    PackError,
    PackResult,
    TimeboxExceeded,
)


def execute(inputs: JsonObject, context: PackContext) -> PackResult:
    context.meter.base(DECISION_BASE)
    cap_reached = False
    reliability, nothing, undecided = 0.9, "", False
    log: tuple[JsonObject, ...] = ()
    for step in inputs.get("steps", []):
        verb, _, value = step.partition(":")
        if verb == "checkpoint":
            context.checkpoint("execute", float(value or 0.5))
        elif verb == "sleep":
            _sleep_cooperatively(float(value), context)
        elif verb == "hang":
            time.sleep(float(value))
        elif verb == "fail":
            raise PackError(value or "The probe was told to fail.")
        elif verb == "crash":
            raise RuntimeError("secret internals")
        elif verb == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        elif verb == "reliability":
            reliability = float(value)
        elif verb == "nothing":
            nothing = value
        elif verb == "undecided":
            undecided = True
        elif verb == "discard":
            log = (*log, {"reason_code": value})
        elif verb == "stop_with_log":
            stop = TimeboxExceeded()
            stop.found = PackResult({}, reliability=0, discard_log=log)
            raise stop
        elif verb == "vain":
            context.meter.set_aside(FETCH)
            context.meter.waive(FETCH, value)
        elif verb == "fetch":
            try:
                context.meter.spend(FETCH, int(value))
            except BudgetCapReached:
                cap_reached = True
    artifacts = (Artifact("notes.txt", "text/plain; charset=utf-8", b"notes"),) if inputs.get("artifact") else ()
    return PackResult(
        {"echo": inputs.get("echo", "")},
        reliability=reliability,
        artifacts=artifacts,
        budget_cap_reached=cap_reached,
        discard_log=log or (({"reason_code": "ACCESS_TIMEOUT"},) if nothing else ()),
        nothing_delivered=nothing,
        undecided=undecided,
    )


def _sleep_cooperatively(seconds: float, context: PackContext) -> None:
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        context.checkpoint("execute", 0.5)
        time.sleep(0.05)


PACK = Pack(
    name="probe",
    title="A probe for tests",
    input_schema={
        "type": "object",
        "properties": {
            "steps": {"type": "array", "items": {"type": "string"}},
            "echo": {"type": "string"},
            "artifact": {"type": "boolean"},
        },
        "additionalProperties": False,
    },
    prices=(DECISION_BASE, FETCH),
    execute=execute,
    estimate=lambda inputs: Estimate({}, {}, {}),
)
