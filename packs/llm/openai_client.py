"""`Model` over any OpenAI-compatible endpoint, through the official client. The only module that knows
it.

No retries, no redirects, no environment: a retry would spend time and tokens that nobody metered, and the
client's own reading of proxies and organisation headers would be configuration that nobody gave.
"""

import logging
import ssl
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import httpx2
import openai

from packs.base import JsonObject
from packs.llm.model import Completion, Message, Unanswered, Why
from packs.llm.settings import LlmSettings

MAX_RESPONSE_BYTES = 2 * 1_048_576


@dataclass(frozen=True)
class OpenAiModel:
    settings: LlmSettings

    @property
    def identity(self) -> str:
        settings = self.settings
        return f"{settings.base_url} {settings.model} {settings.temperature} {settings.max_output_tokens}"

    @property
    def max_input_bytes(self) -> int:
        return self.settings.max_input_bytes

    @property
    def max_output_tokens(self) -> int:
        return self.settings.max_output_tokens

    @property
    def timeout_sec(self) -> float:
        return self.settings.timeout_sec

    def complete(self, messages: Sequence[Message], *, name: str, schema: JsonObject, timeout_sec: float) -> Completion:
        """The client's timeouts are per connect and per read; a server that drips bytes outlives them
        all. So the call runs in a thread of its own and this one waits no longer than it may.
        """
        call = _Call(self.settings, self._arguments(messages, name, schema), timeout_sec)
        call.start()
        call.join(timeout_sec)
        if call.is_alive():
            call.abandon()
            raise Unanswered(Why.TIMEOUT)
        if call.completion is None:
            raise Unanswered(call.failure)
        return call.completion

    def _arguments(self, messages: Sequence[Message], name: str, schema: JsonObject) -> dict[str, Any]:
        settings = self.settings
        arguments: dict[str, Any] = {
            "model": settings.model,
            "messages": [{"role": message.role, "content": message.text} for message in messages],
            settings.output_limit_name: settings.max_output_tokens,
        }
        if settings.temperature is not None:
            arguments["temperature"] = settings.temperature
        if settings.response_format == "json_schema":
            form = {"name": name, "schema": schema, "strict": False}
            arguments["response_format"] = {"type": "json_schema", "json_schema": form}
        elif settings.response_format == "json_object":
            arguments["response_format"] = {"type": "json_object"}
        return arguments


class _Call(threading.Thread):
    """One request. Never raises: what went wrong is in `failure`, without the vendor's words, which may
    echo keys.
    """

    def __init__(self, settings: LlmSettings, arguments: dict[str, Any], timeout_sec: float) -> None:
        super().__init__(name="llm-call", daemon=True)
        self.settings = settings
        self.arguments = arguments
        self.transport = _Bounded(time.monotonic() + timeout_sec)
        self.timeout_sec = timeout_sec
        self.completion: Completion | None = None
        self.failure = Why.UNAVAILABLE

    def abandon(self) -> None:
        self.transport.close()

    def run(self) -> None:
        try:
            self.completion = self._complete()
        except (openai.APITimeoutError, _TooLate):
            self.failure = Why.TIMEOUT
        except openai.APIStatusError as error:
            busy = error.status_code in (408, 409, 429)
            self.failure = Why.REFUSED if 400 <= error.status_code < 500 and not busy else Why.UNAVAILABLE
        except Exception as error:
            logging.getLogger(__name__).warning("model call failed", extra={"error": type(error).__name__})
            self.failure = Why.UNAVAILABLE

    def _complete(self) -> Completion:
        with httpx2.Client(
            transport=self.transport, trust_env=False, follow_redirects=False, timeout=self.timeout_sec
        ) as http:
            client = openai.OpenAI(
                base_url=self.settings.base_url,
                api_key=self.settings.api_key,
                max_retries=0,
                timeout=self.timeout_sec,
                http_client=http,
            )
            # Left out, these two would be taken from the environment.
            client.organization = client.project = None
            answer = client.chat.completions.create(**self.arguments)
        # The client does not validate: a proxy's HTML or another API's JSON arrives as an object without
        # these.
        usage = getattr(answer, "usage", None)
        return Completion(
            text=answer.choices[0].message.content or "",
            input_tokens=_count(getattr(usage, "prompt_tokens", None)),
            output_tokens=_count(getattr(usage, "completion_tokens", None)),
        )


def _count(given: object) -> int | None:
    return given if isinstance(given, int) and given > 0 else None


@cache
def _trust() -> ssl.SSLContext:
    """Loading the trusted certificates takes longer than many a call."""
    return httpx2.create_ssl_context(trust_env=False)


class _TooLate(Exception):
    pass


class _Bounded(httpx2.BaseTransport):
    """Ends a response that is too long or too slow at its next byte, so that an abandoned thread ends as
    well.
    """

    def __init__(self, until: float) -> None:
        self.inner = httpx2.HTTPTransport(verify=_trust(), trust_env=False)
        self.until = until

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        response = self.inner.handle_request(request)
        if isinstance(response.stream, httpx2.SyncByteStream):
            response.stream = _BoundedStream(response.stream, self.until)
        return response

    def close(self) -> None:
        self.inner.close()


class _BoundedStream(httpx2.SyncByteStream):
    def __init__(self, inner: httpx2.SyncByteStream, until: float) -> None:
        self.inner = inner
        self.until = until

    def __iter__(self) -> Iterator[bytes]:
        size = 0
        for chunk in self.inner:
            size += len(chunk)
            if time.monotonic() > self.until:
                raise _TooLate
            if size > MAX_RESPONSE_BYTES:
                raise httpx2.ReadError("the answer is too long")
            yield chunk

    def close(self) -> None:
        self.inner.close()
