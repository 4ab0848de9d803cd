"""The three gates. Each takes a page as far as it has come and says why it goes no further, or nothing."""

import re
from dataclasses import dataclass

from packs.fetch import Document, FetchBlocked, FetchFailed
from packs.fetch.url import parse_url
from packs.url.discards import BLOCKED, FAILED, MEANINGS, Discard, DiscardReason
from packs.url.duplicates import Seen
from packs.url.page import Page
from packs.url.relevance import Relevance
from packs.url.schema import UrlInputs
from packs.url.tiers import Basis, Tier, is_within

_LOGIN_PATH = re.compile(r"/(?:nid)?(?:log-?in|sign-?in|sso)(?:[/.]|$)", re.IGNORECASE)


@dataclass(frozen=True)
class Candidate:
    """A page that came through the access gate."""

    url: str
    document: Document
    page: Page
    tier: Tier
    tier_basis: Basis


def blocked(error: FetchBlocked) -> Discard:
    reason = BLOCKED.get(error.refusal.code, DiscardReason.BLOCKED_BY_POLICY)
    hint = None
    if reason is DiscardReason.NON_HTTPS and error.hop == 0 and error.url.lower().startswith("http://"):
        hint = f"https{error.url[4:]}"
    return Discard(error.url, reason, error.refusal.detail, hint)


def failed(url: str, error: FetchFailed) -> Discard:
    return Discard(url, FAILED[error.code], error.detail, retry_after_sec=error.retry_after_sec)


def status(url: str, document: Document) -> Discard | None:
    """What the answer's head says: an error, or a door that we do not open."""
    code = document.status_code
    if code == 402:
        return Discard(url, DiscardReason.PAYWALL, "The site asks for payment (402).")
    if code in (401, 407) or (_leads_to_login(document.final_url) and not _leads_to_login(url)):
        return Discard(url, DiscardReason.LOGIN_REQUIRED, "The site asks for a login.")
    if not 200 <= code <= 299:
        detail = f"The site answered with status {code}."
        return Discard(url, DiscardReason.ACCESS_HTTP_STATUS, detail, retry_after_sec=document.retry_after_sec)
    return None


def body(url: str, document: Document, page: Page) -> Discard | None:
    """What the page itself says: nothing of it is here, or something stands before it."""
    if document.truncated and not page.text:
        detail = "It is larger than is read, and its beginning alone cannot be."
        return Discard(url, DiscardReason.CONTENT_TOO_LARGE, detail)
    if page.barrier is not None:
        reason = DiscardReason(page.barrier)
        return Discard(url, reason, MEANINGS[reason])
    return None


def denied(url: str, address: str, asked: UrlInputs) -> Discard | None:
    """By the caller's own list, whatever else is checked. `address`: what was submitted, or where it led."""
    if not is_within(parse_url(address).host.name, asked.deny_hosts):
        return None
    return Discard(url, DiscardReason.LOW_QUALITY_SOURCE, "The site is on the list of hosts to discard.")


def quality(candidate: Candidate, asked: UrlInputs) -> Discard | None:
    refused = denied(candidate.url, candidate.document.final_url, asked)
    if refused is not None or not asked.check_quality:
        return refused
    host = parse_url(candidate.document.final_url).host.name
    tier = candidate.tier
    if not tier.kept and tier.name not in asked.include_tiers and not is_within(host, asked.allow_hosts):
        known_by = f"by its {candidate.tier_basis}" if candidate.tier_basis is not Basis.LIST else "by the lists"
        detail = f"The source is of the kind {tier.name} ({known_by}), which is not accepted unless asked for."
        return Discard(candidate.url, DiscardReason.LOW_QUALITY_SOURCE, detail)
    dated = candidate.page.last_dated
    if dated is not None and int(dated[:4]) < asked.fresh_since:
        detail = f"Dated {dated}, older than {asked.fresh_since}."
        return Discard(candidate.url, DiscardReason.STALE, detail)
    return None


def relevant(candidate: Candidate, judged: Relevance, asked: UrlInputs, *, is_specific: bool) -> Discard | None:
    """A page nobody can judge is not simply kept: who asks something specific wants pages that speak of it."""
    if not asked.check_relevance:
        return None
    if is_unjudged(judged, asked, is_specific=is_specific):
        detail = "The page and the question share too few names, numbers and terms across their scripts."
        return Discard(candidate.url, DiscardReason.RELEVANCE_UNKNOWN, detail)
    if judged.score is None or judged.score >= asked.min_relevance:
        return None
    detail = f"The page speaks of {judged.found} of the {judged.asked} terms of the question that it could have."
    return Discard(
        candidate.url, DiscardReason.IRRELEVANT, f"{detail} Score {judged.score}, at least {asked.min_relevance}."
    )


def is_unjudged(judged: Relevance, asked: UrlInputs, *, is_specific: bool) -> bool:
    """Whether nobody can say if the page speaks of the question, and the question wants to know."""
    return asked.check_relevance and judged.is_unknown and is_specific and not asked.keep_unknown


def duplicate(candidate: Candidate, seen: Seen) -> Discard | None:
    twin = seen.twin_of(candidate.page.text)
    return None if twin is None else repeated(candidate.url, twin)


def repeated(url: str, first: str) -> Discard:
    return Discard(url, DiscardReason.DUPLICATE, "The same page or text was kept once.", hint=first)


def _leads_to_login(url: str) -> bool:
    return bool(_LOGIN_PATH.search(parse_url(url).path))
