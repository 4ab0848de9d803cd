"""`/metrics` of processes that serve no HTTP themselves: workers, and the event gateway beside its streams.

A worker's counters are kept by its children, one file each, in `PROMETHEUS_MULTIPROC_DIR`; its head adds them up for
whoever asks. The API serves its own, with what is true of the whole platform.
"""

import os
from wsgiref.simple_server import WSGIServer

from prometheus_client import REGISTRY, CollectorRegistry, start_http_server
from prometheus_client.multiprocess import MultiProcessCollector

from dpp_project.env import BadEnvironment, Env

_serving: WSGIServer | None = None


def serve_metrics(variable: str) -> None:
    """On the port that the variable names; without one, nothing listens."""
    global _serving
    env = Env()
    port = env.integer(variable, 0, most=65_535)
    if not port:
        return
    try:
        _serving, _ = start_http_server(port, addr=env.text("DPP_METRICS_HOST", "0.0.0.0"), registry=registry())  # noqa: S104
    except OSError as error:
        raise BadEnvironment(f"{variable}={port}: the port cannot be listened on ({error.strerror}).") from error


def require_shared_counters(variable: str) -> None:
    """For a process whose children count: without a directory each would keep its counters to itself."""
    if os.environ.get(variable) and not os.environ.get("PROMETHEUS_MULTIPROC_DIR"):
        raise BadEnvironment(f"{variable} is set and PROMETHEUS_MULTIPROC_DIR is not: name an empty directory.")


def leave_to_parent() -> None:
    """In a child: it must not hold its parent's port when that one has ended."""
    if _serving is not None:
        _serving.socket.close()


def registry() -> CollectorRegistry:
    """Of this process, or, where processes share a directory, the sum over all of them."""
    if not os.environ.get("PROMETHEUS_MULTIPROC_DIR"):
        return REGISTRY
    shared = CollectorRegistry()
    MultiProcessCollector(shared)  # type: ignore[no-untyped-call]
    return shared
