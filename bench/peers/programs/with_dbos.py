"""DBOS: a workflow of one step; every step's outcome is a row, so that a restarted workflow goes on where it was."""

import os
import threading

import work
from dbos import DBOS, DBOSClient

_URL = os.environ["PEER_DATABASE_URL"]
_QUEUE = "runs"


@DBOS.step()
def put_an_object() -> None:
    work.put_an_object()


@DBOS.workflow(name="execute")
def execute(inputs: dict[str, object]) -> None:
    put_an_object()
    work.note_the_end()


def _start() -> None:
    DBOS(config={"name": "bench", "system_database_url": _URL, "log_level": "ERROR", "sys_db_pool_size": 16})
    DBOS.launch()
    # The default asks once a second, which is no measure of what it can do.
    DBOS.register_queue(_QUEUE, worker_concurrency=4, polling_interval_sec=0.01)


def prepare() -> None:
    _start()
    DBOS.destroy()


_client: DBOSClient | None = None
_making = threading.Lock()


def _callers() -> DBOSClient:
    global _client
    with _making:
        _client = _client or DBOSClient(system_database_url=_URL, system_database_pool_size=16)
        return _client


def accept(inputs: dict[str, object]) -> str:
    return str(_callers().enqueue({"queue_name": _QUEUE, "workflow_name": "execute"}, inputs).get_workflow_id())


def read(run_id: str) -> dict[str, object]:
    status = _callers().retrieve_workflow(run_id).get_status()
    return {"run_id": run_id, "status": status.status, "inputs": status.input, "created_at": status.created_at}


def serve_queue() -> None:
    _start()
    threading.Event().wait()


if __name__ == "__main__":
    work.run(prepare, accept, serve_queue)
