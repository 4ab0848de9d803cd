"""One decision run, over HTTP as any client would do it, from receipt to verified result and price."""

import hashlib
import json
import textwrap
import time
import uuid
from collections.abc import Mapping
from typing import Any

from devstack.client import HttpAnswer, Unreachable, request
from devstack.terminal import Terminal

WAIT_SEC = 120

ORDER = {
    "pack_type": "decision",
    "inputs": {
        "question": "Which supplier should we choose?",
        "options": [
            {"name": "Alpha", "attributes": {"price": 1200, "delivery time": 14, "support": "24 hours"}},
            {"name": "Beta", "attributes": {"price": 1450, "delivery time": 5, "support": "office hours"}},
        ],
        "criteria": [
            {"name": "price", "weight": 0.5, "direction": "lower_is_better"},
            {"name": "delivery time", "weight": 0.5, "direction": "lower_is_better"},
        ],
        "context": {"quantity": 200, "needed by": "in three weeks"},
    },
    "reservation": {"max_cost_usd": "0.5000"},
}


class DemoFailed(Exception):
    """The run did not go as it should; the message says how far it came."""


class Demo:
    def __init__(self, terminal: Terminal, *, api_url: str, api_key: str) -> None:
        self._terminal = terminal
        self._api_url = api_url
        self._headers = {"Authorization": f"Bearer {api_key}"}

    def run(self) -> None:
        started = time.monotonic()
        run_id = self._submit()
        answer = self._follow(run_id, started)
        envelope = self._download(answer.json().get("result") or {})
        self._show_answer(envelope.get("data") or {})
        self._show_cost(answer)

    def _submit(self) -> str:
        answer = self._call("POST", "/v1/runs", {"Idempotency-Key": str(uuid.uuid4())}, ORDER)
        if answer.status != 202:
            raise DemoFailed(f"POST /v1/runs answered {answer.status}: {_problem(answer)}")
        receipt = answer.json()
        self._terminal.done("Receipt", f"run {receipt['run_id']}")
        self._terminal.fact("Reserved", f"{receipt['reservation']['max_cost_usd']} USD")
        return str(receipt["run_id"])

    def _follow(self, run_id: str, started: float) -> HttpAnswer:
        """Poll at the recommended interval until the run has ended; never faster than the limit allows."""
        while True:
            answer = self._call("GET", f"/v1/runs/{run_id}")
            run = answer.json()
            elapsed = time.monotonic() - started
            if answer.status == 429:
                time.sleep(float(answer.headers.get("Retry-After", "5")))
                continue
            if answer.status != 200:
                raise DemoFailed(f"GET /v1/runs/{run_id} answered {answer.status}: {_problem(answer)}")
            if run["status"] == "COMPLETED":
                self._terminal.done("Run", f"{self._terminal.bar(1)} 100 %  COMPLETED", seconds=elapsed)
                return answer
            if run["status"] not in ("QUEUED", "PROCESSING"):
                raise DemoFailed(f"run {run_id} is {run['status']}: {json.dumps(run.get('error'))}")
            if elapsed > WAIT_SEC:
                raise DemoFailed(f"run {run_id} is still {run['status']} after {WAIT_SEC} s")
            self._wait(run, started)

    def _wait(self, run: Mapping[str, Any], started: float) -> None:
        share = float(run.get("progress") or 0)
        # The interval is for whoever polls for long; the first second of a demonstration may ask a little
        # sooner.
        until = time.monotonic() + (0.4 if time.monotonic() - started < 2 else 1.5)
        while time.monotonic() < until:
            state = f"{self._terminal.bar(share)} {share:4.0%}  {run['status']}"
            self._terminal.progress("Run", f"{state}  {time.monotonic() - started:.1f} s")
            time.sleep(0.1)

    def _download(self, result: Mapping[str, Any]) -> dict[str, Any]:
        stored = request("GET", str(result.get("presigned_url")))
        if stored.status != 200:
            raise DemoFailed(f"the presigned link of the result answered {stored.status}")
        sha256 = hashlib.sha256(stored.body).hexdigest()
        if sha256 != result.get("sha256"):
            raise DemoFailed(f"the result's sha256 is {sha256}, and should be {result.get('sha256')}")
        self._terminal.done("Result", f"{len(stored.body):,} bytes, sha256 {sha256[:16]}… verified")
        return stored.json()

    def _show_answer(self, data: Mapping[str, Any]) -> None:
        text = next((data[key] for key in ("answer_text", "answer") if isinstance(data.get(key), str)), "")
        for number, line in enumerate(textwrap.wrap(textwrap.shorten(text, 230, placeholder=" …"), 78)):
            self._terminal.fact("Answer" if number == 0 else "", line)

    def _show_cost(self, answer: HttpAnswer) -> None:
        cost = answer.json()["cost"]
        pairs = {
            "X-DPP-Cost-Reserved": cost["reserved_usd"],
            "X-DPP-Cost-Used": cost["used_usd"],
            "X-DPP-Budget-Remaining": cost["budget_remaining_usd"],
        }
        for header, stated in pairs.items():
            if answer.headers.get(header) != stated:
                raise DemoFailed(f"{header} says {answer.headers.get(header)}, and the body {stated}")
        self._terminal.done("Cost", f"{cost['used_usd']} USD used of {cost['reserved_usd']} reserved")
        self._terminal.done("Balance", f"{cost['budget_remaining_usd']} USD (headers and body agree)")

    def _call(
        self,
        method: str,
        path: str,
        headers: Mapping[str, str] | None = None,
        body: Mapping[str, Any] | None = None,
    ) -> HttpAnswer:
        all_headers = {**self._headers, **(headers or {})}
        try:
            return request(method, self._api_url + path, headers=all_headers, body=body)
        except Unreachable as error:
            raise DemoFailed(str(error)) from error


def _problem(answer: HttpAnswer) -> str:
    problem = answer.json()
    return str(problem.get("detail") or problem.get("title") or answer.body[:300].decode(errors="replace"))
