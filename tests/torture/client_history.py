"""Agents that submit, poll, cancel and repeat, whatever the platform does; and what they saw, held against the journal.

The verdict is the clients' own: it needs nothing but their answers and, at the end, the books.
"""

import http.client
import random
import threading
import time
from collections import defaultdict
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from budget.models import LedgerEntry
from dpp_project.money import parse_usd
from runs.models import Run
from tests.builders import Customer, body, fresh_key
from tests.http import Answer, Api

# A receipt is the same whenever it is repeated: it tells nothing of the state.
RECEIPT = ""
_RANK = {RECEIPT: -1, "QUEUED": 0, "PROCESSING": 1, "COMPLETED": 2, "FAILED": 2}
# An entry carries the moment of its statement; its commit may come so much later on a server that is stopped.
_LATEST_COMMIT_SEC = 90.0
_CLOCK_SEC = 1.0
_REFUSALS = (409, 429, 503, 504)


@dataclass(frozen=True)
class Seen:
    """One answer about a run."""

    sent_at: float
    answered_at: float
    status: str
    used: int
    reserved: int
    remaining: int


class History:
    """What all agents of one tenant have seen."""

    def __init__(self, owner: Customer) -> None:
        self.owner = owner
        self.run_of_key: dict[str, str] = {}
        self.key_of_run: dict[str, str] = {}
        self.seen: dict[str, list[Seen]] = defaultdict(list)
        self.refusals: dict[int, int] = defaultdict(int)
        self.wrong: list[str] = []
        self._ended: set[str] = set()
        self._lock = threading.Lock()

    def accepted(self, key: str, run_id: str, seen: Seen) -> None:
        with self._lock:
            known = self.run_of_key.setdefault(key, run_id)
            self.key_of_run.setdefault(run_id, key)
            if known != run_id:
                self.wrong.append(f"key {key} named {known}, then {run_id}")
            if self.key_of_run[run_id] != key:
                self.wrong.append(f"run {run_id} has two keys")
            self._note(run_id, seen)

    def polled(self, run_id: str, seen: Seen) -> None:
        with self._lock:
            self._note(run_id, seen)

    def refused(self, status: int, text: str) -> None:
        with self._lock:
            self.refusals[status] += 1
            if status not in (0, *_REFUSALS):
                self.wrong.append(f"answered {status}: {text[:300]}")

    def _note(self, run_id: str, seen: Seen) -> None:
        """States only move forward: compared with every answer that was there before this question was asked."""
        for earlier in self.seen[run_id]:
            if earlier.answered_at >= seen.sent_at or RECEIPT in (earlier.status, seen.status):
                continue
            if _RANK[seen.status] < _RANK[earlier.status]:
                self.wrong.append(f"{run_id} was {earlier.status}, then {seen.status}")
            if _RANK[earlier.status] == 2 and (seen.status, seen.used) != (earlier.status, earlier.used):
                self.wrong.append(f"{run_id} ended as {earlier.status}/{earlier.used}, then {seen.status}/{seen.used}")
        self.seen[run_id] = [*self.seen[run_id][-20:], seen]
        if _RANK[seen.status] == 2:
            self._ended.add(run_id)

    def open_runs(self) -> list[str]:
        with self._lock:
            return [run_id for run_id in self.key_of_run if run_id not in self._ended]

    def some_run(self, chance: random.Random) -> str | None:
        with self._lock:
            return chance.choice(list(self.seen)) if self.seen else None

    def some_key(self, chance: random.Random) -> str | None:
        with self._lock:
            return chance.choice(list(self.run_of_key)) if self.run_of_key else None

    # --- the verdict --------------------------------------------------------------------------------------------------

    def verdict(self, *, paid_in: int) -> list[str]:
        """All that is wrong, once everything has ended."""
        wrong = list(self.wrong)
        rows = {str(run.pk): run for run in Run.objects.filter(tenant=self.owner.tenant)}
        for run_id, key in self.key_of_run.items():
            row = rows.get(run_id)
            if row is None:
                wrong.append(f"{run_id} was accepted and does not exist")
                continue
            if row.idempotency_key != key:
                wrong.append(f"{run_id} has another key")
            for seen in self.seen[run_id]:
                ended = _RANK[seen.status] == 2
                if ended and (seen.status, seen.used) != (row.status, row.actual_cost_usd_micros):
                    wrong.append(f"{run_id} was told as {seen.status}/{seen.used} and is {row}")
                if seen.used and seen.status in ("QUEUED", "PROCESSING"):
                    wrong.append(f"{run_id} cost {seen.used} while it was {seen.status}")
                if seen.reserved != row.reservation_max_cost_usd_micros:
                    wrong.append(f"{run_id}: {seen.reserved} reserved by the header")
        keys = [run.idempotency_key for run in rows.values() if not run.idempotency_released]
        if len(keys) != len(set(keys)):
            wrong.append("a key has two runs")
        return wrong + self._headers_against_journal() + self._sum_of_charges(list(rows.values()), paid_in)

    def _headers_against_journal(self) -> list[str]:
        """Every `X-DPP-Budget-Remaining` is what the journal said then: after one of the entries around that moment."""
        entries = LedgerEntry.objects.filter(tenant=self.owner.tenant).order_by("sequence")
        moments, sums, total = [0.0], [0], 0
        for created_at, amount in entries.values_list("created_at", "amount_usd_micros"):
            total += amount
            moments.append(created_at.timestamp())
            sums.append(total)
        wrong = []
        for run_id, all_seen in self.seen.items():
            for seen in all_seen:
                first = max((n for n, at in enumerate(moments) if at < seen.sent_at - _LATEST_COMMIT_SEC), default=0)
                last = max(n for n, at in enumerate(moments) if at <= seen.answered_at + _CLOCK_SEC)
                told = seen.remaining
                if not any(abs(exact - told) <= _DISPLAYED for exact in sums[first : last + 1]):
                    moment = datetime.fromtimestamp(seen.answered_at, UTC)
                    wrong.append(f"{run_id}: {told} remaining by the header at {moment:%T}, the journal never said so")
        return wrong

    def _sum_of_charges(self, rows: list[Run], paid_in: int) -> list[str]:
        charged = sum(run.actual_cost_usd_micros or 0 for run in rows)
        entries = LedgerEntry.objects.filter(tenant=self.owner.tenant)
        fell_by = paid_in - sum(entries.values_list("amount_usd_micros", flat=True))
        return [] if charged == fell_by else [f"charged {charged}, the balance fell by {fell_by}"]


# Headers have four places: half of the last one.
_DISPLAYED = 50


class Agent(threading.Thread):
    """One caller. What it does follows from its seed; when, from the platform."""

    def __init__(self, number: int, seed: int, url: str, history: History, *, pause_sec: float) -> None:
        super().__init__(name=f"agent-{number}", daemon=True)
        self._chance = random.Random(f"{seed}-{number}")
        self._api, self._history, self._pause_sec = Api(url, history.owner), history, pause_sec
        self._stopped = threading.Event()
        self.calls = 0

    def stop(self) -> None:
        self._stopped.set()

    def run(self) -> None:
        while not self._stopped.wait(self._chance.uniform(0.5, 1.5) * self._pause_sec):
            self.calls += 1
            kind = self._chance.random()
            if kind < 0.35:
                self._submit(fresh_key())
            elif kind < 0.42 and (key := self._history.some_key(self._chance)):
                self._submit(key)
            elif kind < 0.47 and (run_id := self._history.some_run(self._chance)):
                self._ask(lambda run_id=run_id: self._api.cancel(run_id), run_id)
            else:
                open_runs = self._history.open_runs()
                run_id = self._chance.choice(open_runs) if open_runs else self._history.some_run(self._chance)
                if run_id:
                    self._ask(lambda run_id=run_id: self._api.get(f"/v1/runs/{run_id}"), run_id)

    def _submit(self, key: str) -> None:
        """The same key until there is a receipt: an agent that is not sure asks again."""
        while True:
            sent_at = time.time()
            answer = self._call(lambda: self._api.submit(body(reservation={"max_cost_usd": "0.1000"}), key=key))
            if answer is not None and answer.status == 202:
                self._history.accepted(key, answer.json["run_id"], _seen(answer, sent_at, RECEIPT))
                return
            if answer is not None and answer.status not in _REFUSALS:
                return
            if self._stopped.wait(0.3):
                return

    def _ask(self, call: Any, run_id: str) -> None:
        sent_at = time.time()
        answer = self._call(call)
        if answer is not None and answer.status in (200, 202):
            self._history.polled(run_id, _seen(answer, sent_at, answer.json["status"]))

    def _call(self, call: Any) -> Answer | None:
        try:
            answer: Answer = call()
        except (OSError, http.client.HTTPException):
            self._history.refused(0, "")
            return None
        if answer.status not in (200, 202):
            self._history.refused(answer.status, answer.text)
        return answer


def _seen(answer: Answer, sent_at: float, status: str) -> Seen:
    amount = {name: parse_usd(str(answer.headers[f"X-DPP-{name}"])) for name in _HEADERS}
    return Seen(sent_at, time.time(), status, *(amount[name] for name in _HEADERS))


_HEADERS = ("Cost-Used", "Cost-Reserved", "Budget-Remaining")


def poll_to_the_end(history: History, url: str, *, seconds: float) -> None:
    """Until the clients themselves have seen every run of theirs end."""
    api, ends = Api(url, history.owner), time.monotonic() + seconds
    while (waiting := history.open_runs()) and time.monotonic() < ends:
        for run_id in waiting:
            sent_at = time.time()
            try:
                answer = api.get(f"/v1/runs/{UUID(run_id)}")
            except (OSError, http.client.HTTPException):
                break
            if answer.status == 200:
                history.polled(run_id, _seen(answer, sent_at, answer.json["status"]))
        time.sleep(0.5)
    history.wrong += [f"{run_id} was never seen to end" for run_id in history.open_runs()]
