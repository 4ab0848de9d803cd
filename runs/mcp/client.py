"""The calls to the API. Whatever keeps it from answering becomes a problem, as if the API had said it."""

import hashlib
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Any

import httpx2

from dpp_project.profile import PROFILE
from runs.api.problems import DEPENDENCY_UNAVAILABLE, RESULT_UNAVAILABLE, UPSTREAM_TIMEOUT, ProblemError
from runs.mcp.arguments import Submission
from runs.mcp.caller import Caller
from runs.mcp.settings import GatewaySettings

RUNS_PATH = "/v1/runs"
# The longest that the API holds an answer.
LONGEST_HOLD_SEC = PROFILE.long_poll_max_sec

_CONNECT_SEC = 3
# A submit may wait for another with the same key, and for a service that is slow to say no.
_ANSWER_SEC = 20 + PROFILE.idem_lock_ttl_sec
_DOWNLOAD_SEC = 20

_UNKNOWN_OUTCOME = "Whether it took the run is not known: the same idempotency_key finds it or starts it, once."


@dataclass(frozen=True)
class ApiAnswer:
    """What the API said: a receipt, a run, or a problem."""

    status: int
    document: dict[str, Any]
    replayed: bool = False

    @property
    def is_problem(self) -> bool:
        return self.status >= httpx2.codes.BAD_REQUEST


class ApiClient:
    def __init__(self, settings: GatewaySettings) -> None:
        self._url = settings.api_url + RUNS_PATH
        self._http = httpx2.AsyncClient(
            timeout=httpx2.Timeout(_ANSWER_SEC, connect=_CONNECT_SEC),
            # Calls that wait hold a connection each.
            limits=httpx2.Limits(max_connections=None, max_keepalive_connections=50),
            # A proxy of the environment is for the world outside, not for a server on this machine.
            trust_env=not settings.api_is_local,
            # All callers share this client: a balancer's cookie of one must not go out with the next.
            cookies=CookieJar(policy=DefaultCookiePolicy(allowed_domains=())),
            headers={"User-Agent": "dpp-mcp"},
        )

    async def close(self) -> None:
        await self._http.aclose()

    async def submit(self, submission: Submission, caller: Caller, *, hold_sec: int) -> ApiAnswer:
        """Raises `ProblemError` if there is no answer, or one that is not the API's."""
        headers = {
            **caller.headers(),
            "Content-Type": "application/json",
            "Idempotency-Key": submission.idempotency_key,
            "Prefer": f"wait={hold_sec}",
        }
        async with _as_problems("No run was submitted.", _UNKNOWN_OUTCOME):
            response = await self._http.post(
                self._url, content=submission.body, headers=headers, timeout=_patience(hold_sec)
            )
        return _answer(response, success=httpx2.codes.ACCEPTED, otherwise=_UNKNOWN_OUTCOME)

    async def read(self, run_id: str, caller: Caller, *, hold_sec: int = 0) -> ApiAnswer:
        """The run; held until it has ended."""
        query = {"wait": str(hold_sec), "until": "end"} if hold_sec else {}
        async with _as_problems("", ""):
            response = await self._http.get(
                f"{self._url}/{run_id}", params=query, headers=caller.headers(), timeout=_patience(hold_sec)
            )
        return _answer(response, success=httpx2.codes.OK)

    async def cancel(self, run_id: str, caller: Caller) -> ApiAnswer:
        async with _as_problems("", ""):
            response = await self._http.post(f"{self._url}/{run_id}/cancel", headers=caller.headers())
        return _answer(response, success=httpx2.codes.ACCEPTED)

    async def download(self, link: dict[str, Any], *, most_bytes: int) -> bytes:
        """An object of a run by its link, which needs no key and gets none. Its hash is compared."""
        parts: list[bytes] = []
        size = 0
        async with (
            _as_problems("", ""),
            self._http.stream("GET", link["presigned_url"], timeout=httpx2.Timeout(_DOWNLOAD_SEC)) as response,
        ):
            if response.status_code != httpx2.codes.OK:
                raise RESULT_UNAVAILABLE.error("The stored result could not be downloaded.")
            async for part in response.aiter_bytes():
                size += len(part)
                if size > most_bytes:
                    raise RESULT_UNAVAILABLE.error("The stored result is larger than it was said to be.")
                parts.append(part)
        body = b"".join(parts)
        if hashlib.sha256(body).hexdigest() != link["sha256"]:
            raise RESULT_UNAVAILABLE.error("The stored result is not as it was written.")
        return body


def _patience(hold_sec: int) -> httpx2.Timeout:
    return httpx2.Timeout(_ANSWER_SEC + hold_sec, connect=_CONNECT_SEC)


@asynccontextmanager
async def _as_problems(nothing_happened: str, unknown: str) -> AsyncIterator[None]:
    try:
        yield
    except (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout):
        raise _problem(f"The API cannot be reached. {nothing_happened}") from None
    except httpx2.TimeoutException:
        raise UPSTREAM_TIMEOUT.error(f"The API did not answer in time. {unknown}".strip()) from None
    except httpx2.RequestError:
        raise _problem(f"The API did not finish its answer. {unknown}") from None


def _answer(response: httpx2.Response, *, success: int, otherwise: str = "") -> ApiAnswer:
    """A proxy's page is no answer: only receipts, runs and problems are passed on."""
    status = response.status_code
    media_type = response.headers.get("Content-Type", "").partition(";")[0].strip().lower()
    expected = "application/problem+json" if status >= httpx2.codes.BAD_REQUEST else "application/json"
    try:
        document = json.loads(response.content)
    except ValueError:
        document = None
    is_known = status >= httpx2.codes.BAD_REQUEST or status == success
    if is_known and media_type == expected and isinstance(document, dict):
        return ApiAnswer(status, document, replayed=response.headers.get("Idempotent-Replayed") == "true")
    raise _problem(f"At the API's address something else answered, with status {status}. {otherwise}")


def _problem(detail: str) -> ProblemError:
    return DEPENDENCY_UNAVAILABLE.error(detail.strip())
