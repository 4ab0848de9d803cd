"""Why a URL was not kept: gates, reason codes, what each means and what to try instead."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from packs.base import JsonObject
from packs.fetch import BlockedCode, FailedCode
from packs.fetch.logs import log_time, without_userinfo


class Gate(StrEnum):
    ACCESS = "ACCESS"
    QUALITY = "QUALITY"
    RELEVANCE = "RELEVANCE"


class DiscardReason(StrEnum):
    ACCESS_TIMEOUT = "ACCESS_TIMEOUT"
    HOST_BUSY = "HOST_BUSY"
    ACCESS_HTTP_STATUS = "ACCESS_HTTP_STATUS"
    ACCESS_UNREACHABLE = "ACCESS_UNREACHABLE"
    ACCESS_BAD_RESPONSE = "ACCESS_BAD_RESPONSE"
    ACCESS_UNREADABLE = "ACCESS_UNREADABLE"
    BLOCKED_BY_POLICY = "BLOCKED_BY_POLICY"
    NON_HTTPS = "NON_HTTPS"
    TLS_INVALID = "TLS_INVALID"
    TOO_MANY_REDIRECTS = "TOO_MANY_REDIRECTS"
    CONTENT_TOO_LARGE = "CONTENT_TOO_LARGE"
    PAYWALL = "PAYWALL"
    LOGIN_REQUIRED = "LOGIN_REQUIRED"
    BOT_WALL = "BOT_WALL"
    CONSENT_WALL = "CONSENT_WALL"
    MAX_URLS_REACHED = "MAX_URLS_REACHED"
    BUDGET_CAP_REACHED = "BUDGET_CAP_REACHED"
    LOW_QUALITY_SOURCE = "LOW_QUALITY_SOURCE"
    STALE = "STALE"
    IRRELEVANT = "IRRELEVANT"
    RELEVANCE_UNKNOWN = "RELEVANCE_UNKNOWN"
    DUPLICATE = "DUPLICATE"


GATE_OF = dict.fromkeys(DiscardReason, Gate.ACCESS) | {
    DiscardReason.LOW_QUALITY_SOURCE: Gate.QUALITY,
    DiscardReason.STALE: Gate.QUALITY,
    DiscardReason.IRRELEVANT: Gate.RELEVANCE,
    DiscardReason.RELEVANCE_UNKNOWN: Gate.RELEVANCE,
    DiscardReason.DUPLICATE: Gate.RELEVANCE,
}
MEANINGS = {
    DiscardReason.ACCESS_TIMEOUT: "The page did not arrive in time.",
    DiscardReason.HOST_BUSY: "The site is asked for as many pages at once as we ask any site for.",
    DiscardReason.ACCESS_HTTP_STATUS: "The site answered with an error.",
    DiscardReason.ACCESS_UNREACHABLE: "The site could not be reached.",
    DiscardReason.ACCESS_BAD_RESPONSE: "The site's answer was broken.",
    DiscardReason.ACCESS_UNREADABLE: "The document holds no text that can be read.",
    DiscardReason.BLOCKED_BY_POLICY: "The address is one this service does not fetch.",
    DiscardReason.NON_HTTPS: "The page is not served over https.",
    DiscardReason.TLS_INVALID: "The site's certificate is not valid.",
    DiscardReason.TOO_MANY_REDIRECTS: "The site redirects too often.",
    DiscardReason.CONTENT_TOO_LARGE: "The document is larger than is read.",
    DiscardReason.PAYWALL: "The text is behind a paywall.",
    DiscardReason.LOGIN_REQUIRED: "The text is behind a login.",
    DiscardReason.BOT_WALL: "The site shows a check for robots instead of the text.",
    DiscardReason.CONSENT_WALL: "The site shows a question for consent instead of the text.",
    DiscardReason.MAX_URLS_REACHED: "The run's number of URLs was reached.",
    DiscardReason.BUDGET_CAP_REACHED: "The run's budget was reached.",
    DiscardReason.LOW_QUALITY_SOURCE: "The kind of source is not accepted.",
    DiscardReason.STALE: "The page is too old.",
    DiscardReason.IRRELEVANT: "The page does not speak of the question.",
    DiscardReason.RELEVANCE_UNKNOWN: "Nobody can tell whether the page speaks of the question.",
    DiscardReason.DUPLICATE: "The page repeats another one.",
}
HINTS = {
    DiscardReason.HOST_BUSY: "Submit the URL again after retry_after_sec seconds.",
    DiscardReason.ACCESS_HTTP_STATUS: "Look for the page's new address on the site itself.",
    DiscardReason.ACCESS_UNREADABLE: "Give an HTML or PDF version; the ocr pack reads pictures of text.",
    DiscardReason.CONTENT_TOO_LARGE: "Give the single chapter or article instead of the whole collection.",
    DiscardReason.PAYWALL: "Look for the primary source, or the same report at a public broadcaster or agency.",
    DiscardReason.LOGIN_REQUIRED: "Look for a public version at an official or research site.",
    DiscardReason.BOT_WALL: "Look for the same text at a site that answers programs, or upload it.",
    DiscardReason.CONSENT_WALL: "Look for the same text at a site that answers without consent.",
    DiscardReason.MAX_URLS_REACHED: "Submit the remaining URLs in another run.",
    DiscardReason.BUDGET_CAP_REACHED: "Submit the remaining URLs with a higher max_cost_usd.",
    DiscardReason.LOW_QUALITY_SOURCE: (
        "Look for the statement's primary source: government, public body, research or press."
    ),
    DiscardReason.RELEVANCE_UNKNOWN: "Ask in the page's language, or set gates.relevance.unknown to keep.",
    DiscardReason.STALE: "Look for a newer version at the same source.",
    DiscardReason.TLS_INVALID: "Look for the same document at a site with a valid certificate.",
}

FAILED = {
    FailedCode.TIMEOUT: DiscardReason.ACCESS_TIMEOUT,
    FailedCode.DNS_FAILED: DiscardReason.ACCESS_UNREACHABLE,
    FailedCode.CONNECT_FAILED: DiscardReason.ACCESS_UNREACHABLE,
    FailedCode.TLS_INVALID: DiscardReason.TLS_INVALID,
    FailedCode.BAD_RESPONSE: DiscardReason.ACCESS_BAD_RESPONSE,
    FailedCode.HOST_BUSY: DiscardReason.HOST_BUSY,
}
BLOCKED = {
    BlockedCode.SCHEME_NOT_ALLOWED: DiscardReason.NON_HTTPS,
    BlockedCode.REDIRECT_MAX_HOPS_EXCEEDED: DiscardReason.TOO_MANY_REDIRECTS,
}


@dataclass(frozen=True)
class Discard:
    url: str
    reason: DiscardReason
    detail: str
    hint: str | None = None
    retry_after_sec: int | None = None
    """When asking again makes sense, where that is known."""

    def as_result(self) -> JsonObject:
        """The entry of `discard[]`; the hint only where there is one."""
        hint = self.hint or HINTS.get(self.reason)
        entry: JsonObject = {
            # A password somebody put into a URL is not stored.
            "url": without_userinfo(self.url),
            "gate": GATE_OF[self.reason].value,
            "reason_code": self.reason.value,
            "reason_detail": self.detail,
        }
        if hint is not None:
            entry["replacement_hint"] = hint
        return entry if self.retry_after_sec is None else {**entry, "retry_after_sec": self.retry_after_sec}

    def as_log(self, ts: datetime) -> JsonObject:
        """The entry of the envelope's discard log."""
        return {
            "replacement_hint": None,
            **self.as_result(),
            "reason": MEANINGS[self.reason],
            "ts": log_time(ts),
        }
