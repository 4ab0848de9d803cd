"""Kinds of work do not wait for each other, nor tenants: told by the order in which runs end, with real workers."""

import time
from collections.abc import Callable
from dataclasses import asdict, replace
from types import SimpleNamespace
from typing import Any

import pytest

from devstack.processes import PROCESSES
from dpp_project.celery import DEAD_LETTER_QUEUES, RUNS_QUEUE, RUNS_QUEUES, WORK_QUEUES, app, queue_url
from dpp_project.profile import PROFILE
from dpp_project.redis import client as redis_client
from dpp_project.work_queues import Work
from packs.base import FETCHES
from packs.registry import PACKS
from runs.jobs.dead_letters import dead_letters
from runs.jobs.resend import resend
from runs.lifecycle import queue, redeliveries
from runs.lifecycle.queue import EXECUTE_TASK, decode, depth, queue_of, sqs
from runs.models import Run
from tests.builders import Customer, message, submitted
from tests.probe_pack import PACK as PROBE
from tests.processes import WorkerProcess
from tests.race import passing_time
from tests.race.queue_messages import celery_message
from tests.services import SessionServices

QUICK, FETCH, OCR = WORK_QUEUES[Work.QUICK], WORK_QUEUES[Work.FETCH], WORK_QUEUES[Work.OCR]
DIRECT = PROFILE.direct_runs_per_tenant
_WITH_PROBE = {"DPP_EXTRA_PACKS": "tests.probe_pack:PACK"}


class QuickWorker(WorkerProcess):
    queues = QUICK.taken_by_workers


class FetchWorker(WorkerProcess):
    queues = FETCH.taken_by_workers


class OcrWorker(WorkerProcess):
    queues = OCR.taken_by_workers


@pytest.fixture
def probe_is(monkeypatch: pytest.MonkeyPatch) -> Callable[[Work], None]:
    """Says what kind of work the probe is."""

    def declare(work: Work) -> None:
        monkeypatch.setattr(queue, "PACKS", {**PACKS, "probe": replace(PROBE, work=work)})

    return declare


@pytest.mark.parametrize(
    ("pack_type", "features", "queues"),
    [
        ("decision", frozenset(), QUICK),
        ("compliance", frozenset(), QUICK),
        ("eval", frozenset(), QUICK),
        ("url", frozenset({FETCHES}), FETCH),
        ("decision", frozenset({FETCHES}), FETCH),
        ("ocr", frozenset(), OCR),
        ("ocr", frozenset({FETCHES}), OCR),
        ("taken off the list", frozenset(), QUICK),
    ],
)
def test_a_run_waits_with_its_kind_of_work(pack_type: str, features: frozenset[str], queues: Any) -> None:
    run = Run(pack_type=pack_type)

    assert queue_of(run, features=features, live_runs=1) == queues.direct
    assert queue_of(run, features=features, live_runs=DIRECT + 1) == queues.backlog


def test_what_a_tenant_submits_beyond_its_first_runs_waits_in_the_backlog(acme: Customer, rival: Customer) -> None:
    for _ in range(DIRECT + 3):
        submitted(acme)
    submitted(rival)

    assert (depth(QUICK.direct), depth(QUICK.backlog)) == (DIRECT + 1, 3)


def test_the_message_names_its_tenant_as_its_group(acme: Customer, rival: Customer) -> None:
    """For servers with fair queues; the embedded one keeps the group and ignores it."""
    submitted(acme)
    submitted(acme)
    submitted(rival)

    answer = sqs().receive_message(
        QueueUrl=queue_url(RUNS_QUEUE), MaxNumberOfMessages=10, MessageSystemAttributeNames=["MessageGroupId"]
    )

    group_of = [
        (decode(each["Body"])["tenant_id"], each["Attributes"]["MessageGroupId"]) for each in answer["Messages"]
    ]
    assert len(group_of) == 3
    assert len(set(group_of)) == 2
    assert not {"acme", "rival"} & {group for _, group in group_of}


def test_a_server_without_message_groups_is_sent_none(acme: Customer, settings: Any) -> None:
    settings.SQS_MESSAGE_GROUPS = False
    submitted(acme)

    answer = sqs().receive_message(QueueUrl=queue_url(RUNS_QUEUE), MessageSystemAttributeNames=["MessageGroupId"])

    assert "MessageGroupId" not in answer["Messages"][0].get("Attributes", {})


def test_a_message_that_is_sent_again_waits_where_the_tenants_runs_wait(acme: Customer, rival: Customer) -> None:
    runs = [submitted(acme, pack_type="ocr") for _ in range(DIRECT + 2)]
    alone = submitted(rival, pack_type="ocr")
    for name in RUNS_QUEUES:
        sqs().purge_queue(QueueUrl=queue_url(name))
    for run in (*runs, alone):
        passing_time.waits_in_queue(run, seconds=901)

    assert asdict(resend(now=run.created_at)) == {"found": DIRECT + 3, "sent": DIRECT + 3, "failed": 0}

    assert (depth(OCR.direct), depth(OCR.backlog)) == (1, DIRECT + 2)


def test_a_run_is_sent_also_when_redis_cannot_tell_how_many_its_tenant_has(acme: Customer) -> None:
    run = submitted(acme)
    redis_client().set("budget:acme:holds", "of another type")

    assert queue_of(run) == QUICK.direct


@pytest.mark.parametrize("name", DEAD_LETTER_QUEUES)
def test_the_dead_letters_of_every_queue_are_settled(acme: Customer, name: str) -> None:
    run = submitted(acme)
    for received in range(1, PROFILE.sqs_max_receive_count + 1):
        redeliveries.note(str(run.pk), receive_count=received)
    sqs().send_message(QueueUrl=queue_url(name), MessageBody=celery_message(EXECUTE_TASK, dict(message(run))))

    assert asdict(dead_letters())["ended"] == 1

    assert depth(name) == 0


def test_a_backlog_of_ocr_delays_no_decision(
    acme: Customer, rival: Customer, worker: Callable[..., WorkerProcess], probe_is: Callable[[Work], None]
) -> None:
    probe_is(Work.OCR)
    slow = [submitted(acme, pack_type="probe", inputs={"steps": ["sleep:20"]}) for _ in range(DIRECT + 4)]
    reading = worker(OcrWorker, **_WITH_PROBE)
    deciding = worker(QuickWorker, **_WITH_PROBE)
    _until(lambda: "PROCESSING" in _statuses(slow), reading)

    decisions = [submitted(rival), submitted(acme)]

    _until(lambda: _statuses(decisions) == ["COMPLETED"] * 2, deciding)
    # Nobody has ended one of those that came long before.
    assert set(_statuses(slow)) == {"QUEUED", "PROCESSING"}


def test_a_tenant_with_a_long_backlog_delays_nobodys_first_run(
    acme: Customer, rival: Customer, worker: Callable[..., WorkerProcess]
) -> None:
    """Half of the slots are kept from the backlog: nobody waits until one of its runs has ended."""
    direct = [submitted(acme, pack_type="probe", inputs={"steps": []}) for _ in range(DIRECT)]
    backlog = [submitted(acme, pack_type="probe", inputs={"steps": ["sleep:8"]}) for _ in range(10)]
    process = worker(QuickWorker, **_WITH_PROBE)
    _until(lambda: set(_statuses(direct)) == {"COMPLETED"} and "PROCESSING" in _statuses(backlog), process)
    time.sleep(1)  # for whatever else the worker would take

    waited_for = 0
    for _ in range(3):
        run = submitted(rival, pack_type="probe", inputs={"steps": []})
        ended_before = _statuses(backlog).count("COMPLETED")
        _until(lambda run=run: _statuses([run]) != ["QUEUED"], process, pause=0.005)  # type: ignore[misc]
        waited_for += _statuses(backlog).count("COMPLETED") - ended_before
    # One may end by chance; a run that had to wait for a slot would have waited for one each time.
    assert waited_for <= 1
    assert "QUEUED" in _statuses(backlog)


@pytest.mark.parametrize(
    ("works_on", "had_messages", "of_direct", "of_backlog"),
    [
        ([], [], 1, 1),
        ([], [QUICK.direct, QUICK.backlog], 4, 2),
        ([QUICK.backlog] * 2, [QUICK.direct, QUICK.backlog], 2, 0),
        ([QUICK.direct] * 3, [QUICK.direct, QUICK.backlog], 1, 1),
        ([QUICK.direct] * 2 + [QUICK.backlog], [QUICK.direct, QUICK.backlog], 1, 0),
        ([QUICK.direct] * 4, [QUICK.direct, QUICK.backlog], 0, 0),
    ],
)
def test_a_worker_gives_the_backlog_at_most_half_of_its_slots_and_always_one(
    services: SessionServices, works_on: list[str], had_messages: list[str], of_direct: int, of_backlog: int
) -> None:
    with app.connection_for_read() as connection:
        channel: Any = connection.channel()
        channel.qos.prefetch_count = 4
        channel._active_queues = list(QUICK.taken_by_workers)
        channel._had_messages = set(had_messages)
        for number, name in enumerate(works_on):
            channel.qos.append(SimpleNamespace(delivery_info={"sqs_queue": queue_url(name)}), str(number))

        assert (channel._room_for(QUICK.direct), channel._room_for(QUICK.backlog)) == (of_direct, of_backlog)

        # What one queue is being asked for is kept from the other.
        channel._asked = {QUICK.backlog: 1}
        assert channel._room_for(QUICK.direct) == (min(of_direct, max(3 - len(works_on), 1)))
        channel.qos._delivered.clear()


def test_a_message_of_before_there_were_kinds_is_executed(
    acme: Customer, worker: Callable[..., WorkerProcess], probe_is: Callable[[Work], None]
) -> None:
    """Every run's message was in what is now the quick work's queue, and may still be there."""
    probe_is(Work.OCR)
    run = submitted(acme, pack_type="probe", inputs={"steps": []})
    sqs().purge_queue(QueueUrl=queue_url(OCR.direct))
    sqs().send_message(QueueUrl=queue_url(RUNS_QUEUE), MessageBody=celery_message(EXECUTE_TASK, dict(message(run))))

    process = worker(QuickWorker, **_WITH_PROBE)

    _until(lambda: _statuses([run]) == ["COMPLETED"], process)


def test_the_message_of_a_long_run_is_kept_from_others_whatever_queue_it_came_from(
    acme: Customer, worker: Callable[..., WorkerProcess], probe_is: Callable[[Work], None]
) -> None:
    probe_is(Work.FETCH)
    sqs().set_queue_attributes(QueueUrl=queue_url(FETCH.direct), Attributes={"VisibilityTimeout": "3"})
    try:
        run = submitted(acme, pack_type="probe", inputs={"steps": ["sleep:8"]})
        short = '{"lease_ttl_sec": 10, "lease_heartbeat_sec": 1, "sqs_visibility_timeout_sec": 3}'
        process = worker(FetchWorker, **_WITH_PROBE, DPP_PROFILE_OVERRIDES=short)
        _until(lambda: _statuses([run]) == ["COMPLETED"], process)
    finally:
        queue.bootstrap_queues()
    assert "not_ours" not in process.lines()
    assert depth(FETCH.direct) == 0


def test_make_up_starts_workers_for_every_queue() -> None:
    taken = [process.arguments[process.arguments.index("-Q") + 1] for process in PROCESSES if "-Q" in process.arguments]

    assert sorted(name for names in taken for name in names.split(",")) == sorted((*RUNS_QUEUES, "dpp-maintenance"))


def _statuses(runs: list[Run]) -> list[str]:
    status_of = dict(Run.objects.filter(pk__in=[run.pk for run in runs]).values_list("pk", "status"))
    return [status_of[run.pk] for run in runs]


def _until(what: Callable[[], bool], process: WorkerProcess, *, within: float = 180, pause: float = 0.05) -> None:
    ends = time.monotonic() + within
    while not what():
        if time.monotonic() > ends:
            pytest.fail(f"not within {within} s\n{process.lines()[-3000:]}")
        time.sleep(pause)
