"""A model's text as events of its run: a real worker's function, a local model server, Redis and the gateway."""

import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import Any

import pytest
from django.test import override_settings

from dpp_project.metrics import ANSWERS, EVENTS_LOST
from dpp_project.profile import EVENTS
from dpp_project.redis import client
from packs.llm.telling import Verdict
from runs.events import event as events
from runs.events import progress, publish
from runs.events.event import RUNS, Event, Stage
from runs.events.outbox import Outbox
from runs.events.progress import DraftEvents, Steps
from runs.events.publish import Publication
from runs.gateway import sse
from runs.models import Run
from runs.worker.pack_services import pack_services
from runs.worker.run_one import MessageOutcome
from tests.api.caller import validate
from tests.builders import Customer, submitted
from tests.events.processes import GatewayProcess
from tests.events.shards import published, published_seqs
from tests.events.test_gateway import Listening, get
from tests.packs.decision.test_with_model import NARRATIVE, VENDORS, without
from tests.packs.llm.server import Reply, model_server, streams
from tests.runs.worker.deliveries import deliver, ended, envelope

ANSWER = NARRATIVE["answer_text"]


@contextmanager
def a_model(*replies: Reply) -> Iterator[None]:
    """Configured as an operator would."""
    with (
        model_server(*replies) as server,
        override_settings(LLM_BASE_URL=server.url, LLM_MODEL="m", LLM_API_KEY="k", LLM_TIMEOUT_SEC=5),
    ):
        pack_services.cache_clear()
        try:
            yield
        finally:
            pack_services.cache_clear()


def decision(owner: Customer) -> Run:
    return submitted(owner, pack_type="decision", inputs=VENDORS)


def drafts(run: Run) -> list[dict[str, Any]]:
    bodies = [json.loads(event.data) for event in published(run.pk)]
    return [body["draft"] for body in bodies if "draft" in body]


def test_a_listener_hears_the_text_while_it_is_written_and_that_it_stands(
    gateway: GatewayProcess, acme: Customer
) -> None:
    run = decision(acme)
    listening = Listening(gateway, acme, run)
    listening.until(1)
    with a_model(streams(NARRATIVE, piece_chars=12, gap_sec=0.06)):
        assert deliver(run) is MessageOutcome.ENDED

    assert listening.to_the_end() == published_seqs(run.pk)
    told = [heard for heard in listening.heard if heard.stage == "answer"]
    for heard in told:
        validate(heard.data, {"$ref": "#/components/schemas/RunEventData"})
    pieces = [heard.data["draft"] for heard in told if heard.data["step"] == "draft"]
    assert len(pieces) >= 2
    assert [piece["piece"] for piece in pieces] == list(range(1, len(pieces) + 1))
    assert "".join(piece["text"] for piece in pieces) == ANSWER
    assert [heard.data["draft"] for heard in told if heard.data["step"] == "checked"] == [
        {"attempt": 1, "pieces": len(pieces), "verdict": "stands"}
    ]
    assert envelope(ended(run))["data"]["answer_text"].startswith(ANSWER)
    assert all(Stage.ANSWER.seq(1) <= heard.seq < Stage.STORE.seq(1) for heard in told)
    assert [heard.data["step"] for heard in told][-1] == "review"


def test_a_text_that_the_checks_refuse_is_told_to_be_refused(acme: Customer) -> None:
    invented = without({"answer_text": f"{ANSWER} It saves 4321 USD a year, says nobody at all."})
    run = decision(acme)
    before = ANSWERS.labels(verdict="refused")._value.get()
    with a_model(streams(invented, gap_sec=0.02), streams(invented, gap_sec=0.02)):
        deliver(run)
    assert "4321" not in "".join(event.data for event in published(run.pk))
    assert drafts(run)[-1]["verdict"] == "refused"
    assert ANSWERS.labels(verdict="refused")._value.get() == before + 1
    result = envelope(ended(run))["data"]
    assert ended(run).status == "COMPLETED"
    assert result["method"]["kind"] == "deterministic_weighing"


def test_a_stream_that_breaks_off_costs_neither_the_run_nor_the_money(acme: Customer) -> None:
    run = decision(acme)
    with a_model(streams(NARRATIVE, ends=False)):
        deliver(run)
    told = ended(run)
    assert drafts(run)[-1]["verdict"] == "refused"
    assert (told.status, told.actual_cost_usd_micros) == ("COMPLETED", 50_000)
    assert [item["kind"] for item in envelope(told)["data"]["open"]][-1] == "MODEL_UNAVAILABLE"


def test_nobody_but_the_owner_hears_it_and_no_log_has_it(
    gateway: GatewayProcess, acme: Customer, rival: Customer, caplog: pytest.LogCaptureFixture
) -> None:
    run = decision(acme)
    with caplog.at_level(logging.DEBUG), a_model(streams(NARRATIVE, piece_chars=12, gap_sec=0.03)):
        deliver(run)
    assert drafts(run)
    status, _, text = get(gateway, f"/v1/runs/{run.pk}/events?last_seq=0", rival.headers())
    assert status == 404
    assert "better host" not in text
    logged = json.dumps([record.__dict__ for record in caplog.records], default=str)
    assert "better host" not in logged


def test_the_same_draft_told_again_is_told_once(queued_run: Run) -> None:
    for _ in range(2):
        draft = DraftEvents(Steps(queued_run))
        draft.piece(1, 1, "One ")
        draft.piece(1, 2, "draft.")
        draft.verdict(1, 2, Verdict.STANDS)
    assert published_seqs(queued_run.pk)[1:] == [Stage.ANSWER.seq(number) for number in (1, 2, 3)]


def test_a_text_without_end_leaves_room_for_its_verdict_and_the_steps_after_it(queued_run: Run) -> None:
    steps = Steps(queued_run)
    draft = DraftEvents(steps)
    for number in range(1, 400):
        draft.piece(1, number, "x" * 5_000)
    draft.verdict(1, 399, Verdict.CHANGED)
    steps.publish("review", 0.9, {})
    steps.publish("store", 0.95, {})
    told = [json.loads(event.data) for event in published(queued_run.pk)[1:]]
    assert len(told) == progress._MOST_PIECES + 3
    assert [(body["stage"], body["step"]) for body in told[-3:]] == [
        ("answer", "checked"),
        ("answer", "review"),
        ("store", "store"),
    ]
    assert max(len(body["draft"]["text"]) for body in told[:-3]) == 1_500


@pytest.mark.parametrize("text", ['"' * 1_500, "\n" * 1_500, "\\" * 1_500, "한" * 1_500])
def test_the_largest_piece_is_no_larger_than_the_bus_allows(queued_run: Run, text: str) -> None:
    DraftEvents(Steps(queued_run)).piece(1, 1, text)
    event = published(queued_run.pk)[-1]
    RUNS.check(event.stage, event.seq, event.data)
    assert json.loads(event.data)["draft"]["text"] == text


def test_a_run_ends_well_while_redis_refuses_the_pieces(acme: Customer) -> None:
    run = decision(acme)
    for shard in range(EVENTS.shards):
        client().set(RUNS.stream_key(shard), "not a stream")
    with a_model(streams(NARRATIVE, piece_chars=12, gap_sec=0.03)):
        assert deliver(run) is MessageOutcome.ENDED
    assert ended(run).status == "COMPLETED"


def test_lost_pieces_are_a_gap_without_text(queued_run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[Event] = []
    silent = True

    def send(given: list[Event]) -> list[Publication]:
        if silent:
            return [Publication.SILENT] * len(given)
        told.extend(given)
        return [Publication.PUBLISHED] * len(given)

    outbox: Outbox[Publication] = Outbox(send, unsent=(Publication.SILENT,), most=2)  # type: ignore[arg-type]
    monkeypatch.setattr(publish, "OUTBOX", outbox)
    before = EVENTS_LOST._value.get()
    draft = DraftEvents(Steps(queued_run))
    for number in range(1, 6):
        draft.piece(1, number, f"piece {number} ")
    silent = False
    draft.verdict(1, 5, Verdict.STANDS)

    gap = json.loads(told[0].data)
    assert (told[0].stage, gap["lost"]) == (
        events.GAP,
        {"first": Stage.ANSWER.seq(1), "last": Stage.ANSWER.seq(3), "events": 3},
    )
    assert "draft" not in gap
    assert [json.loads(event.data)["draft"].get("piece") for event in told[1:]] == [4, 5, None]
    assert EVENTS_LOST._value.get() == before + 3


def test_a_gap_before_a_piece_does_not_repeat_it(queued_run: Run) -> None:
    DraftEvents(Steps(queued_run)).piece(1, 1, "words of a model")
    event = published(queued_run.pk)[-1]
    assert b"words of a model" not in sse.gap_before(event.seq, sse.frame(event), after=1)


def test_the_numbers_of_other_stages_are_what_they_were() -> None:
    """Beside this release runs the one before, and callers resume with numbers of both."""
    firsts = {stage.value: stage.seq(1) for stage in Stage}
    assert firsts == {
        "queued": 1,
        "preflight": 1_001,
        "execute": 2_001,
        "answer": 2_901,
        "store": 3_001,
        "settle": 4_001,
        "done": 5_001,
    }
    bands = [stage.numbers for stage in Stage]
    assert all(earlier.stop <= later.start for earlier, later in pairwise(bands))
