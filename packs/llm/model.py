"""What a model is to a pack, and how it fails."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, Protocol

from packs.base import JsonObject


class Why(StrEnum):
    """Why there is no answer. Each has a sentence in the pack that shows it."""

    TIMEOUT = "timeout"
    UNAVAILABLE = "unavailable"  # unreachable, overloaded, or an answer that is not the API's
    REFUSED = "refused"  # a 4xx: wrong key, unknown model, or the request is not accepted
    INVALID = "invalid"  # the first answer and its repair both failed the checks
    BUDGET = "budget"  # what is left of the reservation does not cover the call
    TOO_LARGE = "too_large"


class Unanswered(Exception):
    """The model gave no usable answer."""

    def __init__(self, why: Why, tokens: int = 0) -> None:
        super().__init__(why.value)
        self.why = why
        self.tokens = tokens
        """Consumed before giving up; they are metered like all others."""


@dataclass(frozen=True)
class Message:
    role: Literal["system", "user", "assistant"]
    text: str


@dataclass(frozen=True)
class Completion:
    text: str
    input_tokens: int | None
    output_tokens: int | None
    """None: the endpoint did not say."""


class ModelAnswers(Protocol):
    """Answers that passed all checks, kept for whoever asks the same again: `services["model_answers"]`."""

    def find(self, fingerprint: str, *, tenant_id: str) -> str | None: ...

    def keep(self, fingerprint: str, text: str, *, tenant_id: str) -> None:
        """Never raises: what cannot be kept is asked again."""


Hear = Callable[[str], None]
"""Called in the caller's thread."""


class AnswerDraft(Protocol):
    """Where a text is told while it is written: `services["answer_draft"]`. Never raises, never waits for anybody."""

    def piece(self, attempt: int, number: int, text: str) -> None: ...

    def verdict(self, attempt: int, pieces: int, verdict: str) -> None: ...


class Model(Protocol):
    @property
    def identity(self) -> str:
        """Which model, where and set how: another one would give another answer."""

    @property
    def max_input_bytes(self) -> int: ...

    @property
    def max_output_tokens(self) -> int: ...

    @property
    def timeout_sec(self) -> float: ...

    def complete(
        self,
        messages: Sequence[Message],
        *,
        name: str,
        schema: JsonObject,
        timeout_sec: float,
        hear: Hear | None = None,
    ) -> Completion:
        """One call, over within `timeout_sec` whatever the endpoint does. Raises `Unanswered`. `hear` is called with
        each piece of the text as it comes, or never if the endpoint gives it only as a whole."""
