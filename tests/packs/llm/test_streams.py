"""A text that is heard while it is written: whole at the end, in time, and from servers that stream badly or never."""

import json
import time

import pytest

from packs.llm import LlmSettings, Unanswered, Why
from packs.llm.model import Completion, Message
from packs.llm.openai_client import MAX_RESPONSE_BYTES, OpenAiModel
from tests.packs.llm.server import ModelServer, Reply, model_server, raw, says, silent, status, streams

TEXT = "A text that comes in pieces, 한국어도 조각으로 온다."


class Heard(list[str]):
    """What was heard, and when the first piece was."""

    first_at = 0.0

    def __call__(self, piece: str) -> None:
        self.first_at = self.first_at or time.monotonic()
        self.append(piece)


def model_of(server: ModelServer, **changes: object) -> OpenAiModel:
    return OpenAiModel(LlmSettings(base_url=server.url, model="m", api_key="k", **changes))  # type: ignore[arg-type]


def ask(model: OpenAiModel, heard: Heard, timeout_sec: float = 5.0) -> Completion:
    return model.complete(
        [Message("user", "hello")], name="thing", schema={"type": "object"}, timeout_sec=timeout_sec, hear=heard
    )


def failure(*replies: Reply, timeout_sec: float = 5.0) -> tuple[Why, Heard]:
    heard = Heard()
    with model_server(*replies) as server, pytest.raises(Unanswered) as caught:
        ask(model_of(server), heard, timeout_sec)
    return caught.value.why, heard


def test_a_text_is_heard_while_it_is_written_and_whole_at_the_end() -> None:
    heard = Heard()
    with model_server(streams(TEXT, gap_sec=0.05)) as server:
        answer = ask(model_of(server), heard)
        over_at = time.monotonic()
        body = server.requests[0]["body"]
    assert answer == Completion(TEXT, 900, 120)
    assert "".join(heard) == TEXT
    assert len(heard) > 3
    assert over_at - heard.first_at > 0.1
    assert body["stream"] is True
    assert body["stream_options"] == {"include_usage": True}


def test_a_stream_that_does_not_say_what_it_used_leaves_it_open() -> None:
    with model_server(streams(TEXT, usage=False)) as server:
        assert ask(model_of(server), Heard()) == Completion(TEXT, None, None)


def test_nobody_who_does_not_listen_is_streamed_to() -> None:
    with model_server(says(TEXT)) as server:
        model_of(server).complete([Message("user", "hello")], name="thing", schema={}, timeout_sec=5)
        assert "stream" not in server.requests[0]["body"]


def test_an_operator_may_turn_streams_off() -> None:
    heard = Heard()
    with model_server(says(TEXT)) as server:
        assert ask(model_of(server, stream=False), heard).text == TEXT
        assert "stream" not in server.requests[0]["body"]
    assert heard == []


def test_a_server_that_gives_the_whole_all_the_same_is_understood() -> None:
    heard = Heard()
    with model_server(says(TEXT, prompt_tokens=7, completion_tokens=3)) as server:
        assert ask(model_of(server), heard) == Completion(TEXT, 7, 3)
        assert len(server.requests) == 1
    assert heard == []


@pytest.mark.parametrize("code", [400, 422])
def test_a_server_that_refuses_streams_is_asked_for_the_whole_and_not_for_streams_again(code: int) -> None:
    with model_server(status(code), says(TEXT), says(TEXT)) as server:
        model = model_of(server)
        assert ask(model, Heard()).text == TEXT
        assert ask(model, Heard()).text == TEXT
        assert ["stream" in request["body"] for request in server.requests] == [True, False, False]


def test_a_request_that_is_wrong_in_itself_is_refused_and_says_nothing_of_streams() -> None:
    with model_server(status(400), status(400), streams(TEXT)) as server:
        model = model_of(server)
        with pytest.raises(Unanswered) as caught:
            ask(model, Heard())
        assert caught.value.why is Why.REFUSED
        assert ask(model, Heard()).text == TEXT


@pytest.mark.parametrize("code", [401, 404, 429, 500])
def test_other_refusals_are_not_repeated(code: int) -> None:
    with model_server(status(code), says(TEXT)) as server:
        with pytest.raises(Unanswered):
            ask(model_of(server), Heard())
        assert len(server.requests) == 1


@pytest.mark.parametrize("missing_bytes", [0, 500])
def test_a_stream_that_breaks_off_is_no_answer(missing_bytes: int) -> None:
    why, heard = failure(streams(TEXT, ends=False, missing_bytes=missing_bytes))
    assert why is Why.UNAVAILABLE
    assert "".join(heard) == TEXT


def test_a_stream_that_stalls_ends_by_the_same_deadline() -> None:
    began = time.monotonic()
    why, heard = failure(streams(TEXT, ends=False, stalls_sec=20), timeout_sec=0.6)
    assert why is Why.TIMEOUT
    assert "".join(heard) == TEXT
    assert time.monotonic() - began < 5


def test_a_stream_that_never_begins_ends_by_the_same_deadline() -> None:
    began = time.monotonic()
    assert failure(silent(20), timeout_sec=0.4)[0] is Why.TIMEOUT
    assert time.monotonic() - began < 5


def test_a_stream_that_drips_for_ever_ends_by_the_same_deadline() -> None:
    began = time.monotonic()
    why, heard = failure(streams("x" * 4_000, piece_chars=1, gap_sec=0.01), timeout_sec=0.6)
    assert why is Why.TIMEOUT
    assert heard
    assert time.monotonic() - began < 5


def test_a_flood_is_cut_off() -> None:
    endless = "x" * (MAX_RESPONSE_BYTES + 2_000 * 1_024)
    assert failure(streams(endless, piece_chars=1_000_000))[0] is Why.UNAVAILABLE


def test_a_stream_may_weigh_more_than_the_text_in_it() -> None:
    """Each token comes in an envelope of some hundred bytes."""
    text = "word " * 3_000
    with model_server(streams(text, piece_chars=1)) as server:
        assert ask(model_of(server, max_output_tokens=15_000), Heard(), 30).text == text


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"data: [DONE]\n\n",
        b"data: {}\n\n",
        b"data: []\n\n",
        b"data: not json\n\n",
        b'data: {"choices": 5}\n\n',
        b'data: {"choices": [{"delta": null}]}\n\n',
        b'data: {"choices": [{"delta": {"content": 7}}]}\n\n',
        b'data: {"error": {"message": "overloaded"}}\n\n',
        b"<html>sign in</html>",
    ],
)
@pytest.mark.parametrize("mime", ["text/event-stream", "application/json"])
def test_nonsense_in_a_stream_is_a_failure_not_a_crash(body: bytes, mime: str) -> None:
    why, heard = failure(raw(body, mime))
    assert why is Why.UNAVAILABLE
    assert heard == []


def test_whoever_stops_listening_stops_the_call() -> None:
    class Stopped(Exception):
        pass

    def hear(piece: str) -> None:
        raise Stopped

    began = time.monotonic()
    with model_server(streams(TEXT, gap_sec=0.2)) as server, pytest.raises(Stopped):
        model_of(server).complete([Message("user", "hi")], name="thing", schema={}, timeout_sec=20, hear=hear)
    assert time.monotonic() - began < 5


def test_a_text_is_the_same_however_it_was_cut() -> None:
    value = {"answer_text": TEXT}
    for size in (1, 2, 5, 400):
        with model_server(streams(value, piece_chars=size)) as server:
            assert json.loads(ask(model_of(server), Heard()).text) == value
