"""One POST to the API. Whatever keeps it from answering becomes a problem, as if the API had said it."""

import json
from dataclasses import dataclass
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Any

import httpx2

from dpp_project.profile import PROFILE
from runs.api.problems import DEPENDENCY_UNAVAILABLE, UPSTREAM_TIMEOUT
from runs.mcp.arguments import Submission
from runs.mcp.caller import Caller
from runs.mcp.settings import GatewaySettings

RUNS_PATH = "/v1/runs"

_CONNECT_SEC = 3
# A submit may wait for another with the same key, and for a service that is slow to say no.
_ANSWER_SEC = 20 + PROFILE.idem_lock_ttl_sec

_UNKNOWN_OUTCOME = "Whether it took the run is not known: the same idempotency_key finds it or starts it, once."


@dataclass(frozen=True)
class ApiAnswer:
    """What the API said: 202 with a receipt, or 4xx/5xx with a problem."""

    status: int
    text: str
    """The body, untouched."""
    document: dict[str, Any]
    replayed: bool

    @property
    def accepted(self) -> bool:
        return self.status == httpx2.codes.ACCEPTED


class ApiClient:
    def __init__(self, settings: GatewaySettings) -> None:
        self._url = settings.api_url + RUNS_PATH
        self._http = httpx2.AsyncClient(
            timeout=httpx2.Timeout(_ANSWER_SEC, connect=_CONNECT_SEC),
            # A proxy of the environment is for the world outside, not for a server on this machine.
            trust_env=not settings.api_is_local,
            # All callers share this client: a balancer's cookie of one must not go out with the next.
            cookies=CookieJar(policy=DefaultCookiePolicy(allowed_domains=())),
            headers={"User-Agent": "dpp-mcp", "Content-Type": "application/json"},
        )

    async def close(self) -> None:
        await self._http.aclose()

    async def submit(self, submission: Submission, caller: Caller) -> ApiAnswer:
        """Raises `ProblemError` if there is no answer, or one that is not the API's."""
        headers = {**caller.headers(), "Idempotency-Key": submission.idempotency_key}
        try:
            response = await self._http.post(self._url, content=submission.body, headers=headers)
        except (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout):
            raise DEPENDENCY_UNAVAILABLE.error("The API cannot be reached. No run was submitted.") from None
        except httpx2.TimeoutException:
            raise UPSTREAM_TIMEOUT.error(f"The API did not answer in time. {_UNKNOWN_OUTCOME}") from None
        except httpx2.RequestError:
            raise DEPENDENCY_UNAVAILABLE.error(f"The API did not finish its answer. {_UNKNOWN_OUTCOME}") from None
        return _answer(response)


def _answer(response: httpx2.Response) -> ApiAnswer:
    """A proxy's page is no answer: only receipts and problems are passed on."""
    status = response.status_code
    media_type = response.headers.get("Content-Type", "").partition(";")[0].strip().lower()
    expected = "application/problem+json" if status >= httpx2.codes.BAD_REQUEST else "application/json"
    if status >= httpx2.codes.BAD_REQUEST or status == httpx2.codes.ACCEPTED:
        try:
            text = response.content.decode("utf-8")
            document = json.loads(text)
        except ValueError:
            document = None
        if media_type == expected and isinstance(document, dict):
            return ApiAnswer(status, text, document, replayed=response.headers.get("Idempotent-Replayed") == "true")
    raise DEPENDENCY_UNAVAILABLE.error(
        f"At the API's address something else answered, with status {status}. {_UNKNOWN_OUTCOME}"
    )
