"""/healthz: the process lives. /readyz: everything it needs answers, each with its latency."""

import time
from collections.abc import Callable

from django.db import connection
from django.http import HttpResponse
from rest_framework.request import Request

from dpp_project.celery import RUNS_QUEUE
from dpp_project.redis import client
from runs import queue
from runs.api.answers import ApiView, json_response
from runs.api.openapi import operations
from storage import store


class HealthView(ApiView):
    @operations.HEALTH
    def get(self, request: Request) -> HttpResponse:
        return json_response({"status": "ok"})


class ReadyView(ApiView):
    @operations.READY
    def get(self, request: Request) -> HttpResponse:
        checks = {name: _probe(call) for name, call in _DEPENDENCIES.items()}
        down = [name for name, result in checks.items() if not result["ok"]]
        body = {"status": "unavailable" if down else "ready", "down": down, "checks": checks}
        return json_response(body, status=503 if down else 200)


def _probe(call: Callable[[], object]) -> dict[str, object]:
    began = time.monotonic()
    try:
        call()
    except Exception as error:
        return {"ok": False, "error": type(error).__name__}
    return {"ok": True, "latency_ms": round((time.monotonic() - began) * 1000, 1)}


def _database() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")


_DEPENDENCIES: dict[str, Callable[[], object]] = {
    "database": _database,
    "redis": lambda: client().ping(),
    "s3": store.reachable,
    "sqs": lambda: queue.depth(RUNS_QUEUE),
}
