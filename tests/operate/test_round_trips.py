"""What one run asks of PostgreSQL and Redis: the figures that docs/capacity.md calculates with."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test import Client

from dpp_project import redis as scripts
from dpp_project.redis import Store, client
from runs.access import limits
from runs.models import Run
from runs.worker.run_one import Delivery, MessageOutcome, run_one
from tests.builders import Customer, message, submitted
from tests.processes import CLONE

_END = "that-was-all"
_TO_CONNECT = ("HELLO", "CLIENT", "PING")


def _resting(store: Store, patience_sec: float | None = None) -> Any:
    return scripts._connections(store, patience_sec)._resting  # type: ignore[union-attr]


@pytest.fixture
def counted(tmp_path: Path) -> Callable[[], "Counted"]:
    return lambda: Counted(tmp_path / "wire")


class Counted:
    """The calls that went over the wire while inside: to Redis by name, to PostgreSQL in all."""

    def __init__(self, trace: Path) -> None:
        self._trace = trace
        self.redis: Counter[str] = Counter()
        self.sql = 0

    @contextmanager
    def inside(self) -> Iterator[None]:
        connection.ensure_connection()
        wire = connection.connection.pgconn
        with client().monitor() as monitor, self._trace.open("wb") as trace:  # type: ignore[no-untyped-call]
            # Other processes of the session may be at work: only our own connections count.
            resting = [*_resting(Store.LEDGER), *_resting(Store.LIMITS, limits._LIMIT._patience_sec)]
            ours = {client().client_info()["addr"], *(_address(connection) for connection in resting)}
            wire.trace(trace.fileno())
            yield
            wire.untrace()
            client().echo(_END)
            while (command := monitor.next_command())["command"] != f"ECHO {_END}":
                # What a script calls is no round trip.
                name = command["command"].split()[0].upper()
                asked_by = f"{command['client_address']}:{command['client_port']}"
                if command["client_type"] != "lua" and asked_by in ours and name not in _TO_CONNECT:
                    self.redis[name] += 1
        self.sql = len(re.findall(r"\tF\t\d+\t(?:Sync|Query)\b", "\t" + self._trace.read_text().replace("\n", "\n\t")))


def test_the_round_trips_of_a_run_are_those_of_the_capacity_page(
    acme: Customer, api: Client, counted: Callable[[], Counted], monkeypatch: pytest.MonkeyPatch
) -> None:
    # A pack on a busy machine tells its progress and its events more often than once.
    monkeypatch.setattr("runs.worker.checkpoint._LOOK_EVERY_SEC", 60)
    monkeypatch.setattr("runs.events.outbox._MOMENT_SEC", 60)
    # Scripts are loaded, statements prepared and the key known by the first run.
    _poll(api, acme, _execute(acme))
    submit, work, poll = counted(), counted(), counted()

    with submit.inside():
        run = submitted(acme)
    with poll.inside():
        _poll(api, acme, run)
    with work.inside():
        done = run_one(Delivery(message_id="m", body=dict(message(run)), extend=lambda: None))

    assert done == MessageOutcome.ENDED
    told = (CLONE / "docs" / "capacity.md").read_text()
    rows = dict(re.findall(r"^\| (PostgreSQL round trips|Redis calls) \| (.+?) \|$", told, re.MULTILINE))
    found = (submit, work, poll)
    assert [each.sql for each in found] == _figures(rows["PostgreSQL round trips"])
    assert [each.redis.total() for each in found] == _figures(rows["Redis calls"]), [each.redis for each in found]


def _address(connection: Any) -> str:
    host, port = connection._sock.getsockname()
    return f"{host}:{port}"


def _figures(row: str) -> list[int]:
    return [int(re.findall(r"^\d+", cell)[0]) for cell in row.split(" | ")]


def _poll(api: Client, owner: Customer, run: Run) -> None:
    answer = api.get(f"/v1/runs/{run.pk}", headers=owner.headers())
    assert answer.status_code == 200, answer.content


def _execute(owner: Customer) -> Run:
    run = submitted(owner)
    run_one(Delivery(message_id="m", body=dict(message(run)), extend=lambda: None))
    return run
