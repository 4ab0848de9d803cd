"""The three gates. Each takes a page as far as it has come and says why it goes no further, or nothing."""

import re
from dataclasses import dataclass

from packs.fetch import Document, FetchBlocked, FetchFailed
from packs.fetch.url import parse_url
from packs.url.discards import BLOCKED, FAILED, Discard, Reason
from packs.url.duplicates import Seen
from packs.url.page import Page
from packs.url.schema import UrlInputs
from packs.url.terms import Term, judged_across, matched
from packs.url.tiers import Tier

# Few terms matched out of many is chance; this many at least, where there are as many.
MIN_TERMS = 2

_LOGIN_PATH = re.compile(r"/(?:nid)?(?:log-?in|sign-?in|sso)(?:[/.]|$)", re.IGNORECASE)


@dataclass(frozen=True)
class Candidate:
    """A page that came through the access gate."""

    url: str
    document: Document
    page: Page
    tier: Tier


@dataclass(frozen=True)
class Relevance:
    score: float | None
    """Share of the question's terms the page speaks of; None where that cannot be told."""
    found: tuple[Term, ...] = ()


def blocked(error: FetchBlocked) -> Discard:
    reason = BLOCKED.get(error.refusal.code, Reason.BLOCKED_BY_POLICY)
    hint = None
    if reason is Reason.NON_HTTPS and error.hop == 0 and error.url.lower().startswith("http://"):
        hint = f"https{error.url[4:]}"
    return Discard(error.url, reason, error.refusal.detail, hint)


def failed(url: str, error: FetchFailed) -> Discard:
    return Discard(url, FAILED[error.code], error.detail)


def status(url: str, document: Document) -> Discard | None:
    """What the answer's head says: an error, or a door that we do not open."""
    code = document.status_code
    if code == 402:
        return Discard(url, Reason.PAYWALL, "The site asks for payment (402).")
    if code in (401, 407) or (_leads_to_login(document.final_url) and not _leads_to_login(url)):
        return Discard(url, Reason.LOGIN_REQUIRED, "The site asks for a login.")
    if not 200 <= code <= 299:
        return Discard(url, Reason.ACCESS_HTTP_STATUS, f"The site answered with status {code}.")
    return None


def body(url: str, document: Document, page: Page) -> Discard | None:
    """What the page itself says: not all of it is here."""
    if document.truncated:
        detail = "Only the beginning was read, which cannot stand for the whole."
        return Discard(url, Reason.CONTENT_TOO_LARGE, detail)
    if page.barrier is not None:
        detail = "The page says that its text is for subscribers or members only."
        return Discard(url, Reason(page.barrier), detail)
    return None


def quality(candidate: Candidate, asked: UrlInputs) -> Discard | None:
    if not asked.check_quality:
        return None
    tier = candidate.tier
    if not tier.kept and tier.name not in asked.include_tiers:
        detail = f"The source is of the kind {tier.name}, which is not accepted unless asked for."
        return Discard(candidate.url, Reason.LOW_QUALITY_SOURCE, detail)
    published = candidate.page.published
    if published is not None and int(published[:4]) < asked.fresh_since:
        detail = f"Dated {published}, older than {asked.fresh_since}."
        return Discard(candidate.url, Reason.STALE, detail)
    return None


def relevance(page: Page, terms: tuple[Term, ...]) -> Relevance:
    if not terms or not judged_across(terms, page.language):
        return Relevance(None)
    found = matched(terms, f"{page.title}\n{page.text}")
    return Relevance(round(len(found) / len(terms), 4), found)


def relevant(candidate: Candidate, judged: Relevance, terms: tuple[Term, ...], asked: UrlInputs) -> Discard | None:
    if not asked.check_relevance or judged.score is None:
        return None
    if judged.score >= asked.min_relevance and len(judged.found) >= min(MIN_TERMS, len(terms)):
        return None
    detail = f"The page speaks of {len(judged.found)} of the question's {len(terms)} terms."
    return Discard(candidate.url, Reason.IRRELEVANT, detail)


def duplicate(candidate: Candidate, seen: Seen) -> Discard | None:
    twin = seen.twin_of(candidate.page.text)
    return None if twin is None else repeated(candidate.url, twin)


def repeated(url: str, first: str) -> Discard:
    return Discard(url, Reason.DUPLICATE, "The same page or text was kept once.", hint=first)


def _leads_to_login(url: str) -> bool:
    return bool(_LOGIN_PATH.search(parse_url(url).path))
