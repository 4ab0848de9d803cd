"""The application's own processes: one table. A new one is a new row, and nothing else."""

import sys
from dataclasses import dataclass


@dataclass(frozen=True)
class Process:
    name: str
    title: str
    module: str
    arguments: tuple[str, ...]
    """`{port}` and `{run}` (the directory for what is true only while the stack runs) are filled in."""

    url_variable: str | None = None
    """For a process that listens: under which name its URL is exported. It then gets a port of its own."""
    url_path: str = ""
    """What the exported URL ends with; its health is asked at the root."""
    hint: str = ""
    """What `make up` says beside its URL; nothing, and it is not mentioned."""
    preferred_ports: tuple[int, ...] = ()
    health_path: str = "/healthz"

    keep_group: bool = False
    """Its helpers would outlive a kill -9 of it, and go on answering on its port."""
    grace_sec: float = 15

    def argv(self, *, port: int | None, run: str) -> list[str]:
        # As modules of this interpreter: the scripts in .venv/bin break when a clone is moved or lies very
        # deep.
        filled = (argument.format(port=port, run=run) for argument in self.arguments)
        return [sys.executable, "-m", self.module, *filled]


def _celery_worker(queues: str, *, name: str, concurrency: int) -> tuple[str, ...]:
    # What these switch off needs broadcasts, which SQS does not have.
    silent = ("--without-gossip", "--without-mingle", "--without-heartbeat")
    return (
        *("-A", "dpp_project", "worker", "-Q", queues, "-n", f"{name}@%h"),
        *("--concurrency", str(concurrency), "--loglevel", "INFO", *silent),
    )


PROCESSES = (
    Process(
        name="api",
        title="API",
        module="granian",
        arguments=(
            *("--interface", "wsgi", "dpp_project.wsgi:application"),
            # HTTP/1 alone: in clear, HTTP/2 is nothing that a caller needs, and another parser to attack.
            *("--host", "127.0.0.1", "--port", "{port}", "--no-ws", "--http", "1"),
            *("--http1-header-read-timeout", "10000"),
            # Threads wait for PostgreSQL, Redis and SQS most of the time. `backpressure` counts connections, idle ones
            # too: thousands of agents keep theirs open between polls. What the threads cannot take at once waits in
            # granian, and beyond that in the kernel. Sixteen by measurement: the more wait at once, the more polls
            # share a call (0.58 of a bare view with eight threads, 0.72 with sixteen), and submits are no slower.
            *("--workers", "2", "--blocking-threads", "16", "--backlog", "4096", "--backpressure", "4096"),
            # A worker that was killed comes back without the other one being disturbed.
            *("--respawn-failed-workers", "--respawn-interval", "0.5", "--workers-kill-timeout", "10"),
            *("--log-level", "info", "--no-access-log"),
        ),
        url_variable="DPP_API_URL",
        preferred_ports=(8000,),
        keep_group=True,
    ),
    # A worker for each kind of work, with slots of its own: none waits for another.
    Process(
        name="worker",
        title="Worker, quick runs",
        module="celery",
        arguments=_celery_worker("dpp-runs,dpp-runs-backlog", name="runs", concurrency=4),
    ),
    Process(
        name="worker-fetch",
        title="Worker, web pages",
        module="celery",
        # Its slots wait for other people's sites: more of them than cores do no harm.
        arguments=_celery_worker("dpp-runs-fetch,dpp-runs-fetch-backlog", name="fetch", concurrency=4),
    ),
    Process(
        name="worker-ocr",
        title="Worker, OCR",
        module="celery",
        arguments=_celery_worker("dpp-runs-ocr,dpp-runs-ocr-backlog", name="ocr", concurrency=2),
    ),
    Process(
        name="maintenance",
        title="Maintenance worker",
        module="celery",
        arguments=_celery_worker("dpp-maintenance", name="maintenance", concurrency=1),
    ),
    Process(
        name="reaper",
        title="Reaper",
        module="manage",
        # Whatever the other jobs do, runs of dead workers end in their time.
        arguments=("reap", "--forever"),
    ),
    Process(
        name="webhooks",
        title="Webhook sender",
        module="manage",
        # Receivers are other people's servers: waiting for them keeps nothing else waiting.
        arguments=("send_webhooks", "--forever"),
    ),
    Process(
        name="beat",
        title="Beat",
        module="celery",
        # No file of its process number: after a crash it would refuse to start. The supervisor sees to it
        # that there is only one.
        arguments=("-A", "dpp_project", "beat", "--schedule", "{run}/celerybeat-schedule", "--pidfile="),
        grace_sec=5,
    ),
    Process(
        name="events",
        title="Event gateway",
        module="runs.gateway",
        arguments=("--host", "127.0.0.1", "--port", "{port}"),
        url_variable="DPP_EVENTS_URL",
        preferred_ports=(8002,),
        grace_sec=10,
    ),
    Process(
        name="mcp",
        title="MCP gateway",
        module="runs.mcp",
        arguments=("--transport", "http", "--host", "127.0.0.1", "--port", "{port}"),
        url_variable="DPP_MCP_URL",
        url_path="/mcp",
        hint="with your API key as bearer token; see docs/mcp.md",
        preferred_ports=(8001,),
        grace_sec=5,
    ),
)
