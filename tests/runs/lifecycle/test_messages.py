"""The form of messages on the queue, and the one place where a message that fits no run is kept."""

import json
from dataclasses import asdict
from uuid import uuid4

import pytest

from dpp_project.celery import RUNS_QUEUE
from runs.lifecycle.queue import EXECUTE_TASK, BadMessage, RunMessage, bury, decode, encode
from runs.models import DeadLetter, Run
from tests.builders import Customer, submitted

MESSAGE = RunMessage(str(uuid4()), "acme", "decision", "2026-01-01T00:00:00+00:00")


def test_what_is_encoded_is_decoded() -> None:
    assert decode(encode(asdict(MESSAGE), task_name=EXECUTE_TASK, queue=RUNS_QUEUE)) == asdict(MESSAGE)


@pytest.mark.parametrize("body", ["", "not base64!", "bm90IEpTT04=", '{"body": 1}', '["a list"]', '{"body": "e30="}'])
def test_what_is_no_message_of_ours_is_refused(body: str) -> None:
    with pytest.raises(BadMessage):
        decode(body)


@pytest.mark.parametrize("change", [{"run_id": "no uuid"}, {"schema_version": "2"}, {"tenant_id": 1}, {"more": "x"}])
def test_what_is_not_of_the_schema_is_refused(change: dict[str, object]) -> None:
    with pytest.raises(BadMessage):
        RunMessage.parse({**asdict(MESSAGE), **change})


def test_a_message_is_buried_once_and_can_be_read_again(acme: Customer) -> None:
    run: Run = submitted(acme)
    kwargs = asdict(RunMessage(str(run.pk), acme.id, "decision", "2026-01-01T00:00:00+00:00"))
    for _ in range(2):
        bury("message-1", json.dumps(kwargs), "unknown run", tenant_id=acme.id)
    (letter,) = DeadLetter.objects.all()
    assert RunMessage.parse(decode(letter.body)).run_id == str(run.pk)
