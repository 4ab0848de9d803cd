"""What of a caller goes on to the API, and what never leaves the call."""

from starlette.requests import Request

from runs.mcp.caller import caller_of, caller_with_key


def request(peer: str, **headers: str) -> Request:
    raw = [(name.replace("_", "-").lower().encode(), value.encode()) for name, value in headers.items()]
    return Request({"type": "http", "headers": raw, "client": (peer, 4711)})


def test_the_header_goes_on_as_it_came_and_the_callers_address_is_appended() -> None:
    caller = caller_of(
        request("203.0.113.7", Authorization="bearer  odd", X_Trace_Id="trace-1", X_Forwarded_For="198.51.100.1")
    )

    assert caller.headers() == {
        "X-Trace-Id": "trace-1",
        "Authorization": "bearer  odd",
        "X-Forwarded-For": "198.51.100.1, 203.0.113.7",
    }


def test_what_did_not_come_is_not_made_up() -> None:
    caller = caller_of(request("203.0.113.7", X_Trace_Id="not a trace id", Cookie="session=1"))

    assert caller.headers() == {"X-Trace-Id": caller.trace_id, "X-Forwarded-For": "203.0.113.7"}
    assert caller.trace_id != "not a trace id"


def test_what_cannot_be_sent_on_is_left_out() -> None:
    caller = caller_of(request("203.0.113.7", Authorization="Bearer é", X_Forwarded_For="198.51.100.1, ü"))

    assert caller.headers() == {"X-Trace-Id": caller.trace_id, "X-Forwarded-For": "203.0.113.7"}
    assert caller_with_key("é").headers().keys() == {"X-Trace-Id"}


def test_a_caller_that_is_printed_does_not_show_its_key() -> None:
    assert "dpp_sk_secret" not in repr(caller_with_key("dpp_sk_secret"))
