"""/v1/keys: an agent hands a sub-agent a key that can spend two dollars and no more."""

import json
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from runs.access import api_keys, sub_keys
from runs.access.key_budgets import Limits
from runs.access.key_restrictions import Restrictions
from runs.models import ApiKey, Run
from tests.api.caller import Caller, problem
from tests.builders import Customer, json_body, micros
from tests.runs.worker.deliveries import deliver


def _caller(owner: Customer, text: str) -> Caller:
    return Caller(Client(raise_request_exception=False), Customer(owner.tenant, text))


def _maker(owner: Customer, *, total: str | None = None, **changes: Any) -> Caller:
    limits = Limits(micros(total) if total else None)
    _, text = api_keys.issue(owner.tenant, may_create_keys=True, limits=limits, **changes)
    return _caller(owner, text)


def _made(maker: Caller, **wanted: Any) -> dict[str, Any]:
    answer = maker.post("/v1/keys", json.dumps(wanted))
    assert answer.status_code == 201, answer.content
    assert answer.headers["Cache-Control"] == "no-store"
    document: dict[str, Any] = json.loads(answer.content)
    return document


def _listed(caller: Caller) -> list[dict[str, Any]]:
    answer = caller.get("/v1/keys")
    assert answer.status_code == 200
    keys: list[dict[str, Any]] = json.loads(answer.content)["keys"]
    return keys


def _refused(maker: Caller, status: int = 400, reason: str = "INVALID_PARAMS", **wanted: Any) -> dict[str, Any]:
    before = ApiKey.objects.count()
    refused = problem(maker.post("/v1/keys", json.dumps(wanted)), status, reason)
    assert ApiKey.objects.count() == before
    return refused


def test_a_key_for_two_dollars_spends_two_dollars_and_no_more(acme: Customer) -> None:
    maker = _maker(acme)
    made = _made(maker, label="researcher", max_total_usd="2.0000")
    sub = _caller(acme, made["api_key"])

    answers = [sub.submit(json_body()).status_code for _ in range(5)]

    assert answers == [202, 202, 202, 202, 402]
    own, below = _listed(maker)
    assert own["budget"] is None
    assert below["budget"] == {
        "max_total_usd": "2.0000",
        "max_per_run_usd": None,
        "spent_usd": "0.0000",
        "held_usd": "2.0000",
        "remaining_usd": "0.0000",
    }
    assert {run.api_key_id for run in Run.objects.all()} == {api_keys.named(made["key_id"]).pk}  # type: ignore[union-attr]


def test_what_a_run_did_not_spend_is_the_keys_again(acme: Customer) -> None:
    maker = _maker(acme)
    sub = _caller(acme, _made(maker, max_total_usd="0.5000")["api_key"])
    assert sub.submit(json_body()).status_code == 202
    problem(sub.submit(json_body()), 402, "KEY_BUDGET_DRAINED")
    run = Run.objects.get()
    deliver(run)
    run.refresh_from_db()
    cost = run.actual_cost_usd_micros
    assert cost

    told = json.loads(sub.get("/v1/budget").content)["key"]

    left = f"{(500_000 - cost) / 1_000_000:.4f}"
    assert (told["held_usd"], told["remaining_usd"], told["spent_usd"]) == ("0.0000", left, f"{cost / 1_000_000:.4f}")
    assert sub.submit(json_body(reservation={"max_cost_usd": left})).status_code == 202


def test_a_limit_below_counts_above(acme: Customer) -> None:
    maker = _maker(acme, total="1.0000")
    first, second = (_caller(acme, _made(maker, max_total_usd="0.8000")["api_key"]) for _ in range(2))
    assert first.submit(json_body()).status_code == 202
    assert second.submit(json_body()).status_code == 202
    refused = problem(second.submit(json_body(reservation={"max_cost_usd": "0.2000"})), 402, "KEY_BUDGET_DRAINED")
    assert refused["key_remaining"] == "0.0000"
    assert [key["budget"]["remaining_usd"] for key in _listed(maker)] == ["0.0000"] * 3


def test_a_key_without_a_limit_shares_that_of_its_maker(acme: Customer) -> None:
    maker = _maker(acme, total="1.0000")
    sub = _caller(acme, _made(maker)["api_key"])
    assert sub.submit(json_body(reservation={"max_cost_usd": "1.0000"})).status_code == 202
    problem(maker.submit(json_body()), 402, "KEY_BUDGET_DRAINED")


def test_only_a_key_with_the_right_makes_keys(acme: Customer, acme_api: Caller) -> None:
    _refused(acme_api, 403, "KEY_NOT_ALLOWED")
    sub = _caller(acme, _made(_maker(acme))["api_key"])
    _refused(sub, 403, "KEY_NOT_ALLOWED")
    # Handed on, the right works one level further down.
    lead = _caller(acme, _made(_maker(acme), may_create_keys=True)["api_key"])
    assert len(_listed(lead)) == 1
    _made(lead)
    assert len(_listed(lead)) == 2


def test_no_key_may_do_more_than_its_maker(acme: Customer) -> None:
    ends = timezone.now() + timedelta(days=2)
    restrictions = Restrictions.read(packs=["url", "ocr"], networks=["127.0.0.0/8"])
    maker = _maker(acme, restrictions=restrictions, expires_at=ends)

    _refused(maker, packs=["decision"])
    _refused(maker, packs=["url", "decision"])
    _refused(maker, expires_at=(ends + timedelta(seconds=2)).isoformat())
    _refused(maker, expires_at=(timezone.now() - timedelta(seconds=2)).isoformat())
    plain, narrow = _made(maker), _made(maker, packs=["url"], expires_at=(ends - timedelta(days=1)).isoformat())

    assert plain["packs"] == ["ocr", "url"]
    assert narrow["packs"] == ["url"]
    assert narrow["expires_at"] < plain["expires_at"]
    for made in (plain, narrow):
        key = ApiKey.objects.get(pk=made["key_id"])
        assert key.allowed_networks == ["127.0.0.0/8"]
        sub = _caller(acme, made["api_key"])
        problem(sub.submit(json_body()), 403, "KEY_NOT_ALLOWED")
        sub.client = Client(raise_request_exception=False, REMOTE_ADDR="198.51.100.1")
        problem(sub.get("/v1/budget"), 401, "AUTH_INVALID")


@pytest.mark.parametrize(
    ("wanted", "pointer"),
    [
        ({"max_total_usd": "0"}, "/max_total_usd"),
        ({"packs": []}, "/packs"),
        ({"packs": ["nonsense"]}, "/packs"),
        ({"packs": ["url", "url"]}, "/packs"),
        ({"packs": "url"}, "/packs"),
        ({"expires_at": 5}, "/expires_at"),
        ({"expires_at": "tomorrow"}, "/expires_at"),
        ({"label": "a\nb"}, "/label"),
        ({"label": "x" * 101}, "/label"),
        ({"read_only": True, "packs": ["url"]}, "/read_only"),
        ({"read_only": True, "may_create_keys": True}, "/read_only"),
        ({"may_create_keys": "yes"}, "/may_create_keys"),
        ({"tenant": "rival"}, "/tenant"),
    ],
)
def test_a_request_that_means_nothing_is_refused_with_its_place(
    acme: Customer, wanted: dict[str, Any], pointer: str
) -> None:
    assert pointer in [error["pointer"] for error in _refused(_maker(acme), **wanted)["errors"]]


@pytest.mark.parametrize("amount", [2, "0.00001", None, "-1", "1e3"])
def test_an_amount_in_the_wrong_form_is_told_as_everywhere(acme: Customer, amount: Any) -> None:
    _refused(_maker(acme), 422, "INVALID_MONEY_SCALE", max_total_usd=amount)


def test_a_key_sees_itself_and_those_below_it_only(acme: Customer, rival: Customer) -> None:
    maker, other, stranger = _maker(acme), _maker(acme), _maker(rival)
    lead = _made(maker, label="lead", may_create_keys=True)
    sub = _made(_caller(acme, lead["api_key"]), label="sub")

    assert [key["label"] for key in _listed(maker)] == ["", "lead", "sub"]
    assert [key["label"] for key in _listed(_caller(acme, sub["api_key"]))] == ["sub"]
    assert "api_key" not in _listed(maker)[1]
    unknown = "00000000-0000-0000-0000-000000000000"
    for caller in (other, stranger, _caller(acme, sub["api_key"])):
        answers = [caller.delete(f"/v1/keys/{key_id}") for key_id in (lead["key_id"], unknown, "nonsense")]
        details = [problem(answer, 404, "KEY_NOT_FOUND")["detail"] for answer in answers]
        assert len(set(details)) == 1
    assert len(_listed(maker)) == 3


def test_revoking_a_key_revokes_all_below_it(acme: Customer) -> None:
    maker = _maker(acme)
    lead = _made(maker, may_create_keys=True)
    sub = _made(_caller(acme, lead["api_key"]))
    run_of_sub = json.loads(_caller(acme, sub["api_key"]).submit(json_body()).content)["run_id"]

    assert maker.delete(f"/v1/keys/{lead['key_id']}").status_code == 204

    for made in (lead, sub):
        problem(_caller(acme, made["api_key"]).get("/v1/budget"), 401, "AUTH_INVALID")
    problem(maker.delete(f"/v1/keys/{lead['key_id']}"), 404, "KEY_NOT_FOUND")
    assert len(_listed(maker)) == 1
    # What it bought is its tenant's, and goes on.
    assert json.loads(maker.get(f"/v1/runs/{run_of_sub}").content)["status"] == "QUEUED"


def test_a_key_gives_itself_up(acme: Customer) -> None:
    made = _made(_maker(acme))
    sub = _caller(acme, made["api_key"])
    assert sub.delete(f"/v1/keys/{made['key_id']}").status_code == 204
    problem(sub.get("/v1/budget"), 401, "AUTH_INVALID")


def test_a_key_that_only_reads_revokes_nothing(acme: Customer) -> None:
    made = _made(_maker(acme), read_only=True)
    sub = _caller(acme, made["api_key"])
    problem(sub.delete(f"/v1/keys/{made['key_id']}"), 403, "KEY_NOT_ALLOWED")
    assert len(_listed(sub)) == 1


def test_a_revoked_maker_makes_nothing_though_this_process_has_not_heard_of_it(acme: Customer) -> None:
    maker = _maker(acme)
    _listed(maker)
    ApiKey.objects.filter(may_create_keys=True).update(status=ApiKey.Status.REVOKED)
    _refused(maker, 403, "KEY_NOT_ALLOWED")


def test_keys_have_bounds_in_number_and_depth(acme: Customer, monkeypatch: pytest.MonkeyPatch) -> None:
    maker = _maker(acme)
    for _ in range(sub_keys.MAX_LEVELS - 1):
        maker = _caller(acme, _made(maker, may_create_keys=True)["api_key"])
    assert "levels" in _refused(maker, 409, "KEY_QUOTA_REACHED")["detail"]
    another = _maker(acme)
    monkeypatch.setattr(sub_keys, "MAX_KEYS_PER_TENANT", ApiKey.objects.count())
    assert "revoke" in _refused(another, 409, "KEY_QUOTA_REACHED")["detail"]


def test_the_right_is_given_by_the_operator(acme: Customer) -> None:
    out = StringIO()
    call_command("issue_key", acme.id, "--may-create-keys", "--max-total-usd", "5", "--json", stdout=out)
    maker = _caller(acme, json.loads(out.getvalue())["api_key"])
    assert _made(maker, max_total_usd="2.0000")["budget"]["remaining_usd"] == "2.0000"
    with pytest.raises(CommandError):
        call_command("issue_key", acme.id, "--may-create-keys", "--read-only", stdout=StringIO())
