"""The peers: how each is started, asked, and given work. Every one has a database of its own on the same PostgreSQL."""

import json
import os
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psycopg

from bench.peers.environments import PROGRAMS, python_of
from bench.speed import customers, servers
from bench.speed.servers import Server
from devstack.postgres import Postgres

_INPUTS = json.dumps(customers.BODY["inputs"]).encode()


@dataclass
class Peer:
    """A library behind the platform's HTTP server: Procrastinate or DBOS. Prefect brings a server of its own."""

    name: str
    home: Path
    postgres: Postgres
    accepted_status: int = 202
    worker_processes: int = 2
    python: Path = field(init=False)
    environment: dict[str, str] = field(init=False)

    def __post_init__(self) -> None:
        self.python = python_of(self.name)
        database = f"peer_{self.name}"
        with psycopg.connect(self.postgres.owner_url, autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {database}")
        self.environment = {
            "PEER": f"with_{self.name}",
            "PEER_DATABASE_URL": self.postgres.owner_url_of(database),
            "PYTHONPATH": str(PROGRAMS),
            "DBOS__VMID": "bench",
        }

    @contextmanager
    def serving(self) -> Iterator[Server]:
        self._command("prepare")
        port = servers.free_port()
        argv = servers.argv_of("api", port, self.home)
        argv[0] = str(self.python)
        argv[argv.index("dpp_project.wsgi:application")] = "edge:application"
        with servers.running(self.name, argv, self.home, self.environment, port) as server:
            _wait_until_listening(server)
            yield server

    def submit(self) -> bytes:
        return customers.request("POST", "/runs", _INPUTS)

    def read(self, run_id: str) -> bytes:
        return customers.request("GET", f"/runs/{run_id}", b"")

    def accept_one(self, server: Server) -> str:
        """The id of a run that waits."""
        answer = servers.ask(server.port, self.submit())
        run_id: str = json.loads(answer.partition(b"\r\n\r\n")[2])["run_id"]
        return run_id

    def fill(self, number: int) -> list[str]:
        """So many runs that wait for a worker."""
        ids: list[str] = json.loads(self._command("fill", str(number)))
        return ids

    @contextmanager
    def working(self, done: Path) -> Iterator[None]:
        """As many processes as the machine has cores, four tasks at a time in each."""
        self.environment["BENCH_DONE"] = str(done)
        argv = [str(self.python), str(PROGRAMS / f"with_{self.name}.py"), "work"]
        started = []
        try:
            for number in range(self.worker_processes):
                one = servers.running(f"{self.name}-work{number}", argv, self.home, self.environment, 0)
                one.__enter__()
                started.append(one)
            yield
        finally:
            for one in started:
                one.__exit__(None, None, None)

    def ended_ids(self, server: Server, filled: list[str]) -> list[str]:
        """Ended runs that its readers can be asked for."""
        return filled

    def _command(self, *arguments: str) -> str:
        done = subprocess.run(
            [self.python, PROGRAMS / f"with_{self.name}.py", *arguments],
            input=_INPUTS,
            env={**os.environ, **self.environment},
            stdout=subprocess.PIPE,
            check=True,
        )
        return done.stdout.decode().splitlines()[-1] if done.stdout else ""


class Prefect(Peer):
    """Runs are flow runs of a deployment. What a worker ends are background tasks: see `programs/with_prefect.py`."""

    @contextmanager
    def serving(self) -> Iterator[Server]:
        port = servers.free_port()
        self.environment |= {
            "PREFECT_API_DATABASE_CONNECTION_URL": self.environment["PEER_DATABASE_URL"].replace(
                "postgresql:", "postgresql+asyncpg:"
            ),
            "PREFECT_API_URL": f"http://127.0.0.1:{port}/api",
            "PREFECT_HOME": str(self.home / "prefect"),
            "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
            "PREFECT_LOGGING_LEVEL": "ERROR",
            "PREFECT_SERVER_UI_ENABLED": "false",
        }
        argv = [str(self.python), "-m", "prefect", "server", "start", "--host", "127.0.0.1", "--port", str(port)]
        with servers.running("prefect", argv, self.home, self.environment, port) as server:
            servers.wait_for(f"http://127.0.0.1:{port}/api/health")
            flow = self._post(server, "/api/flows/", {"name": "execute"})
            self._deployment = self._post(server, "/api/deployments/", {"name": "bench", "flow_id": flow["id"]})["id"]
            yield server

    def submit(self) -> bytes:
        return customers.request(
            "POST",
            f"/api/deployments/{self._deployment}/create_flow_run",
            b'{"parameters":{"inputs":' + _INPUTS + b"}}",
        )

    def read(self, run_id: str) -> bytes:
        return customers.request("GET", f"/api/flow_runs/{run_id}", b"")

    def accept_one(self, server: Server) -> str:
        answer = servers.ask(server.port, self.submit())
        run_id: str = json.loads(answer.partition(b"\r\n\r\n")[2])["id"]
        return run_id

    def ended_ids(self, server: Server, filled: list[str]) -> list[str]:
        """Flow runs whose state was set, as a worker of it does."""
        ids = [self.accept_one(server) for _ in range(len(filled))]
        for run_id in ids:
            self._post(server, f"/api/flow_runs/{run_id}/set_state", {"state": {"type": "COMPLETED"}, "force": True})
        return ids

    def _post(self, server: Server, path: str, body: dict[str, object]) -> dict[str, str]:
        answer = servers.ask(server.port, customers.request("POST", path, json.dumps(body).encode()))
        head, _, content = answer.partition(b"\r\n\r\n")
        assert head.split()[1] in (b"200", b"201"), answer
        found: dict[str, str] = json.loads(content)
        return found


def _wait_until_listening(server: Server) -> None:
    ends = time.monotonic() + 60
    while True:
        try:
            socket.create_connection(("127.0.0.1", server.port)).close()
            return
        except OSError:
            assert time.monotonic() < ends
            time.sleep(0.05)
