"""/healthz: the process lives. /readyz: everything it needs answers, each with its latency."""

import functools
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait

from django.db import DatabaseError, InterfaceError, connection
from rest_framework.request import Request
from rest_framework.response import Response

from dpp_project import clock, redis_health
from dpp_project.celery import RUNS_QUEUE
from dpp_project.redis import Store
from packs.sandbox import confinement
from runs.api.api_view import OpenView
from runs.api.openapi import operations
from runs.api.serializers.service import HEALTH, READINESS
from runs.lifecycle import queue
from storage import store

# A balancer asks every few seconds and does not wait long.
_WITHIN_SEC = 0.8


class HealthView(OpenView):
    @operations.HEALTH
    def get(self, request: Request) -> Response:
        return Response(HEALTH.to_representation({}))


class ReadyView(OpenView):
    @operations.READY
    def get(self, request: Request) -> Response:
        checks = _PROBES.results()
        # What the kernel lacks makes nobody unready: the rest of the confinement holds.
        checks["sandbox"] = {"ok": True, "missing": confinement.missing()}
        down = [name for name, result in checks.items() if not result["ok"]]
        body = {"status": "unavailable" if down else "ready", "down": down, "checks": checks}
        return Response(READINESS.to_representation(body), status=503 if down else 200)


_Result = dict[str, object]


class _Probes:
    """All dependencies are asked at the same time, each on the one thread it has: who hangs holds nobody else."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._threads: dict[str, ThreadPoolExecutor] = {}
        self._asked: dict[str, Future[_Result]] = {}

    def results(self) -> dict[str, _Result]:
        with self._lock:
            for name, check in _CHECKS.items():
                # One that still hangs is not asked again: its answer is waited for by all who look.
                if name not in self._asked or self._asked[name].done():
                    thread = self._threads.setdefault(name, ThreadPoolExecutor(1, thread_name_prefix=f"ready-{name}"))
                    self._asked[name] = thread.submit(check)
            asked = dict(self._asked)
        wait(asked.values(), timeout=_WITHIN_SEC)
        silent: _Result = {"ok": False, "error": "TimeoutError"}
        return {name: future.result() if future.done() else silent for name, future in asked.items()}


_PROBES = _Probes()


def _probe(call: Callable[[], list[str] | None]) -> _Result:
    began = time.monotonic()
    try:
        missing = call()
    except Exception as error:
        return {"ok": False, "error": type(error).__name__}
    finally:
        connection.close()
    result: _Result = {"ok": True, "latency_ms": round((time.monotonic() - began) * 1000, 1)}
    return {**result, "missing": missing} if missing else result


def _clock() -> dict[str, object]:
    """A machine whose clock is far from the database's is not fit to serve."""
    try:
        skew = clock.skew()
    except (DatabaseError, InterfaceError) as error:
        return {"ok": False, "error": type(error).__name__}
    finally:
        connection.close()
    return {"ok": clock.is_set_right(skew), "skew_sec": round(skew, 3)}


def _database() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")


def _redis(store: Store) -> list[str]:
    """Of a cluster one server must take writes: whose keys lie at the others is served nowhere better."""
    return redis_health.silent_servers(store, within_sec=_WITHIN_SEC * 0.75)


def _queue() -> None:
    queue.depth(RUNS_QUEUE)


_DEPENDENCIES: dict[str, Callable[[], list[str] | None]] = {
    "database": _database,
    **{store.server.name: functools.partial(_redis, store) for store in Store},
    "s3": store.reachable,
    "sqs": _queue,
}
_CHECKS: dict[str, Callable[[], _Result]] = {
    **{name: functools.partial(_probe, call) for name, call in _DEPENDENCIES.items()},
    "clock": _clock,
}
