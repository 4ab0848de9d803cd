"""The public JSON parsing suite, byte for byte, as the body of a submit and as a value in one."""

import json

import pytest

from runs.models import Run, RunPayload
from tests.api.caller import Caller, problem
from tests.api.public_cases import documents
from tests.builders import Customer, fresh_key, on_plan

# The suite says these must parse. Parsers disagree about what the first two mean; no text of PostgreSQL holds a NUL.
_TOO_AMBIGUOUS_FOR_MONEY = {
    "y_object_duplicated_key",
    "y_object_duplicated_key_and_value",
    "y_object_escaped_null_in_key",
    "y_string_null_escape",
}
# The specification leaves these to the parser; they lose nothing but digits below the smallest double. All others of
# their kind (beyond doubles or 2^53, lone surrogates, not UTF-8, byte order marks, too deep) are refused.
_TAKEN_BY_CHOICE = {"i_number_double_huge_neg_exp", "i_number_real_underflow"}


@pytest.fixture(autouse=True)
def _patient(acme: Customer) -> None:
    plenty = 100_000
    on_plan(acme, submit_rate_per_min=plenty, max_concurrent_runs=plenty)


def as_a_value(document: bytes) -> bytes:
    head = b'{"pack_type":"decision","inputs":{"question":"Which?","context":{"value":'
    return head + document + b'}},"reservation":{"max_cost_usd":"0.0500"}}'


def test_the_suite_is_whole() -> None:
    assert {kind: len(documents(kind)) for kind in "niy"} == {"n": 188, "i": 35, "y": 95}


@pytest.mark.parametrize("kind", ["n", "i", "y"])
def test_no_document_of_the_suite_is_a_request(acme_api: Caller, kind: str, subtests: pytest.Subtests) -> None:
    for name, document in documents(kind).items():
        with subtests.test(name):
            # One of them is empty, and the client would not name the type of nothing.
            headers = {"Idempotency-Key": fresh_key(), "Content-Type": "application/json"}
            answer = acme_api.post("/v1/runs", document, **headers)
            problem(answer, 400, "INVALID_PARAMS")
    assert not Run.objects.exists()


def test_what_is_not_json_is_not_json_as_a_value_either(acme_api: Caller, subtests: pytest.Subtests) -> None:
    for name, document in documents("n").items():
        with subtests.test(name):
            answer = acme_api.post("/v1/runs", as_a_value(document), **{"Idempotency-Key": fresh_key()})
            problem(answer, 400, "INVALID_PARAMS")
    assert not Run.objects.exists()


def test_what_is_json_arrives_as_it_was_meant(acme_api: Caller, subtests: pytest.Subtests) -> None:
    refused = set()
    for name, document in {**documents("y"), **documents("i")}.items():
        with subtests.test(name):
            answer = acme_api.post("/v1/runs", as_a_value(document), **{"Idempotency-Key": fresh_key()})
            if answer.status_code == 202:
                stored = RunPayload.objects.get(pk=json.loads(answer.content)["run_id"]).body
                assert json.loads(stored or "")["inputs"]["context"]["value"] == json.loads(document)
            else:
                problem(answer, 400, "INVALID_PARAMS")
                refused.add(name)
    assert refused == _TOO_AMBIGUOUS_FOR_MONEY | (set(documents("i")) - _TAKEN_BY_CHOICE)
