"""Prefect's background tasks: the quickest way it has; a flow run of its own process takes seconds."""

import work
from prefect import task
from prefect.task_worker import serve


@task(name="execute", log_prints=False)
def execute(inputs: dict[str, object]) -> None:
    work.put_an_object()
    work.note_the_end()


def accept(inputs: dict[str, object]) -> str:
    return str(execute.delay(inputs).task_run_id)


def serve_tasks() -> None:
    serve(execute, limit=4)


if __name__ == "__main__":
    work.run(lambda: None, accept, serve_tasks)
