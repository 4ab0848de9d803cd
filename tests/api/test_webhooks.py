"""/v1/webhooks: made, shown, rotated, tested, listed, redelivered, deleted; and nobody else's."""

import json
from typing import Any
from uuid import uuid4

import pytest

from dpp_project.profile import PROFILE
from runs.access import api_keys
from runs.access.key_restrictions import Restrictions
from runs.models import Webhook, WebhookDelivery
from runs.webhooks import subscriptions
from tests.api.caller import Caller, problem
from tests.builders import Customer
from tests.runs.webhooks.receivers import completed_run

_GOOD: dict[str, Any] = {"url": "https://hooks.example.org/dpp", "events": ["run.completed", "run.failed"]}


def _made(api: Caller, **changes: Any) -> dict[str, Any]:
    answer = api.post("/v1/webhooks", json.dumps(_GOOD | changes))
    assert answer.status_code == 201, answer.content
    made: dict[str, Any] = json.loads(answer.content)
    return made


def _get(api: Caller, path: str) -> dict[str, Any]:
    answer = api.get(path)
    assert answer.status_code == 200, answer.content
    found: dict[str, Any] = json.loads(answer.content)
    return found


def test_the_secret_is_told_once(acme_api: Caller) -> None:
    made = _made(acme_api, description="orders")
    assert made["secret"].startswith("whsec_")
    assert made["public_key"].startswith("whpk_")
    assert made["status"] == "ACTIVE"

    shown = _get(acme_api, f"/v1/webhooks/{made['webhook_id']}")
    assert shown == {name: value for name, value in made.items() if name != "secret"}
    assert _get(acme_api, "/v1/webhooks") == {"webhooks": [shown]}


def test_rotation_tells_a_new_secret_and_until_when_the_old_one_signs(acme_api: Caller) -> None:
    made = _made(acme_api)
    answer = acme_api.post(f"/v1/webhooks/{made['webhook_id']}/rotate", json.dumps({"overlap_sec": 60}))
    rotated = json.loads(answer.content)
    assert answer.status_code == 200
    assert rotated["secret"] != made["secret"]
    assert rotated["public_key"] != made["public_key"]
    assert rotated["old_secret_until"] > rotated["created_at"]


def test_a_test_message_is_listed_and_can_be_sent_again(acme_api: Caller) -> None:
    path = f"/v1/webhooks/{_made(acme_api)['webhook_id']}"
    sent = json.loads(acme_api.post(f"{path}/test").content)
    assert (sent["event"], sent["state"], sent["attempts"]) == ("webhook.test", "PENDING", 0)
    WebhookDelivery.objects.update(state="FAILED", attempts=10, last_problem="TIMEOUT")

    (listed,) = _get(acme_api, f"{path}/deliveries")["deliveries"]
    assert (listed["state"], listed["last_problem"]) == ("FAILED", "TIMEOUT")
    assert "next_attempt_at" not in listed

    again = acme_api.post(f"{path}/deliveries/{sent['delivery_id']}/redeliver")
    assert again.status_code == 202
    assert json.loads(again.content)["state"] == "PENDING"


def test_deliveries_come_newest_first_page_by_page(acme_api: Caller, acme: Customer) -> None:
    path = f"/v1/webhooks/{_made(acme_api)['webhook_id']}/deliveries"
    runs = [str(completed_run(acme).pk) for _ in range(5)]
    seen: list[str] = []
    cursor = ""
    while True:
        page = _get(acme_api, f"{path}?limit=2{cursor}")
        seen += [one["run_id"] for one in page["deliveries"]]
        if page["next_cursor"] is None:
            break
        cursor = f"&cursor={page['next_cursor']}"
    assert seen == runs[::-1]
    assert _get(acme_api, f"{path}?state=DELIVERED") == {"deliveries": [], "next_cursor": None}


def test_a_disabled_one_sends_nothing_until_it_is_enabled(acme_api: Caller) -> None:
    path = f"/v1/webhooks/{_made(acme_api)['webhook_id']}"
    Webhook.objects.update(status="DISABLED", disabled_reason="GONE")
    assert _get(acme_api, path)["disabled_reason"] == "GONE"
    problem(acme_api.post(f"{path}/test"), 409, "WEBHOOK_DISABLED")
    enabled = json.loads(acme_api.post(f"{path}/enable").content)
    assert enabled["status"] == "ACTIVE"
    assert "disabled_reason" not in enabled
    assert acme_api.post(f"{path}/test").status_code == 202


def test_what_an_operator_switched_off_its_owner_does_not_switch_on(acme_api: Caller) -> None:
    made = _made(acme_api)
    subscriptions.disable(Webhook.objects.get())
    path = f"/v1/webhooks/{made['webhook_id']}"
    problem(acme_api.post(f"{path}/enable"), 409, "WEBHOOK_DISABLED")
    assert _get(acme_api, path)["disabled_reason"] == "OPERATOR"


def test_deleted_is_gone_with_its_messages(acme_api: Caller, acme: Customer) -> None:
    path = f"/v1/webhooks/{_made(acme_api)['webhook_id']}"
    completed_run(acme)
    assert acme_api.delete(path).status_code == 204
    problem(acme_api.get(path), 404, "WEBHOOK_NOT_FOUND")
    problem(acme_api.delete(path), 404, "WEBHOOK_NOT_FOUND")
    assert WebhookDelivery.objects.count() == 0


def test_another_tenants_is_as_one_that_is_not(acme_api: Caller, rival_api: Caller) -> None:
    webhook_id = _made(acme_api)["webhook_id"]
    delivery_id = json.loads(acme_api.post(f"/v1/webhooks/{webhook_id}/test").content)["delivery_id"]
    own = _made(rival_api)["webhook_id"]

    def answers(one: str) -> list[dict[str, Any]]:
        path = f"/v1/webhooks/{one}"
        found = [
            rival_api.get(path),
            rival_api.delete(path),
            rival_api.get(f"{path}/deliveries"),
            rival_api.post(f"{path}/test"),
            rival_api.post(f"{path}/enable"),
            rival_api.post(f"{path}/rotate", "{}"),
            rival_api.post(f"{path}/deliveries/{delivery_id}/redeliver"),
        ]
        bodies = [problem(answer, 404, "WEBHOOK_NOT_FOUND") for answer in found]
        return [{**body, "instance": "", "trace_id": "", "extensions": {}} for body in bodies]

    assert answers(webhook_id) == answers(str(uuid4())) == answers("not-an-id")
    problem(rival_api.post(f"/v1/webhooks/{own}/deliveries/{delivery_id}/redeliver"), 404, "WEBHOOK_NOT_FOUND")
    assert _get(acme_api, f"/v1/webhooks/{webhook_id}")["status"] == "ACTIVE"


@pytest.mark.parametrize(
    ("changed", "pointer"),
    [
        ({"url": "http://hooks.example.org/"}, "/url"),
        ({"url": "https://127.0.0.1/"}, "/url"),
        ({"url": "https://169.254.169.254/latest"}, "/url"),
        ({"url": "https://[::1]/"}, "/url"),
        ({"url": "https://localhost/"}, "/url"),
        ({"url": "https://hooks.internal/"}, "/url"),
        ({"url": "https://user:secret@hooks.example.org/"}, "/url"),
        ({"url": "https://hooks.example.org:22/"}, "/url"),
        ({"url": "https://hooks.example.org/" + "x" * 2_000}, "/url"),
        ({"url": 7}, "/url"),
        ({"events": []}, "/events"),
        ({"events": ["run.started"]}, "/events"),
        ({"events": ["run.failed", "run.failed"]}, "/events"),
        ({"events": [["run.failed"]]}, "/events"),
        ({"budget_low_usd": "1.0000"}, "/budget_low_usd"),
        ({"description": "a\nb"}, "/description"),
        ({"secret": "whsec_mine"}, "/secret"),
    ],
)
def test_a_wrong_one_is_refused(acme_api: Caller, changed: dict[str, Any], pointer: str) -> None:
    refused = problem(acme_api.post("/v1/webhooks", json.dumps(_GOOD | changed)), 400, "INVALID_PARAMS")
    assert [error["pointer"] for error in refused["errors"]] == [pointer]
    assert Webhook.objects.count() == 0


@pytest.mark.parametrize("amount", [1, "1.00001", "-1", "1e3", None])
def test_the_threshold_is_money(acme_api: Caller, amount: Any) -> None:
    asked = _GOOD | {"events": ["budget.low"], "budget_low_usd": amount}
    problem(acme_api.post("/v1/webhooks", json.dumps(asked)), 422, "INVALID_MONEY_SCALE")


def test_a_threshold_is_shown_as_money(acme_api: Caller) -> None:
    assert _made(acme_api, events=["budget.low"], budget_low_usd="2.5")["budget_low_usd"] == "2.5000"


def test_a_tenant_has_so_many(acme_api: Caller) -> None:
    for _ in range(PROFILE.webhooks_per_tenant):
        _made(acme_api)
    problem(acme_api.post("/v1/webhooks", json.dumps(_GOOD)), 409, "WEBHOOK_LIMIT_REACHED")


def test_a_key_that_only_reads_makes_none(acme_api: Caller, acme: Customer) -> None:
    webhook_id = _made(acme_api)["webhook_id"]
    text = api_keys.issue(acme.tenant, restrictions=Restrictions(read_only=True))[1]
    reader = Caller(acme_api.client, Customer(acme.tenant, text))
    assert _get(reader, "/v1/webhooks")["webhooks"][0]["webhook_id"] == webhook_id
    problem(reader.post("/v1/webhooks", json.dumps(_GOOD)), 403, "KEY_NOT_ALLOWED")
    problem(reader.delete(f"/v1/webhooks/{webhook_id}"), 403, "KEY_NOT_ALLOWED")
