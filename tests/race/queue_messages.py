"""Messages as Celery writes them, for tests that play the queue's part."""

import base64
import json
from uuid import uuid4

from dpp_project.celery import DEAD_LETTER_QUEUE, RUNS_QUEUE, queue_url
from dpp_project.profile import PROFILE
from runs.lifecycle import redeliveries
from runs.lifecycle.queue import EXECUTE_TASK, sqs
from runs.models import Run
from tests.builders import message


def send_to_dead_letters(run: Run) -> None:
    """The run's message was received three times in vain, each time by a worker."""
    for received in range(1, PROFILE.sqs_max_receive_count + 1):
        redeliveries.note(str(run.pk), receive_count=received)
    lose_to_dead_letters(run)


def lose_to_dead_letters(run: Run) -> None:
    """The same, but no worker ever had an answer."""
    sqs().send_message(
        QueueUrl=queue_url(DEAD_LETTER_QUEUE), MessageBody=celery_message(EXECUTE_TASK, dict(message(run)))
    )


def celery_message(task: str, kwargs: dict[str, str]) -> str:
    """As kombu writes it: base64 of JSON, with the arguments in base64 inside."""
    inner = json.dumps([[], kwargs, {"callbacks": None, "errbacks": None, "chain": None, "chord": None}])
    task_id = str(uuid4())
    outer = {
        "body": base64.b64encode(inner.encode()).decode(),
        "content-encoding": "utf-8",
        "content-type": "application/json",
        "headers": {"lang": "py", "task": task, "id": task_id, "root_id": task_id, "argsrepr": "()", "kwargsrepr": ""},
        "properties": {
            "correlation_id": task_id,
            "reply_to": str(uuid4()),
            "delivery_mode": 2,
            "delivery_info": {"exchange": "", "routing_key": RUNS_QUEUE},
            "priority": 0,
            "body_encoding": "base64",
            "delivery_tag": str(uuid4()),
        },
    }
    return base64.b64encode(json.dumps(outer).encode()).decode()
