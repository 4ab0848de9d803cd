"""Entries of the blocked log, in the one shape the contract gives them."""

import re
from datetime import UTC, datetime
from typing import Any

from packs.fetch.exceptions import BlockedCode, FetchBlocked

COMPONENT = "SmartFetcher"
# What was refused: the submitted URL itself, or where a site sent us.
FETCH_REQUEST = "FETCH_REQUEST"
FETCH_REDIRECT_FOLLOW = "FETCH_REDIRECT_FOLLOW"
MAX_URL_SHOWN = 512

_REASONS = {
    BlockedCode.URL_INVALID: "URL_INVALID",
    BlockedCode.SCHEME_NOT_ALLOWED: "SCHEME",
    BlockedCode.PORT_NOT_ALLOWED: "PORT",
    BlockedCode.DOMAIN_NOT_ALLOWED: "DOMAIN",
    BlockedCode.SSRF_LOOPBACK_BLOCKED: "PRIVATE_IP",
    BlockedCode.SSRF_PRIVATE_IP_BLOCKED: "PRIVATE_IP",
    BlockedCode.REDIRECT_MAX_HOPS_EXCEEDED: "REDIRECT_LIMIT",
}
_SEVERITIES = {
    BlockedCode.SSRF_LOOPBACK_BLOCKED: "HIGH",
    BlockedCode.SSRF_PRIVATE_IP_BLOCKED: "HIGH",
    BlockedCode.REDIRECT_MAX_HOPS_EXCEEDED: "LOW",
}


def blocked_entry(blocked: FetchBlocked, *, ts: datetime) -> dict[str, Any]:
    refusal = blocked.refusal
    return {
        "ts": log_time(ts),
        "component": COMPONENT,
        "action": FETCH_REDIRECT_FOLLOW if blocked.hop else FETCH_REQUEST,
        "target": shown_url(blocked.target),
        "url": shown_url(blocked.url),
        "resolved_ip": refusal.resolved_ip,
        "reason": _REASONS[refusal.code],
        "reason_code": refusal.code.value,
        "reason_detail": refusal.detail,
        "severity": _SEVERITIES.get(refusal.code, "MEDIUM"),
    }


def log_time(ts: datetime) -> str:
    """UTC to the millisecond, with `Z`."""
    return ts.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def shown_url(text: str) -> str:
    """A URL as it may stand in a log: short, on one line, without anybody's password."""
    printable = "".join(char if char.isprintable() else "\ufffd" for char in without_userinfo(text))
    return printable if len(printable) <= MAX_URL_SHOWN else printable[: MAX_URL_SHOWN - 1] + "…"


def without_userinfo(url: str) -> str:
    return re.sub(r"//[^/?#]*@", "//", url)
