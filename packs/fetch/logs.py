"""Entries of the blocked log, in the one shape the contract gives them."""

import re
from datetime import datetime
from typing import Any

from packs.fetch.exceptions import BlockedCode, FetchBlocked

COMPONENT = "SmartFetcher"
MAX_URL_SHOWN = 512

_REASONS = {
    BlockedCode.URL_INVALID: "The URL is not one this service fetches.",
    BlockedCode.SCHEME_NOT_ALLOWED: "The scheme is not allowed.",
    BlockedCode.PORT_NOT_ALLOWED: "The port is not allowed.",
    BlockedCode.DOMAIN_NOT_ALLOWED: "The domain is not allowed.",
    BlockedCode.SSRF_LOOPBACK_BLOCKED: "The target is this service itself.",
    BlockedCode.SSRF_PRIVATE_IP_BLOCKED: "The target is not on the public Internet.",
    BlockedCode.REDIRECT_MAX_HOPS_EXCEEDED: "There are too many redirects.",
}
_SEVERITIES = {
    BlockedCode.SSRF_LOOPBACK_BLOCKED: "HIGH",
    BlockedCode.SSRF_PRIVATE_IP_BLOCKED: "HIGH",
    BlockedCode.REDIRECT_MAX_HOPS_EXCEEDED: "LOW",
}


def blocked_entry(blocked: FetchBlocked, *, ts: datetime) -> dict[str, Any]:
    refusal = blocked.refusal
    return {
        "ts": ts.isoformat(),
        "component": COMPONENT,
        "action": "BLOCK_REDIRECT" if blocked.hop else "BLOCK_REQUEST",
        "target": shown_url(blocked.target),
        "url": shown_url(blocked.url),
        "resolved_ip": refusal.resolved_ip,
        "reason": _REASONS[refusal.code],
        "reason_code": refusal.code.value,
        "reason_detail": refusal.detail,
        "severity": _SEVERITIES.get(refusal.code, "MEDIUM"),
    }


def shown_url(text: str) -> str:
    """A URL as it may stand in a log: short, on one line, without anybody's password."""
    printable = "".join(char if char.isprintable() else "\ufffd" for char in without_userinfo(text))
    return printable if len(printable) <= MAX_URL_SHOWN else printable[: MAX_URL_SHOWN - 1] + "…"


def without_userinfo(url: str) -> str:
    return re.sub(r"//[^/?#]*@", "//", url)
