"""Procrastinate: a row per job, fetched by SELECT … FOR UPDATE SKIP LOCKED, woken by NOTIFY."""

import os

import procrastinate
import work

_URL = os.environ["PEER_DATABASE_URL"]

app = procrastinate.App(connector=procrastinate.PsycopgConnector(conninfo=_URL, max_size=16))
_callers = procrastinate.App(connector=procrastinate.SyncPsycopgConnector(conninfo=_URL, min_size=1, max_size=16))
_callers.open()


@app.task(name="execute")
def execute(inputs: dict[str, object]) -> None:
    work.put_an_object()
    work.note_the_end()


def prepare() -> None:
    _callers.schema_manager.apply_schema()


def accept(inputs: dict[str, object]) -> str:
    return str(_callers.configure_task("execute").defer(inputs=inputs))


def read(run_id: str) -> dict[str, object]:
    job = next(iter(_callers.job_manager.list_jobs(id=int(run_id))))
    return {"run_id": run_id, "status": job.status, "inputs": job.task_kwargs, "attempts": job.attempts}


def serve_jobs() -> None:
    app.run_worker(concurrency=4, delete_jobs="never")


if __name__ == "__main__":
    work.run(prepare, accept, serve_jobs)
