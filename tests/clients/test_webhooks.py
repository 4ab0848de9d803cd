"""The client believes a message only if the platform signed it for this webhook, and lately."""

from datetime import UTC, datetime
from uuid import UUID

import pytest
from standardwebhooks import Webhook as OtherSender

from dpp_client import NotVerified, verify_webhook
from runs.webhooks import message
from runs.webhooks.secrets import Secrets

_ID = UUID("7d3c0e0e-0c0a-4b57-a3a5-3b0b4a3a2c55")
_AT = datetime(2026, 1, 31, 9, 0, tzinfo=UTC)
_NOW = _AT.timestamp()
_BODY = message.body("run.completed", {"run_id": "1", "status": "COMPLETED"}, at=_AT)

Sent = tuple[Secrets, dict[str, str]]


@pytest.fixture(scope="module")
def sent() -> Sent:
    secrets = Secrets.new()
    return secrets, message.headers(_ID, _BODY, [secrets], sent_at=_AT)


def test_either_signature_is_enough(sent: Sent) -> None:
    secrets, headers = sent
    by_secret = verify_webhook(_BODY, headers, secret=secrets.text, now=_NOW)
    by_key = verify_webhook(_BODY, headers, public_key=secrets.public_text, now=_NOW)
    assert by_secret == by_key
    assert (by_key["type"], by_key["data"]["run_id"]) == ("run.completed", "1")


def test_names_of_headers_are_read_in_any_case(sent: Sent) -> None:
    secrets, headers = sent
    shouted = {name.upper(): value for name, value in headers.items()}
    assert verify_webhook(_BODY, shouted, secret=secrets.text, now=_NOW)


def test_what_the_specifications_own_library_signs_is_verified(sent: Sent) -> None:
    secrets, headers = sent
    signature = OtherSender(secrets.text).sign(str(_ID), _AT, _BODY.decode())
    theirs = {**headers, "webhook-signature": signature}
    assert verify_webhook(_BODY, theirs, secret=secrets.text, now=_NOW)


@pytest.mark.parametrize("place", range(0, len(_BODY), 7))
def test_a_changed_body_is_refused(sent: Sent, place: int) -> None:
    secrets, headers = sent
    changed = bytearray(_BODY)
    changed[place] ^= 1
    with pytest.raises(NotVerified):
        verify_webhook(bytes(changed), headers, secret=secrets.text, public_key=secrets.public_text, now=_NOW)


@pytest.mark.parametrize(
    "change",
    [
        {"webhook-id": str(UUID(int=1))},
        {"webhook-timestamp": str(int(_NOW) + 1)},
        {"webhook-timestamp": "soon"},
        {"webhook-timestamp": "9" * 400},
        {"webhook-signature": ""},
        {"webhook-signature": "v1,"},
        {"webhook-signature": "v1,AAAA v1a,AAAA v2,AAAA v1 ,,"},
        {"webhook-signature": "v1,\N{SUPERSCRIPT TWO}"},
    ],
)
def test_changed_headers_are_refused(sent: Sent, change: dict[str, str]) -> None:
    secrets, headers = sent
    with pytest.raises(NotVerified):
        verify_webhook(_BODY, headers | change, secret=secrets.text, public_key=secrets.public_text, now=_NOW)


@pytest.mark.parametrize("missing", ["webhook-id", "webhook-timestamp", "webhook-signature"])
def test_missing_headers_are_refused(sent: Sent, missing: str) -> None:
    secrets, headers = sent
    less = {name: value for name, value in headers.items() if name != missing}
    with pytest.raises(NotVerified, match=missing):
        verify_webhook(_BODY, less, secret=secrets.text, now=_NOW)


@pytest.mark.parametrize("later", [-301, 301])
def test_old_and_future_messages_are_refused(sent: Sent, later: int) -> None:
    secrets, headers = sent
    with pytest.raises(NotVerified):
        verify_webhook(_BODY, headers, secret=secrets.text, now=_NOW + later)
    assert verify_webhook(_BODY, headers, secret=secrets.text, now=_NOW + later, tolerance_sec=400)


def test_another_webhooks_secret_does_not_do(sent: Sent) -> None:
    _, headers = sent
    other = Secrets.new()
    with pytest.raises(NotVerified):
        verify_webhook(_BODY, headers, secret=other.text, public_key=other.public_text, now=_NOW)


def test_without_a_key_nothing_is_verified(sent: Sent) -> None:
    _, headers = sent
    with pytest.raises(ValueError, match="secret"):
        verify_webhook(_BODY, headers, now=_NOW)
