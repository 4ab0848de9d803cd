"""What listeners are told of a text while it is written: few pieces, nothing the checks refuse, and how it ended."""

import json
import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import pytest

from packs.base import JsonObject, StopRun
from packs.llm import LlmSettings, Prompt, ToldField, Unanswered, ask
from packs.llm.openai_client import OpenAiModel
from tests.packs.llm.context import Purse, a_context
from tests.packs.llm.server import ModelServer, Reply, model_server, says, status, streams

SKY = "The sky is blue because the air scatters blue light more than red light, all day long."
SCHEMA: JsonObject = {"type": "object", "required": ["answer"], "properties": {"answer": {"type": "string"}}}


@dataclass
class Listeners:
    pieces: list[tuple[int, int, str]] = field(default_factory=list)
    verdicts: list[tuple[int, int, str]] = field(default_factory=list)
    at: list[float] = field(default_factory=list)

    def piece(self, attempt: int, number: int, text: str) -> None:
        self.at.append(time.monotonic())
        self.pieces.append((attempt, number, text))

    def verdict(self, attempt: int, pieces: int, verdict: str) -> None:
        self.verdicts.append((attempt, pieces, verdict))

    def text(self, attempt: int = 1) -> str:
        return "".join(text for of, _, text in self.pieces if of == attempt)


def prompt(max_chars: int = 6_000) -> Prompt:
    told = ToldField("answer", max_chars, lambda text: "green" not in text)
    return Prompt(name="sky", task="Say why.", data={}, schema=SCHEMA, told=told)


def not_green(value: JsonObject) -> Sequence[str]:
    return ["It is not green."] if "green" in value["answer"] else []


def model_at(server: ModelServer) -> OpenAiModel:
    return OpenAiModel(LlmSettings(base_url=server.url, model="m", api_key="k", timeout_sec=5))


def told(*replies: Reply, asked: Prompt | None = None, meter: Purse | None = None) -> Listeners:
    listeners = Listeners()
    with model_server(*replies) as server:
        try:
            ask(model_at(server), asked or prompt(), a_context(meter, answer_draft=listeners), not_green)
        except Unanswered:
            listeners.pieces.append((0, 0, "unanswered"))
    return listeners


def answers(text: str, piece_chars: int = 5, gap_sec: float = 0.0) -> Reply:
    return streams({"answer": text}, piece_chars=piece_chars, gap_sec=gap_sec)


def test_the_text_alone_is_told_and_it_stands() -> None:
    listeners = told(answers(SKY))
    assert listeners.text() == SKY
    assert [number for _, number, _ in listeners.pieces] == list(range(1, len(listeners.pieces) + 1))
    assert listeners.verdicts == [(1, len(listeners.pieces), "stands")]


def test_pieces_are_joined_to_two_a_second_and_end_with_words() -> None:
    listeners = told(answers(SKY, gap_sec=0.08))
    *whiles, _ = listeners.pieces
    assert 3 <= len(listeners.pieces) <= 6
    assert all(text.endswith(" ") for _, _, text in whiles)
    assert all(later - earlier >= 0.5 for earlier, later in pairwise(listeners.at[:-1]))
    assert listeners.text() == SKY


def test_what_the_checks_would_refuse_is_not_told_and_neither_is_what_follows() -> None:
    listeners = told(answers(f"{SKY} Some say green. And so on."), answers(SKY))
    assert "green" not in "".join(text for _, _, text in listeners.pieces)
    assert "And so on" not in listeners.text(1)
    assert listeners.text(2) == SKY
    assert listeners.verdicts == [(2, sum(of == 2 for of, _, _ in listeners.pieces), "stands")]


def test_a_text_that_is_refused_twice_is_told_to_be() -> None:
    listeners = told(answers("It is green.", gap_sec=0.05), answers("It is rather green.", gap_sec=0.05))
    assert [verdict for _, _, verdict in listeners.verdicts] == ["refused"]
    assert listeners.pieces[-1] == (0, 0, "unanswered")


def test_a_draft_whose_repair_fails_is_refused() -> None:
    listeners = told(streams({"answer": SKY, "else": "x"}, piece_chars=4, ends=False))
    assert listeners.text()
    assert [verdict for _, _, verdict in listeners.verdicts] == ["refused"]


def test_a_repair_that_is_not_told_changes_the_text() -> None:
    """The second answer comes as a whole: what was told is not what stands."""
    listeners = told(answers("Why is it so? It is green."), says({"answer": SKY}))
    assert listeners.text(1).startswith("Why")
    assert listeners.verdicts == [(1, len(listeners.pieces), "changed")]


def test_who_was_told_nothing_is_told_no_verdict() -> None:
    for reply in (says({"answer": SKY}), status(500), streams({"answer": ""})):
        listeners = told(reply, asked=prompt())
        assert listeners.verdicts == []


def test_a_text_that_is_too_long_is_not_told_to_its_end() -> None:
    listeners = told(answers("word " * 2_000, piece_chars=50), asked=prompt(max_chars=1_000))
    assert len(listeners.text()) <= 1_000
    assert [verdict for _, _, verdict in listeners.verdicts] == ["changed"]


def test_a_huge_delta_becomes_pieces_of_a_bounded_size() -> None:
    listeners = told(answers("word " * 1_100, piece_chars=1_000_000))
    assert max(len(text) for _, _, text in listeners.pieces) <= 1_500
    assert listeners.text() == "word " * 1_100
    assert len(listeners.pieces) <= 5


def test_a_question_that_costs_too_much_is_not_asked_and_nothing_is_told() -> None:
    listeners = told(answers(SKY), meter=Purse(limit=5_000))
    assert listeners.pieces == [(0, 0, "unanswered")]
    assert listeners.verdicts == []


def test_the_tokens_cost_the_same_whether_anybody_listens() -> None:
    heard, alone = Purse(), Purse()
    told(answers(SKY), meter=heard)
    with model_server(says({"answer": SKY}, prompt_tokens=900, completion_tokens=120)) as server:
        ask(model_at(server), prompt(), a_context(alone), not_green)
    assert heard.items == alone.items


def test_listeners_that_fail_cost_nobody_the_answer(caplog: pytest.LogCaptureFixture) -> None:
    class Broken(Listeners):
        def piece(self, attempt: int, number: int, text: str) -> None:
            raise RuntimeError(text)

    with model_server(answers(SKY)) as server, caplog.at_level(logging.DEBUG):
        answer = ask(model_at(server), prompt(), a_context(answer_draft=Broken()), not_green)
    assert answer.value == {"answer": SKY}
    assert "blue" not in json.dumps([record.__dict__ for record in caplog.records], default=str)


def test_a_run_that_must_stop_stops_in_the_middle_of_a_piece() -> None:
    class Stopped(Listeners):
        def piece(self, attempt: int, number: int, text: str) -> None:
            raise StopRun

    began = time.monotonic()
    with model_server(answers(SKY, gap_sec=0.3)) as server, pytest.raises(StopRun):
        ask(model_at(server), prompt(), a_context(answer_draft=Stopped()), not_green)
    assert time.monotonic() - began < 4
