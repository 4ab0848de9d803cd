"""One request and its repeats, without doing any input or output.

A flow is a generator: it yields what is to be done (send this, pause so long) and is given the answer. `Client`
performs flows with a blocking connection, `AsyncClient` with an asynchronous one; what is decided is written once, here
and in `flows.py`.
"""

import json
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from random import SystemRandom
from typing import Any, TypeVar

import httpx

from dpp_client.errors import ApiProblem, ConnectionFailed, DppError, UnexpectedAnswer

_PASSING_STATUSES = {408, 425, 429, 500, 502, 503, 504}
_random = SystemRandom()


@dataclass(frozen=True)
class Send:
    method: str
    url: str
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes | None = None
    read_sec: float = 30.0


@dataclass(frozen=True)
class Pause:
    seconds: float


T = TypeVar("T")
Flow = Generator[Send | Pause, httpx.Response | None, T]


@dataclass(frozen=True)
class Retries:
    """How often and how long a request is repeated. Only what the API calls repeatable with the same key is."""

    attempts: int = 6
    first_pause_sec: float = 0.5
    longest_pause_sec: float = 60.0
    """Who is told to wait longer than this is given the error at once."""

    def pause_sec(self, error: DppError, attempt: int) -> float | None:
        """Before the next attempt; None if there is none."""
        if attempt + 1 >= self.attempts or not may_be_repeated(error):
            return None
        told = error.retry_after_sec if isinstance(error, ApiProblem) else None
        if told is not None and told > self.longest_pause_sec:
            return None
        grown = self.first_pause_sec * (1 << attempt) * _random.uniform(0.5, 1.0)
        return min(max(grown, told or 0.0), self.longest_pause_sec)


def may_be_repeated(error: DppError) -> bool:
    if isinstance(error, ApiProblem):
        return error.retryable and error.retry_with == "same_key"
    if isinstance(error, UnexpectedAnswer):
        return error.status in _PASSING_STATUSES or error.status < 300
    return isinstance(error, ConnectionFailed)


def exchange(
    request: Send,
    retries: Retries,
    *,
    read: Callable[[httpx.Response], T],
    done_if_repeated: type[ApiProblem] | None = None,
) -> Flow[T | None]:
    """What `read` finds in the answer. It raises a DppError for one that will not do, which is then repeated or raised.

    `done_if_repeated` is the refusal that an attempt meets if the one before it was carried out and its answer lost:
    then the result is None.
    """
    maybe_done = False
    for attempt in range(retries.attempts):
        try:
            answer = yield request
            assert answer is not None
            return read(answer)
        except httpx.RequestError as lost:
            failure: DppError = no_answer(request.method, request.url, lost)
        except DppError as refused:
            if maybe_done and done_if_repeated is not None and isinstance(refused, done_if_repeated):
                return None
            failure = refused
        maybe_done = maybe_done or may_be_repeated(failure)
        pause_sec = retries.pause_sec(failure, attempt)
        if pause_sec is None:
            raise failure
        yield Pause(pause_sec)
    raise AssertionError("the last attempt returns or raises")


def as_json(answer: httpx.Response) -> Any:
    """The JSON of an answer; None where there is none."""
    if answer.status_code >= 300:
        raise refusal(answer)
    if answer.status_code == 204:
        return None
    try:
        return json.loads(answer.content)
    except ValueError as error:
        raise UnexpectedAnswer(answer.status_code, "the answer is not JSON") from error


def as_bytes(answer: httpx.Response) -> bytes:
    if answer.status_code != 200:
        raise UnexpectedAnswer(answer.status_code, answer.text)
    return answer.content


def refusal(answer: httpx.Response) -> DppError:
    """What an answer of 300 or above says."""
    if answer.headers.get("Content-Type", "").partition(";")[0] == "application/problem+json":
        try:
            document = answer.json()
        except ValueError:
            document = None
        if isinstance(document, dict) and "reason_code" in document:
            return ApiProblem.of(document)
    return UnexpectedAnswer(answer.status_code, answer.text)


def no_answer(method: str, url: str, error: httpx.RequestError) -> ConnectionFailed:
    # Without what follows the question mark: a presigned address is a secret for ten minutes.
    failure = ConnectionFailed(f"{method} {url.partition('?')[0]}: {str(error) or type(error).__name__}")
    failure.__cause__ = error
    return failure
