"""Hostile and odd bodies: one meaning or a problem, never a 5xx."""

import json

import pytest

from runs.api import strict_json
from runs.models import Run, RunPayload
from tests.api.caller import Caller, problem
from tests.api.json_cases import REFUSED, TAKEN
from tests.builders import QUESTION, Customer, body, fresh_key, json_body, on_plan


@pytest.fixture(autouse=True)
def _patient(acme: Customer) -> None:
    on_plan(acme, submit_rate_per_min=100_000)


def test_what_has_no_single_meaning_is_refused(acme_api: Caller, subtests: pytest.Subtests) -> None:
    for name, document in REFUSED.items():
        with subtests.test(name):
            refused = acme_api.post("/v1/runs", document, **{"Idempotency-Key": fresh_key()})
            problem(refused, 400, "INVALID_PARAMS")
    assert not Run.objects.exists()


def test_odd_text_arrives_as_it_was_sent(acme_api: Caller, subtests: pytest.Subtests) -> None:
    for name, text in TAKEN.items():
        asked = body(inputs={**QUESTION, "question": text}, reservation={"max_cost_usd": "0.0500"})
        for ascii_only in (True, False):
            with subtests.test(name, ascii_only=ascii_only):
                answer = acme_api.submit(json.dumps(asked, ensure_ascii=ascii_only))
                assert answer.status_code == 202, answer.content.decode()
                stored = RunPayload.objects.get(pk=json.loads(answer.content)["run_id"]).body
                assert json.loads(stored or "")["inputs"]["question"] == text


def test_odd_text_in_names_and_headers_is_only_text(acme_api: Caller, subtests: pytest.Subtests) -> None:
    for name, text in TAKEN.items():
        with subtests.test(name):
            problem(acme_api.submit(json.dumps({text: 1})), 400, "INVALID_PARAMS")
            answer = acme_api.get("/v1/budget", **{"X-Trace-Id": text.encode().decode("latin-1")})
            assert answer.status_code == 200
            assert answer.headers["X-Trace-Id"].isascii()


def test_odd_text_in_paths_is_no_run(acme_api: Caller, acme: Customer, subtests: pytest.Subtests) -> None:
    for name, text in TAKEN.items():
        if "/" in text or "\n" in text:
            continue
        with subtests.test(name):
            problem(acme_api.get(f"/v1/runs/{text[:200]}"), 404, "RUN_NOT_FOUND_STEALTH")


def test_64_levels_are_read() -> None:
    strict_json.parse(b'{"a":' + b"[" * 62 + b"1" + b"]" * 62 + b"}")


def test_numbers_keep_their_value() -> None:
    numbers = strict_json.parse(b"[0,-0,9007199254740991,-9007199254740991,1.5,1E2,1e-400,0.1]")
    assert numbers == [0, 0, 2**53 - 1, -(2**53) + 1, 1.5, 100.0, 0.0, 0.1]


def test_a_length_that_is_no_number_is_refused(acme_api: Caller) -> None:
    for length in ("abc", "-1", "1e3", "٣", "9" * 5_000):
        answer = acme_api.client.post(
            "/v1/runs",
            json_body(),
            content_type="application/json",
            headers=acme_api.owner.headers(**{"Idempotency-Key": fresh_key()}),
            CONTENT_LENGTH=length,
        )
        assert answer.status_code in (400, 413), (length, answer.content)


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        (b"", "a value is missing at line 1, column 1"),
        (b'{"a":}', "a value is missing at line 1, column 6"),
        (b"{1:2}", "a name in double quotes is missing at line 1, column 2"),
        (b'{"a" 1}', "a colon is missing at line 1, column 6"),
        (b'{"a":1 "b":2}', "a comma or a closing bracket is missing at line 1, column 8"),
        (b"{}\n{}", "the document is over, and something follows at line 2, column 1"),
        (b'{"a":"x', "a string without an end begins at line 1, column 6"),
        (b'"a\tb"', "a string contains a control character at line 1, column 3"),
        (rb'"\x"', "a string contains an escape that JSON does not have at line 1, column 2"),
        (rb'"\u12"', "a string contains an escape that JSON does not have at line 1, column 3"),
    ],
)
def test_what_is_no_json_is_told_in_our_own_words(document: bytes, expected: str) -> None:
    with pytest.raises(strict_json.NotAcceptable) as refused:
        strict_json.parse(document)
    # Versions of Python point at the escape or at the character before it.
    assert str(refused.value).rpartition(",")[0] == expected.rpartition(",")[0]
