"""OpenTelemetry traces, for operators who give an OTLP endpoint: request, message, worker, stages of the pack.

Without `OTEL_EXPORTER_OTLP_ENDPOINT` nothing of OpenTelemetry is imported here and a span is one look at `ON`. No
library is instrumented: that would export URLs with their queries and SQL with its values. An attribute is an id, a
name out of our own code or a number, never what a caller wrote into inputs.
"""

import functools
import os
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Protocol

from dpp_project.env import BadEnvironment, Env
from dpp_project.logging import service_name

if TYPE_CHECKING:
    from opentelemetry.context import Context
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.trace import Span, SpanKind, Tracer

_PROTOCOL = "http/protobuf"
_ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
_PROTOCOLS = ("OTEL_EXPORTER_OTLP_PROTOCOL", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL")
_FLUSH_MS = 3_000


def is_configured(environ: Mapping[str, str]) -> bool:
    """Whether an endpoint is given. One we cannot speak to is refused at start, not silently never used."""
    env = Env(environ)
    if env.text("OTEL_SDK_DISABLED", "").lower() == "true" or not any(env.http_address(name) for name in _ENDPOINTS):
        return False
    for name in _PROTOCOLS:
        if env.text(name, _PROTOCOL) != _PROTOCOL:
            raise BadEnvironment(f"{name}={environ[name]!r}: traces are sent by {_PROTOCOL} only. Unset it.")
    return True


ON = is_configured(os.environ)


class Noted(Protocol):
    """A span in the hands of our code."""

    def name(self, name: str) -> None: ...
    def note(self, **attributes: object) -> None: ...
    def failed(self, kind: str) -> None: ...


class _Nothing:
    """In place of every span while traces are off."""

    def __enter__(self) -> "_Nothing":
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def name(self, name: str) -> None:
        pass

    def note(self, **attributes: object) -> None:
        pass

    def failed(self, kind: str) -> None:
        pass


_NOTHING = _Nothing()


class _Noted:
    def __init__(self, span: "Span") -> None:
        self._span = span

    def name(self, name: str) -> None:
        self._span.update_name(name)

    def note(self, **attributes: object) -> None:
        for name, value in attributes.items():
            if value is not None:
                self._span.set_attribute(f"dpp.{name}", value if isinstance(value, bool | int | float) else str(value))

    def failed(self, kind: str) -> None:
        from opentelemetry.trace import Status, StatusCode

        self._span.set_status(Status(StatusCode.ERROR))
        self._span.set_attribute("error.type", kind)


def span(
    name: str, *, kind: str = "INTERNAL", parent: str | None = None, **attributes: object
) -> AbstractContextManager[Noted]:
    """A span around what is inside. `parent`: the `traceparent` of another process, None: the span we are in."""
    return _span(name, kind, parent, attributes) if ON else _NOTHING


@contextmanager
def _span(name: str, kind: str, parent: str | None, attributes: dict[str, object]) -> Iterator[Noted]:
    # An exception's message may quote inputs: of what went wrong only the type is told.
    with _tracer().start_as_current_span(
        name,
        kind=_kind(kind),
        context=_context_of(parent) if parent else None,
        record_exception=False,
        set_status_on_exception=False,
    ) as made:
        noted = _Noted(made)
        noted.note(**attributes)
        try:
            yield noted
        except BaseException as error:
            noted.failed(type(error).__name__)
            raise


def traceparent() -> str | None:
    """The span we are in as W3C writes it, for a message to carry along."""
    if not ON:
        return None
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    carrier: dict[str, str] = {}
    TraceContextTextMapPropagator().inject(carrier)
    return carrier.get("traceparent")


class Stages:
    """The stages of a pack: each lasts until the next one begins. Used by one execution, closed at its end."""

    def __init__(self) -> None:
        self._stage: str | None = None
        self._span: Span | None = None
        self._parent = _here() if ON else None

    def enter(self, stage: str) -> None:
        if stage == self._stage:
            return
        self.close()
        self._stage = stage
        # The context is given: a pack may check in from another thread than the one it began in.
        self._span = _tracer().start_span(f"stage {stage}", context=self._parent)
        self._span.set_attribute("dpp.stage", stage)

    def close(self) -> None:
        if self._span is not None:
            self._span.end()
            self._span = None


def flush() -> None:
    """Before a process ends that leaves without saying good-bye to its modules, as a pool's child does."""
    if ON and _provider.cache_info().currsize:
        _provider().force_flush(_FLUSH_MS)


def _here() -> "Context":
    from opentelemetry.context import get_current

    return get_current()


def _context_of(parent: str) -> "Context":
    from opentelemetry.context import Context
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    return TraceContextTextMapPropagator().extract({"traceparent": parent}, context=Context())


def _kind(name: str) -> "SpanKind":
    from opentelemetry.trace import SpanKind

    return SpanKind[name]


@functools.cache
def _provider() -> "TracerProvider":
    """Made with the first span: a worker's children each make their own, after the fork."""
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    name = os.environ.get("OTEL_SERVICE_NAME") or f"dpp-{service_name()}"
    provider = TracerProvider(resource=Resource.create({"service.name": name}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return provider


@functools.cache
def _tracer() -> "Tracer":
    return _provider().get_tracer("dpp")
