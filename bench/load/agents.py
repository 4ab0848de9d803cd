"""The agents of `make load`, for locust: each its own tenant, each submits a run and polls it as the receipt says.

An open model: an agent starts its next run at its own time (`LOAD_PERIOD_SEC` after the last start), however long the
platform takes for this one. Every answer is checked, not only its status.
"""

import itertools
import json
import os
import random
import time
from pathlib import Path
from typing import Any
from uuid import uuid4

from locust import FastHttpUser, constant_pacing, task

PERIOD_SEC = float(os.environ["LOAD_PERIOD_SEC"])
BODY = os.environ["LOAD_BODY"]
_keys = itertools.cycle(Path(os.environ["LOAD_KEYS"]).read_text().split())
_GIVE_UP_SEC = 300


class Agent(FastHttpUser):
    wait_time = constant_pacing(PERIOD_SEC)
    network_timeout = 60.0
    connection_timeout = 60.0

    def on_start(self) -> None:
        self.headers = {"Authorization": f"Bearer {next(_keys)}", "Content-Type": "application/json"}
        time.sleep(random.uniform(0, PERIOD_SEC))

    @task
    def one_run(self) -> None:
        began = time.monotonic()
        receipt = self._submit()
        if receipt is None:
            return
        interval = receipt["poll"]["recommended_interval_ms"] / 1000
        while True:
            time.sleep(interval)
            status = self._poll(receipt)
            if status in ("COMPLETED", "FAILED"):
                self._note("run, POST to seen end", began, None if status == "COMPLETED" else status)
                return
            if time.monotonic() - began > _GIVE_UP_SEC:
                self._note("run, POST to seen end", began, "never ended")
                return

    def _submit(self) -> dict[str, Any] | None:
        headers = {**self.headers, "Idempotency-Key": str(uuid4())}
        with self.client.post("/v1/runs", data=BODY, headers=headers, catch_response=True, name="POST") as answer:
            if answer.status_code != 202:
                answer.failure(f"{answer.status_code} {str(answer.text)[:200]}")
                return None
            receipt: dict[str, Any] = json.loads(answer.text)
            if receipt["status"] != "QUEUED" or answer.headers["X-DPP-Cost-Reserved"] != "0.5000":
                answer.failure(f"a wrong receipt: {str(answer.text)[:300]}")
            return receipt

    def _poll(self, receipt: dict[str, Any]) -> str | None:
        href = receipt["poll"]["href"]
        with self.client.get(href, headers=self.headers, catch_response=True, name="GET") as answer:
            if answer.status_code != 200:
                answer.failure(f"{answer.status_code} {str(answer.text)[:200]}")
                return None
            run: dict[str, Any] = json.loads(answer.text)
            if problem := _wrong(run, receipt, answer.headers):
                answer.failure(f"a wrong answer ({problem}): {str(answer.text)[:300]}")
            return str(run["status"])

    def _note(self, name: str, began: float, problem: str | None) -> None:
        self.environment.events.request.fire(
            request_type="RUN",
            name=name,
            response_time=(time.monotonic() - began) * 1000,
            response_length=0,
            exception=RuntimeError(problem) if problem else None,
            context={},
        )


def _wrong(run: dict[str, Any], receipt: dict[str, Any], headers: Any) -> str:
    cost = run["cost"]
    ended = run["status"] == "COMPLETED"
    expected = ("SETTLED", "0.0500") if ended else ("RESERVED", "0.0000")
    if run["run_id"] != receipt["run_id"]:
        return "another run"
    if (run["money_state"], cost["used_usd"]) != expected:
        return "money"
    told = (headers["X-DPP-Cost-Reserved"], headers["X-DPP-Cost-Used"], headers["X-DPP-Budget-Remaining"])
    if told != (cost["reserved_usd"], cost["used_usd"], cost["budget_remaining_usd"]):
        return "headers differ from the body"
    if ended and not run["result"]["presigned_url"].startswith("http"):
        return "no result"
    return ""
