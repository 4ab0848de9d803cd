"""Who calls, and what of it goes on to the API. A key lives as long as the call and is written nowhere."""

from dataclasses import dataclass, field

from starlette.requests import Request

from runs.api import trace


@dataclass(frozen=True)
class Caller:
    trace_id: str
    authorization: str | None = field(default=None, repr=False)
    forwarded_for: str | None = None

    def headers(self) -> dict[str, str]:
        headers = {
            trace.HEADER: self.trace_id,
            "Authorization": self.authorization,
            "X-Forwarded-For": self.forwarded_for,
        }
        return {name: value for name, value in headers.items() if value is not None}


def caller_with_key(api_key: str) -> Caller:
    return Caller(trace.first_valid(), authorization=_sendable(f"Bearer {api_key}"))


def caller_of(request: Request) -> Caller:
    """The header as it came: whether it is any good is the API's to say."""
    came_by = [_sendable(request.headers.get("X-Forwarded-For")), request.client.host if request.client else None]
    return Caller(
        trace_id=trace.first_valid(request.headers.get(trace.HEADER)),
        authorization=_sendable(request.headers.get("Authorization")),
        # Failed keys are limited by address: without this all callers of the gateway would share one.
        forwarded_for=", ".join(filter(None, came_by)) or None,
    )


def _sendable(value: str | None) -> str | None:
    """What the client could not send on is left out: without a key, too, the API says that there is no valid one."""
    return value if value and value.isascii() and value.isprintable() else None
