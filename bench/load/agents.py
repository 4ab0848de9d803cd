"""The agents of `make load`, for locust: each its own tenant, each submits a run, polls it to its end, and goes on.

Between two calls an agent thinks for one to three seconds; none of them pauses. Every answer is checked, not only its
status. The ramp is a list of stages; the figures of each stage are written down when it ends.
"""

import itertools
import json
import os
import random
import time
from collections import Counter
from pathlib import Path
from typing import Any, ClassVar
from uuid import uuid4

from locust import FastHttpUser, LoadTestShape, events, task

from bench.load.stages import at, scaled

SCENARIO = os.environ["LOAD_SCENARIO"]
STAGES = scaled(time=float(os.environ["LOAD_TIME"]), users=float(os.environ["LOAD_USERS"]))
DECISION_BODY = os.environ["LOAD_BODY"]
DOCUMENTS = json.loads(os.environ["LOAD_DOCUMENTS"])
REPORT = Path(os.environ["LOAD_REPORT"])
_keys = itertools.cycle(Path(os.environ["LOAD_KEYS"]).read_text().split())
_GIVE_UP_SEC = 300
# Of the documents of a url run: hot ones, and now and then one of the cold tail.
_HOT_OF_A_RUN, _SHARE_WITH_COLD = 2, 0.1

seen: Counter[str] = Counter()
stages: list[dict[str, Any]] = []


class Agent(FastHttpUser):
    network_timeout = 60.0
    connection_timeout = 60.0

    def on_start(self) -> None:
        self.headers = {"Authorization": f"Bearer {next(_keys)}", "Content-Type": "application/json"}

    def wait_time(self) -> float:
        return random.uniform(1, 3)

    @task
    def one_run(self) -> None:
        began = time.monotonic()
        receipt = self._submit()
        if receipt is None:
            return
        while True:
            time.sleep(self.wait_time())
            status = self._poll(receipt)
            if status in ("COMPLETED", "FAILED"):
                self._note("run", began, None if status == "COMPLETED" else status)
                return
            if time.monotonic() - began > _GIVE_UP_SEC:
                self._note("run", began, "never ended")
                return

    def _submit(self) -> dict[str, Any] | None:
        headers = {**self.headers, "Idempotency-Key": str(uuid4())}
        body = DECISION_BODY if SCENARIO == "decision" else _url_body()
        with self.client.post("/v1/runs", data=body, headers=headers, catch_response=True, name="POST") as answer:
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
            elif run["status"] == "COMPLETED" and SCENARIO == "url":
                _count(run["result"]["inline"])
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


class Ramp(LoadTestShape):
    use_common_options: ClassVar[bool] = False
    number = 0

    def tick(self) -> tuple[int, float] | None:
        now = at(STAGES, self.get_run_time())
        if now is None:
            self._end_stage()
            return None
        number, users, rate = now
        if number != self.number:
            self._end_stage()
            self.number = number
        return users, rate

    def _end_stage(self) -> None:
        stage = STAGES[self.number]
        figures = {"name": stage.name, "users": stage.users, "seconds": stage.seconds, "judged": stage.judged}
        stages.append(
            {**figures, "calls": {entry.name: _figures(entry) for entry in self.runner.stats.entries.values()}}
        )
        self.runner.stats.reset_all()


@events.quitting.add_listener
def _write_report(**_: Any) -> None:
    REPORT.write_text(json.dumps({"stages": stages, "seen": dict(seen)}))


def _figures(entry: Any) -> dict[str, Any]:
    return {
        "requests": entry.num_requests,
        "failures": entry.num_failures,
        **{f"p{percent}_ms": entry.get_response_time_percentile(percent / 100) for percent in (50, 95, 99)},
        "max_ms": round(entry.max_response_time or 0, 1),
    }


def _url_body() -> str:
    urls = random.sample(DOCUMENTS["hot"], _HOT_OF_A_RUN)
    if random.random() < _SHARE_WITH_COLD:
        urls.append(random.choice(DOCUMENTS["cold"]))
    return json.dumps(
        {
            "pack_type": "url",
            "inputs": {"urls": urls, "decision_question": DOCUMENTS["question"]},
            "reservation": {"max_cost_usd": "0.5000", "timebox_sec": 90, "min_reliability_score": 0.1},
            "options": {"inline": 1},
        }
    )


def _count(envelope: dict[str, Any]) -> None:
    cache = envelope["meta"]["cache"]
    seen.update({"runs": 1, "hits": cache["hits"], "misses": cache["misses"], "degraded": cache["degraded"]})
    seen.update(f"discarded {entry['reason_code']}" for entry in envelope["data"]["discard"])


def _wrong(run: dict[str, Any], receipt: dict[str, Any], headers: Any) -> str:
    cost, ended = run["cost"], run["status"] == "COMPLETED"
    if run["run_id"] != receipt["run_id"]:
        return "another run"
    if run["money_state"] != ("SETTLED" if run["status"] in ("COMPLETED", "FAILED") else "RESERVED"):
        return "money"
    # A decision, or, where none can be made, the minimum fee.
    prices = ("0.0500", cost["minimum_fee_usd"]) if ended else ("0.0000",)
    if SCENARIO == "decision" and run["status"] != "FAILED" and cost["used_usd"] not in prices:
        return "price"
    told = (headers["X-DPP-Cost-Reserved"], headers["X-DPP-Cost-Used"], headers["X-DPP-Budget-Remaining"])
    if told != (cost["reserved_usd"], cost["used_usd"], cost["budget_remaining_usd"]):
        return "headers differ from the body"
    if ended and not run["result"]["presigned_url"].startswith("http"):
        return "no result"
    return ""
