"""`Model` over any OpenAI-compatible endpoint, through the official client. The only module that knows
it.

No retries, no redirects, no environment: a retry would spend time and tokens that nobody metered, and the
client's own reading of proxies and organisation headers would be configuration that nobody gave.
"""

import json
import logging
import queue
import ssl
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import httpx2
import openai
from openai.types.chat import ChatCompletion, ChatCompletionChunk

from packs.base import JsonObject
from packs.llm.model import Completion, Hear, Message, Unanswered, Why
from packs.llm.settings import LlmSettings

MAX_RESPONSE_BYTES = 2 * 1_048_576
# What one token of a stream may weigh on the wire, in its envelope.
_STREAMED_TOKEN_BYTES = 1_024


@dataclass(frozen=True)
class OpenAiModel:
    settings: LlmSettings
    _refuses_streams: threading.Event = field(default_factory=threading.Event, init=False, repr=False, compare=False)

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

    def complete(
        self,
        messages: Sequence[Message],
        *,
        name: str,
        schema: JsonObject,
        timeout_sec: float,
        hear: Hear | None = None,
    ) -> Completion:
        """The client's timeouts are per connect and per read; a server that drips bytes outlives them
        all. So the call runs in a thread of its own and this one waits no longer than it may.
        """
        streams = hear is not None and self.settings.stream and not self._refuses_streams.is_set()
        call = _Call(self.settings, self._arguments(messages, name, schema), timeout_sec, streams=streams)
        call.start()
        try:
            for piece in call.pieces():
                if hear is not None:
                    hear(piece)
        finally:
            # Also when the alarm of a run's timebox rings here.
            call.abandon()
        if call.completion is None:
            raise Unanswered(Why.TIMEOUT if call.is_late else call.failure)
        if call.refused_stream:
            self._refuses_streams.set()
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

    def __init__(self, settings: LlmSettings, arguments: dict[str, Any], timeout_sec: float, *, streams: bool) -> None:
        super().__init__(name="llm-call", daemon=True)
        self.settings = settings
        self.arguments = arguments
        self.streams = streams
        self.ends = time.monotonic() + timeout_sec
        most = MAX_RESPONSE_BYTES + (settings.max_output_tokens * _STREAMED_TOKEN_BYTES if streams else 0)
        self.transport = _Bounded(self.ends, most)
        self.timeout_sec = timeout_sec
        self.completion: Completion | None = None
        self.failure = Why.UNAVAILABLE
        self.is_late = False
        self.refused_stream = False
        self._heard: queue.SimpleQueue[str | None] = queue.SimpleQueue()

    def pieces(self) -> Iterator[str]:
        """What comes, until the call is over or its time is."""
        while (left_sec := self.ends - time.monotonic()) > 0:
            try:
                piece = self._heard.get(timeout=left_sec)
            except queue.Empty:
                break
            if piece is None:
                return
            yield piece
        self.is_late = True

    def abandon(self) -> None:
        if self.is_alive():
            self.transport.close()

    def run(self) -> None:
        try:
            self._try()
        finally:
            self._heard.put(None)

    def _try(self) -> None:
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
            return self._streamed(client) if self.streams else self._whole(client)

    def _whole(self, client: openai.OpenAI) -> Completion:
        answer = client.chat.completions.create(**self.arguments)
        # The client does not validate: a proxy's HTML or another API's JSON arrives as an object without
        # these.
        return _completion(answer.choices[0].message.content, getattr(answer, "usage", None))

    def _streamed(self, client: openai.OpenAI) -> Completion:
        asked = client.chat.completions.with_streaming_response
        try:
            with asked.create(**self.arguments, stream=True, stream_options={"include_usage": True}) as response:
                if "json" in response.headers.get("content-type", ""):
                    # It does not know of streams, and gives the whole.
                    answer = ChatCompletion.construct(**json.loads(response.read()))
                    return _completion(answer.choices[0].message.content, answer.usage)
                return self._joined(response.parse())
        except (openai.BadRequestError, openai.UnprocessableEntityError):
            # Nothing was written yet, and no token spent. If the request itself was wrong, it is refused once more.
            whole = self._whole(client)
            self.refused_stream = True
            return whole

    def _joined(self, chunks: Iterable[ChatCompletionChunk]) -> Completion:
        text: list[str] = []
        usage = None
        is_whole = False
        for chunk in chunks:
            usage = getattr(chunk, "usage", None) or usage
            for choice in (getattr(chunk, "choices", None) or [])[:1]:
                piece = getattr(getattr(choice, "delta", None), "content", None)
                if isinstance(piece, str) and piece:
                    text.append(piece)
                    self._heard.put(piece)
                is_whole = is_whole or getattr(choice, "finish_reason", None) is not None
        if not is_whole:
            raise _BrokenOff
        return _completion("".join(text), usage)


def _completion(text: str | None, usage: object) -> Completion:
    return Completion(
        text=text or "",
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


class _BrokenOff(Exception):
    """A stream ended before its text did."""


class _Bounded(httpx2.BaseTransport):
    """Ends a response that is too long or too slow at its next byte, so that an abandoned thread ends as
    well.
    """

    def __init__(self, until: float, most_bytes: int) -> None:
        self.inner = httpx2.HTTPTransport(verify=_trust(), trust_env=False)
        self.until = until
        self.most_bytes = most_bytes

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        response = self.inner.handle_request(request)
        if isinstance(response.stream, httpx2.SyncByteStream):
            response.stream = _BoundedStream(response.stream, self.until, self.most_bytes)
        return response

    def close(self) -> None:
        self.inner.close()


class _BoundedStream(httpx2.SyncByteStream):
    def __init__(self, inner: httpx2.SyncByteStream, until: float, most_bytes: int) -> None:
        self.inner = inner
        self.until = until
        self.most_bytes = most_bytes

    def __iter__(self) -> Iterator[bytes]:
        size = 0
        for chunk in self.inner:
            size += len(chunk)
            if time.monotonic() > self.until:
                raise _TooLate
            if size > self.most_bytes:
                raise httpx2.ReadError("the answer is too long")
            yield chunk

    def close(self) -> None:
        self.inner.close()
