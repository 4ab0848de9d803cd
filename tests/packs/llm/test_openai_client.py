"""The client against a server that behaves, misbehaves, stalls and lies."""

import json
import time

import pytest

from packs.llm import LlmSettings, Unanswered, Why
from packs.llm.model import Completion, Message
from packs.llm.openai_client import MAX_RESPONSE_BYTES, OpenAiModel
from tests.packs.llm.server import ModelServer, Reply, completion, drips, model_server, raw, says, silent, status

KEY = "sk-a-secret-of-the-operator"
SCHEMA = {"type": "object"}


def complete(server: ModelServer, timeout_sec: float = 5.0, **changes: object) -> Completion:
    settings = LlmSettings(base_url=server.url, model="test-model", api_key=KEY, **changes)  # type: ignore[arg-type]
    return OpenAiModel(settings).complete(
        [Message("user", "hello")], name="thing", schema=SCHEMA, timeout_sec=timeout_sec
    )


def failure(*replies: Reply, timeout_sec: float = 5.0) -> Why:
    with model_server(*replies) as server, pytest.raises(Unanswered) as caught:
        complete(server, timeout_sec)
    return caught.value.why


def test_an_answer_comes_back_with_its_tokens() -> None:
    with model_server(says("hi", prompt_tokens=7, completion_tokens=3)) as server:
        assert complete(server) == Completion("hi", 7, 3)
        request = server.requests[0]
    assert request["path"] == "/v1/chat/completions"
    assert request["headers"]["authorization"] == f"Bearer {KEY}"
    assert request["body"]["max_tokens"] == 2_000
    assert request["body"]["response_format"]["json_schema"]["schema"] == SCHEMA


def test_the_request_follows_the_settings() -> None:
    with model_server(says("hi")) as server:
        complete(
            server,
            output_limit_name="max_completion_tokens",
            response_format="json_object",
            temperature=None,
            max_output_tokens=11,
        )
        body = server.requests[0]["body"]
    assert body["max_completion_tokens"] == 11
    assert body["response_format"] == {"type": "json_object"}
    assert "max_tokens" not in body
    assert "temperature" not in body


def test_the_environment_configures_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {
        "OPENAI_API_KEY": "sk-other",
        "OPENAI_BASE_URL": "http://127.0.0.1:9/v1",
        "OPENAI_ORG_ID": "org-other",
        "OPENAI_PROJECT_ID": "project-other",
        "HTTP_PROXY": "http://127.0.0.1:9",
        "http_proxy": "http://127.0.0.1:9",
    }.items():
        monkeypatch.setenv(name, value)
    with model_server(says("hi")) as server:
        assert complete(server).text == "hi"
        headers = server.requests[0]["headers"]
    assert headers["authorization"] == f"Bearer {KEY}"
    assert "openai-organization" not in headers
    assert "openai-project" not in headers


@pytest.mark.parametrize(
    ("code", "why"),
    [
        (400, Why.REFUSED),
        (401, Why.REFUSED),
        (404, Why.REFUSED),
        (429, Why.UNAVAILABLE),
        (500, Why.UNAVAILABLE),
        (503, Why.UNAVAILABLE),
    ],
)
def test_an_error_is_not_repeated(code: int, why: Why) -> None:
    with model_server(status(code), says("a retry would get this")) as server:
        with pytest.raises(Unanswered) as caught:
            complete(server)
        assert caught.value.why is why
        assert len(server.requests) == 1


def test_a_redirect_is_not_followed() -> None:
    with model_server(says("elsewhere")) as elsewhere:
        assert failure(status(307, Location=f"{elsewhere.url}/chat/completions")) is Why.UNAVAILABLE
        assert elsewhere.requests == []


@pytest.mark.parametrize(
    "body",
    [b"", b"<html>busy</html>", b"[]", b"null", b"{}", b'{"choices": []}', b'{"choices": [{}]}', b'{"choices": 5}'],
)
def test_nonsense_is_a_failure_not_a_crash(body: bytes) -> None:
    assert failure(raw(body)) is Why.UNAVAILABLE


def test_a_page_of_html_is_a_failure() -> None:
    assert failure(raw(b"<html>sign in</html>", "text/html")) is Why.UNAVAILABLE


@pytest.mark.parametrize("tokens", [-5, 0, None, 1.5, "many"])
def test_nonsense_tokens_count_as_unreported(tokens: object) -> None:
    body = completion("hi", {"prompt_tokens": tokens, "completion_tokens": 1, "total_tokens": 1})
    with model_server(raw(json.dumps(body).encode())) as server:
        answer = complete(server)
    assert answer.text == "hi"
    assert answer.input_tokens is None


def test_nobody_there_is_a_failure() -> None:
    with model_server() as server:
        url = server.url
    model = OpenAiModel(LlmSettings(base_url=url, model="m", api_key=KEY))
    with pytest.raises(Unanswered) as caught:
        model.complete([Message("user", "hello")], name="thing", schema=SCHEMA, timeout_sec=2)
    assert caught.value.why is Why.UNAVAILABLE


def test_silence_ends_in_time() -> None:
    began = time.monotonic()
    assert failure(silent(20), timeout_sec=0.4) is Why.TIMEOUT
    assert time.monotonic() - began < 15


def test_a_server_that_drips_ends_in_time() -> None:
    began = time.monotonic()
    assert failure(drips(0.05, 400), timeout_sec=0.5) is Why.TIMEOUT
    assert time.monotonic() - began < 15


def test_an_endless_answer_is_cut_off() -> None:
    assert failure(raw(b" " * (MAX_RESPONSE_BYTES + 1))) is Why.UNAVAILABLE


def test_the_key_is_in_no_text_of_ours() -> None:
    settings = LlmSettings(base_url="https://model.example/v1", model="m", api_key=KEY)
    assert KEY not in repr(settings)
    assert KEY not in repr(OpenAiModel(settings))
    echo = status(401, f"Incorrect API key provided: {KEY}")
    with model_server(echo) as server, pytest.raises(Unanswered) as caught:
        complete(server)
    assert KEY not in str(caught.value)


@pytest.mark.parametrize(
    "changes",
    [
        {"base_url": "ftp://model.example"},
        {"base_url": "model.example/v1"},
        {"base_url": "https://user:pass@model.example/v1"},
        {"model": " "},
        {"timeout_sec": 0},
        {"max_output_tokens": -1},
    ],
)
def test_settings_refuse_nonsense_at_the_start(changes: dict[str, object]) -> None:
    given: dict[str, object] = {"base_url": "https://model.example/v1", "model": "m", "api_key": KEY, **changes}
    with pytest.raises(ValueError, match="model"):
        LlmSettings(**given)  # type: ignore[arg-type]
