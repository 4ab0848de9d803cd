"""Fifty runs of one tenant in five processes that want the same ten documents of one site, and what came of them."""

import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dpp_project.prices import FETCH, FETCH_CACHED
from packs.cache import CACHE
from runs.models import DocumentFlight
from tests.packs.fetch.zoo import Request, Zoo, respond
from tests.packs.fetch.zoo_web import ZooWeb, web_of
from tests.processes import CLONE

PROCESSES, RUNS_EACH = 5, 10
HOST = "www.law.go.kr"
URLS = [f"https://{HOST}/act/{number}" for number in range(10)]


class CountingSite:
    """Takes its time, so that everybody comes while it is answering."""

    def __init__(self) -> None:
        self.at_once = 0
        self.most_at_once = 0
        self.lock = threading.Lock()

    def __call__(self, tls: socket.socket, request: Request) -> None:
        with self.lock:
            self.at_once += 1
            self.most_at_once = max(self.most_at_once, self.at_once)
        time.sleep(0.2)
        with self.lock:
            self.at_once -= 1
        self.answer(tls, request)

    def answer(self, tls: socket.socket, request: Request) -> None:
        respond(tls, f"act at {request.path}".encode())


@dataclass(frozen=True)
class Outcome:
    runs: list[dict[str, Any]]
    downloads: Counter[str]
    most_at_once: int


def fifty_runs(
    zoo: Zoo, folder: Path, site: CountingSite | None = None, urls: list[str] = URLS, **environment: str
) -> Outcome:
    site = site or CountingSite()
    zoo.site(HOST, site)
    with _members(web_of(zoo, folder), urls, environment) as members:
        for member in members:
            assert member.stdout is not None
            assert member.stdout.readline() == "ready\n"
        for member in members:
            assert member.stdin is not None
            member.stdin.write("go\n")
            member.stdin.flush()
        reports = [json.loads(member.communicate(timeout=300)[0]) for member in members]
    return Outcome(
        runs=[run for report in reports for run in report],
        downloads=Counter(request.path for request in zoo.record.requests),
        most_at_once=site.most_at_once,
    )


def assert_each_downloaded_once(outcome: Outcome) -> None:
    everything = {url: f"act at {url.removeprefix(f'https://{HOST}')}" for url in URLS}
    assert len(outcome.runs) == PROCESSES * RUNS_EACH
    assert [run["documents"] for run in outcome.runs if run["documents"] != everything] == []
    assert outcome.downloads == {f"/act/{number}": 1 for number in range(len(URLS))}
    assert outcome.most_at_once <= CACHE.host_slots_per_tenant
    # Each run paid once for each document: as fetched, or as a copy that was there already.
    assert {sum(run["bought"].values()) for run in outcome.runs} == {len(URLS)}
    assert {item for run in outcome.runs for item in run["bought"]} <= {FETCH, FETCH_CACHED}
    assert list(DocumentFlight.objects.values_list("state", flat=True)) == ["CACHED"] * len(URLS)


@contextmanager
def _members(web: ZooWeb, urls: list[str], environment: dict[str, str]) -> Iterator[list["subprocess.Popen[str]"]]:
    started = [
        subprocess.Popen(
            [
                *(sys.executable, "-m", "tests.cache.fleet_member"),
                *(str(web.port), web.authority, str(RUNS_EACH), *urls),
            ],
            cwd=CLONE,
            env={
                **os.environ,
                "DJANGO_SETTINGS_MODULE": "dpp_project.settings",
                "DPP_DB_POOL_MAX": "16",
                **environment,
            },
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(PROCESSES)
    ]
    try:
        yield started
    finally:
        for member in started:
            member.kill()
            member.communicate()
