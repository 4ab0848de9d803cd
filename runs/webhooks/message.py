"""A message as it is sent: a thin body, and headers that prove who sent it and when."""

import base64
import hashlib
import hmac
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from dpp_project.canonical import canonical_bytes
from dpp_project.clock import instant
from runs.webhooks.secrets import Secrets


def body(event: str, data: Mapping[str, Any], *, at: datetime) -> bytes:
    """The same bytes in every attempt. It tells what happened to what; the rest is read from the API."""
    return canonical_bytes({"type": event, "timestamp": instant(at), "data": dict(data)})


def headers(delivery_id: UUID, content: bytes, secrets: Sequence[Secrets], *, sent_at: datetime) -> dict[str, str]:
    """`webhook-id` is the same in every attempt, the time is the attempt's."""
    timestamp = str(int(sent_at.timestamp()))
    signed = f"{delivery_id}.{timestamp}.".encode() + content
    return {
        "webhook-id": str(delivery_id),
        "webhook-timestamp": timestamp,
        "webhook-signature": " ".join(signature for one in secrets for signature in _signatures(one, signed)),
    }


def _signatures(secrets: Secrets, signed: bytes) -> tuple[str, str]:
    symmetric = hmac.digest(secrets.shared, signed, hashlib.sha256)
    asymmetric = secrets.key.sign(signed)
    return f"v1,{base64.b64encode(symmetric).decode()}", f"v1a,{base64.b64encode(asymmetric).decode()}"
