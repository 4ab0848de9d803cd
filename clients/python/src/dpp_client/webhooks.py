"""Webhooks: what is asked for, and whether a message that came in was sent by the platform, and lately (Standard
Webhooks)."""

import base64
import hashlib
import hmac
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, cast

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from dpp_client.errors import NotVerified
from dpp_client.models import WebhookMessage, WebhookRequest

TOLERANCE_SEC = 300
Event = Literal["run.completed", "run.failed", "budget.low"]


def webhook_request(
    url: str, events: Sequence[Event], *, budget_low_usd: str | None, description: str | None
) -> WebhookRequest:
    request = WebhookRequest(url=url, events=list(events))
    if budget_low_usd is not None:
        request["budget_low_usd"] = budget_low_usd
    if description is not None:
        request["description"] = description
    return request


def verify_webhook(
    body: bytes,
    headers: Mapping[str, str],
    *,
    secret: str | None = None,
    public_key: str | None = None,
    tolerance_sec: float = TOLERANCE_SEC,
    now: float | None = None,
) -> WebhookMessage:
    """The message in these bytes, exactly as they came in. NotVerified if it is forged, changed, or too old or too new.

    Give the webhook's `secret` (whsec_…) or its `public_key` (whpk_…); with both, either signature is enough. A message
    may come twice: keep the header `webhook-id` of those that you have handled.
    """
    if not secret and not public_key:
        raise ValueError("verify_webhook needs the webhook's secret or its public key.")
    found = {name.lower(): value for name, value in headers.items()}
    try:
        message_id, timestamp = found["webhook-id"], found["webhook-timestamp"]
        given = found["webhook-signature"]
    except KeyError as missing:
        raise NotVerified(f"The header {missing.args[0]} is missing.") from None
    _check_time(timestamp, tolerance_sec, time.time() if now is None else now)
    signed = f"{message_id}.{timestamp}.".encode() + body
    if not any(_is_good(version, raw, signed, secret, public_key) for version, raw in _signatures(given)):
        raise NotVerified("No signature of the message is of this webhook.")
    try:
        return cast(WebhookMessage, json.loads(body))
    except ValueError as error:
        raise NotVerified(f"The message is not JSON: {error}") from error


def _check_time(timestamp: str, tolerance_sec: float, now: float) -> None:
    if not (timestamp.isascii() and timestamp.isdigit() and len(timestamp) < 15):
        raise NotVerified("The header webhook-timestamp is no time.")
    if abs(now - int(timestamp)) > tolerance_sec:
        raise NotVerified(f"The message was sent more than {tolerance_sec:g} seconds ago, or is from the future.")


def _signatures(given: str) -> Iterator[tuple[str, bytes]]:
    for one in given.split(" "):
        version, comma, text = one.partition(",")
        if comma:
            try:
                yield version, base64.b64decode(text, validate=True)
            except ValueError:
                continue


def _is_good(version: str, raw: bytes, signed: bytes, secret: str | None, public_key: str | None) -> bool:
    if version == "v1" and secret:
        expected = hmac.digest(_decoded(secret, "whsec_"), signed, hashlib.sha256)
        return hmac.compare_digest(raw, expected)
    if version == "v1a" and public_key:
        try:
            Ed25519PublicKey.from_public_bytes(_decoded(public_key, "whpk_")).verify(raw, signed)
        except InvalidSignature:
            return False
        return True
    return False


def _decoded(text: str, prefix: str) -> bytes:
    try:
        return base64.b64decode(text.removeprefix(prefix), validate=True)
    except ValueError:
        raise ValueError(f"This is no key of a webhook: it would begin with {prefix}.") from None
