"""One attempt to deliver one message. Touches no database: any thread may do it."""

import time
from dataclasses import dataclass
from typing import Protocol

from dpp_project.profile import PROFILE
from dpp_project.sealing import NotSealedByUs
from packs.fetch import FetchBlocked, FetchFailed, Head
from runs.webhooks import message
from runs.webhooks.deliveries import Taken
from runs.webhooks.secrets import Secrets

GONE = 410


class Poster(Protocol):
    """The fetcher, as far as it is needed here."""

    def post(self, url: str, body: bytes, headers: dict[str, str], /, *, timeout_sec: float) -> Head: ...


@dataclass(frozen=True)
class Answer:
    seconds: float
    status: int | None = None
    problem: str | None = None
    """Why it counts as not delivered; None: it was delivered."""
    retry_after: str | None = None


def attempt(taken: Taken, poster: Poster) -> Answer:
    began = time.monotonic()
    try:
        head = poster.post(taken.url, *_request(taken), timeout_sec=PROFILE.webhook_timeout_sec)
    except FetchBlocked as blocked:
        return Answer(time.monotonic() - began, problem=str(blocked.refusal.code))
    except FetchFailed as failure:
        return Answer(time.monotonic() - began, problem=str(failure.code))
    except NotSealedByUs:
        return Answer(time.monotonic() - began, problem="SECRET_UNREADABLE")
    seconds = time.monotonic() - began
    retry_after = head.text(b"retry-after") or None
    return Answer(seconds, head.status_code, _problem(head.status_code), retry_after)


def _request(taken: Taken) -> tuple[bytes, dict[str, str]]:
    content = message.body(taken.event, taken.data, at=taken.created_at)
    sealed = (taken.sealed_secrets, taken.sealed_old_secrets)
    secrets = [Secrets.unsealed(one) for one in sealed if one is not None]
    # The time of the taking is the database's: receivers refuse messages that are minutes old or from the future.
    signed = message.headers(taken.delivery_id, content, secrets, sent_at=taken.taken_at)
    return content, {"Content-Type": "application/json", **signed}


def _problem(status: int) -> str | None:
    if 200 <= status < 300:
        return None
    return "REDIRECT" if 300 <= status < 400 else "HTTP_STATUS"
