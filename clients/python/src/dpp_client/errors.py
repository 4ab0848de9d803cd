"""What can go wrong, as classes. One class per reason code of the API is in `reasons.py`, made from openapi.json."""

from typing import Any, ClassVar, Literal, Self, cast

from dpp_client.models import Problem, ProblemError, Run

RetryWith = Literal["same_key", "new_key", "none"]


class DppError(Exception):
    """The base of all that this package raises on purpose."""

    idempotency_key: str | None = None
    """Of the submit that it happened to. The same call with this key goes on with the same run."""


class ConnectionFailed(DppError):
    """No answer came, after all repeats. Whether the request was carried out is unknown: repeat it with its key."""

    retry_with: RetryWith = "same_key"


class UnexpectedAnswer(DppError):
    """An answer that the API does not give: of a proxy, of another service, or cut off."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(f"HTTP {status}: {text[:200]}")
        self.status = status

    retry_with: RetryWith = "same_key"


class NotVerified(DppError):
    """The bytes are not what the platform signed. Do not use them."""


class NotAFile(DppError):
    """What was to be uploaded cannot be read, or its type is not known. Nothing was sent."""


class StillRunning(DppError):
    """The time to wait is over, and the run has not ended. It goes on; `Client.wait(run_id)` waits on."""

    def __init__(self, run: Run) -> None:
        super().__init__(f"Run {run['run_id']} is {run['status']}; wait on with its id.")
        self.run = run
        self.run_id = run["run_id"]


class ApiProblem(DppError):
    """A refusal of the API, or the end of a run that failed (then `run` is that run). RFC 9457."""

    code: ClassVar[str | None] = None
    """The reason code that this class stands for; None for codes newer than this package."""
    by_code: ClassVar[dict[str, type["ApiProblem"]]] = {}

    def __init__(self, problem: Problem, run: Run | None = None) -> None:
        super().__init__(problem.get("detail") or problem.get("title") or problem.get("reason_code"))
        self.problem = problem
        self.run = run

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if cls.code is not None:
            ApiProblem.by_code[cls.code] = cls

    @classmethod
    def of(cls, document: dict[str, Any], run: Run | None = None) -> Self:
        kind = ApiProblem.by_code.get(str(document.get("reason_code")), ApiProblem)
        return cast(Self, kind(cast(Problem, document), run))

    @property
    def reason_code(self) -> str:
        return self.problem["reason_code"]

    @property
    def status(self) -> int:
        return self.problem["status"]

    @property
    def retryable(self) -> bool:
        """Whether the same request, sent again later, may succeed."""
        return self.problem.get("retryable", False)

    @property
    def retry_with(self) -> RetryWith:
        """The key of a repeat: the same one, a new one (a new run, paid anew), or none: repeating does not help."""
        return self.problem.get("retry_with", "none")

    @property
    def retry_after_sec(self) -> int | None:
        return self.problem.get("retry_after_sec")

    @property
    def charged_usd(self) -> str:
        return self.problem.get("charged_usd", "0.0000")

    @property
    def next_action(self) -> str:
        return self.problem.get("next_action", "")

    @property
    def trace_id(self) -> str:
        return self.problem.get("trace_id", "")

    @property
    def errors(self) -> list[ProblemError]:
        """What is wrong with the request, and where."""
        return self.problem.get("errors", [])
