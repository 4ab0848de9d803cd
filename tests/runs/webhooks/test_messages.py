"""What a receiver gets, and that it can prove who sent it."""

import base64
import json

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from standardwebhooks.webhooks import WebhookVerificationError

from runs.webhooks import subscriptions
from runs.webhooks.sender import Sender
from tests.builders import Customer
from tests.packs.fetch.zoo import Request, Zoo
from tests.runs.webhooks.receivers import Subscription, all_is_due, cancelled_run, completed_run, subscribed


def _signatures(request: Request, version: str) -> list[bytes]:
    pairs = (one.partition(",") for one in request.headers["webhook-signature"].split(" "))
    return [base64.b64decode(text) for name, _, text in pairs if name == version]


def _is_signed_by(public_key: str, request: Request) -> bool:
    key = Ed25519PublicKey.from_public_bytes(base64.b64decode(public_key.removeprefix("whpk_")))
    signed = f"{request.headers['webhook-id']}.{request.headers['webhook-timestamp']}.".encode() + request.body
    for signature in _signatures(request, "v1a"):
        try:
            key.verify(signature, signed)
        except InvalidSignature:
            continue
        return True
    return False


def test_a_completed_run_is_told_with_a_thin_and_signed_body(
    acme: Customer, hook: Subscription, zoo: Zoo, sender: Sender
) -> None:
    run = completed_run(acme)

    assert sender.send_due() == {"delivered": 1}

    (request,) = zoo.record.requests
    assert request.line == "POST /in?x=1 HTTP/1.1"
    assert request.headers["content-type"] == "application/json"
    delivery = hook.only_delivery()
    assert request.headers["webhook-id"] == str(delivery.pk)
    assert hook.verified(request)["data"] == {
        "run_id": str(run.pk),
        "pack_type": "decision",
        "status": "COMPLETED",
    }
    assert hook.verified(request)["type"] == "run.completed"
    assert _is_signed_by(hook.webhook.public_key, request)
    assert (delivery.state, delivery.attempts, delivery.last_status_code) == ("DELIVERED", 1, 200)


def test_a_failed_run_is_told_with_its_reason(acme: Customer, hook: Subscription, zoo: Zoo, sender: Sender) -> None:
    run = cancelled_run(acme)
    sender.send_due()
    message = hook.verified(zoo.record.requests[0])
    assert message["type"] == "run.failed"
    assert message["data"]["reason_code"] == "RUN_CANCELLED"
    assert message["data"]["run_id"] == str(run.pk)


def test_a_changed_body_is_not_ours(acme: Customer, hook: Subscription, zoo: Zoo, sender: Sender) -> None:
    completed_run(acme)
    sender.send_due()
    (request,) = zoo.record.requests
    forged = Request(request.sni, request.line, request.headers, request.body.replace(b"COMPLETED", b"FAILED"))
    with pytest.raises(WebhookVerificationError):
        hook.verified(forged)
    assert not _is_signed_by(hook.webhook.public_key, forged)


def test_a_message_for_one_webhook_proves_nothing_to_another(
    acme: Customer, rival: Customer, hook: Subscription, zoo: Zoo, sender: Sender
) -> None:
    others = subscribed(rival)
    completed_run(acme)
    sender.send_due()
    (request,) = zoo.record.requests
    with pytest.raises(WebhookVerificationError):
        others.verified(request)
    assert not _is_signed_by(others.webhook.public_key, request)


def test_old_and_new_secret_verify_during_the_overlap(
    acme: Customer, hook: Subscription, zoo: Zoo, sender: Sender
) -> None:
    fresh = subscriptions.rotate(hook.webhook, overlap_sec=60)
    completed_run(acme)
    sender.send_due()
    (request,) = zoo.record.requests
    for secret in (hook.secret, fresh.secret):
        assert Subscription(acme, hook.webhook, secret).verified(request)
    assert _is_signed_by(hook.webhook.public_key, request)
    assert _is_signed_by(fresh.webhook.public_key, request)
    assert len(_signatures(request, "v1")) == 2


def test_after_the_overlap_the_old_secret_is_nothing(
    acme: Customer, hook: Subscription, zoo: Zoo, sender: Sender
) -> None:
    fresh = subscriptions.rotate(hook.webhook, overlap_sec=0)
    completed_run(acme)
    sender.send_due()
    (request,) = zoo.record.requests
    assert Subscription(acme, hook.webhook, fresh.secret).verified(request)
    with pytest.raises(WebhookVerificationError):
        hook.verified(request)


def test_every_attempt_has_the_same_id_and_body(acme: Customer, hook: Subscription, zoo: Zoo, sender: Sender) -> None:
    zoo.site("hooks.example.org", lambda tls, _: tls.close())
    completed_run(acme)
    for _ in range(3):
        sender.send_due()
        all_is_due()
    requests = zoo.record.requests
    assert len(requests) == 3
    assert len({(request.headers["webhook-id"], request.body) for request in requests}) == 1


def test_secrets_are_not_in_the_database_as_they_are(hook: Subscription) -> None:
    raw = base64.b64decode(hook.secret.removeprefix("whsec_"))
    stored = hook.now()
    assert raw not in bytes(stored.sealed_secrets)
    assert hook.secret not in json.dumps({name: str(value) for name, value in vars(stored).items()})
