"""`/metrics` of every process on a port of its own: workers, the event gateway beside its streams, the API.

A worker's counters are kept by its children, one file each, in `PROMETHEUS_MULTIPROC_DIR`; its head adds them up for
whoever asks. The API's port also tells what is true of the whole platform.
"""

import errno
import os
from wsgiref.simple_server import WSGIServer

from prometheus_client import REGISTRY, CollectorRegistry, start_http_server
from prometheus_client.multiprocess import MultiProcessCollector

from dpp_project.env import BadEnvironment, Env

_serving: WSGIServer | None = None


def serve_metrics(variable: str, *, counted: CollectorRegistry | None = None, shared: bool = False) -> None:
    """On the port that the variable names; without one, nothing listens.

    `shared`: several processes of one kind are given the same port. One of them answers, for all of them.
    """
    global _serving
    env = Env()
    port = env.integer(variable, 0, most=65_535)
    host = env.text("DPP_METRICS_HOST", "0.0.0.0")  # noqa: S104
    if not port:
        return
    try:
        _serving, _ = start_http_server(port, addr=host, registry=counted or registry())
    except OSError as error:
        if shared and error.errno == errno.EADDRINUSE:
            return
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
