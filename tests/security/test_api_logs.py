"""What must never be in a log: keys, inputs, URL queries. What must be one line: anything a caller can send."""

import json
import logging
from collections.abc import Callable, Iterator

import pytest
from django.db import IntegrityError

from dpp_project.logging import JsonFormatter
from runs.models import Run, RunPayload
from tests.builders import QUESTION, Customer, body, fresh_key
from tests.http import Api
from tests.processes import ApiProcess, WorkerProcess

_SECRET_INPUT = "zebra-crossing-4711"
_SECRET_QUERY = "purple-umbrella-0815"


@pytest.fixture(scope="module")
def noisy_api(services: object) -> Iterator[ApiProcess]:
    """An API that logs all it can."""
    process = ApiProcess({"DPP_LOG_LEVEL": "DEBUG"})
    try:
        process.start()
        process.wait_ready()
        yield process
    finally:
        process.stop()


def test_no_key_input_or_query_is_ever_logged(
    noisy_api: ApiProcess, acme: Customer, worker: Callable[..., WorkerProcess]
) -> None:
    executing = worker(DPP_LOG_LEVEL="DEBUG")
    api = Api(noisy_api.url, acme)
    key = fresh_key()
    accepted = api.submit(body(inputs={**QUESTION, "context": _SECRET_INPUT}), key=key)
    assert accepted.status == 202, accepted.text
    path = accepted.json["poll"]["href"]
    api.wait_until_ended(path, executing)
    api.get(f"{path}?wait=0&token={_SECRET_QUERY}")
    api.get(f"/v1/runs?created_after={_SECRET_QUERY}")
    api.get(f"/v1/nothing?token={_SECRET_QUERY}")
    api.submit(body(inputs={"question": _SECRET_INPUT, "options": [_SECRET_INPUT]}), key=fresh_key())
    api.submit(body(inputs={**QUESTION, "context": f"{_SECRET_INPUT}!"}), key=key)
    api.submit(body(surprise=_SECRET_INPUT), key=fresh_key())
    Api(noisy_api.url, Customer(acme.tenant, acme.api_key[:-1] + "!")).get("/v1/budget")
    logs = noisy_api.lines() + executing.lines()

    assert logs.count("run_transition") >= 3  # the logs are there
    for secret in (acme.api_key[:-1], acme.api_key[15:-6], _SECRET_INPUT, _SECRET_QUERY, QUESTION["question"]):
        assert secret not in logs, _around(logs, secret)


def test_whatever_is_sent_a_log_line_is_one_json_object(noisy_api: ApiProcess, acme: Customer) -> None:
    before = len(noisy_api.lines())
    api = Api(noisy_api.url, acme)
    forged = '"}\n{"level":"FORGED","event":"x"}\r\n\x1b[31m'
    api.submit(body(**{forged: 1}), key=fresh_key())
    api.submit({"pack_type": forged}, key=fresh_key())
    api.get("/v1/runs/%0d%0a%7B%22level%22:%22FORGED%22%7D%1b[31m")
    api.get("/v1/%0d%0aFORGED")
    logs = noisy_api.lines()[before:]

    ours = [line for line in logs.splitlines() if line.startswith("{")]
    assert ours
    for line in ours:
        assert json.loads(line)["level"] != "FORGED"
    assert "\x1b" not in "".join(ours)
    assert not any(line.startswith('{"level":"FORGED"') for line in logs.splitlines())


def test_a_refused_row_is_not_repeated_in_the_log(queued_run: Run) -> None:
    with pytest.raises(IntegrityError) as refused:
        # Against the rule that a payload lies in one place; PostgreSQL answers with the whole row.
        RunPayload.objects.filter(run=queued_run).update(body=_SECRET_INPUT, object_key=_SECRET_QUERY)
    assert _SECRET_INPUT in str(refused.value)

    record = logging.LogRecord("t", logging.ERROR, "f", 1, "crash", None, (None, refused.value, None))  # type: ignore[arg-type]
    line = JsonFormatter().format(record)

    assert "IntegrityError" in line
    assert "run_payloads_lie_in_one_place" in line
    assert _SECRET_INPUT not in line
    assert _SECRET_QUERY not in line


def test_nothing_in_a_log_line_ends_it_or_moves_a_cursor() -> None:
    record = logging.LogRecord("t", logging.INFO, "f", 1, "a\r\nb\x1b[31mc\x9bd\u2028e\x85f", None, None)
    line = JsonFormatter().format(record)
    assert len(line.splitlines()) == 1
    assert line.isascii()
    assert line.isprintable()


def _around(text: str, found: str) -> str:
    at = text.index(found)
    return text[max(0, at - 500) : at + 200]
