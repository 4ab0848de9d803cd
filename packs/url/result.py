"""What a url run says: results, what was kept and quoted, what was discarded and why, how far to rely on it."""

from packs.base import JsonObject, PackResult
from packs.cache import Fetched, StandIn
from packs.cache.report import cache_report
from packs.fetch.logs import blocked_entry
from packs.llm import Why
from packs.url.discards import DiscardReason
from packs.url.page import Page
from packs.url.page_files import page_files
from packs.url.quotes import evidence_quote, gist
from packs.url.relevance import Relevance
from packs.url.reliability import reliability
from packs.url.run_state import Kept, RunState
from packs.url.schema import UrlInputs

EXCERPT_CHARS = 1_000
_NO_PAGE = "No page came that could be read; the discard log says why, address by address."


def result_of(asked: UrlInputs, state: RunState) -> PackResult:
    positions = sorted(state.discards)
    discards = [state.discards[position] for position in positions]
    blocked_log = tuple(blocked_entry(error, ts=ts) for error, ts in zip(state.blocked, state.blocked_at, strict=True))
    return PackResult(
        data={
            "results": [state.results[url] for url in dict.fromkeys(asked.urls) if url in state.results],
            "keep": [
                _keep_entry(kept)
                | _truncated(kept.candidate.page.cut)
                | _degraded(state.degraded.get(kept.candidate.url))
                for kept in state.keep
            ],
            "discard": [discard.as_result() for discard in discards],
            "blocked_logs": list(blocked_log),
        },
        reliability=reliability(state.keep, state.degraded),
        artifacts=page_files(state.keep, asked.page_files),
        discard_log=tuple(state.discards[position].as_log(state.discarded_at[position]) for position in positions),
        blocked_log=blocked_log,
        cache=cache_report({url: state.sources[url] for url in asked.urls if url in state.sources}, state.degraded),
        nothing_delivered="" if state.candidates else _NO_PAGE,
        tokens_consumed=state.by_model.tokens,
        warnings=state.by_model.warnings,
        budget_cap_reached=state.by_model.failure is Why.BUDGET
        or any(discard.reason is DiscardReason.BUDGET_CAP_REACHED for discard in discards),
    )


def _degraded(stand_in: StandIn | None) -> JsonObject:
    """The mark of an old copy: what kept the site from answering, and when to ask again where that is known."""
    if stand_in is None:
        return {}
    mark: JsonObject = {"degraded": True, "degraded_reason": stand_in.reason.value}
    return mark if stand_in.retry_after_sec is None else {**mark, "retry_after_sec": stand_in.retry_after_sec}


def _truncated(truncated: bool) -> JsonObject:
    """The mark of a document that is longer than was read."""
    return {"truncated": True} if truncated else {}


def result_entry(url: str, fetched: Fetched) -> JsonObject:
    document = fetched.document
    return {
        "url": url,
        "final_url": document.final_url,
        "status_code": document.status_code,
        "content_type": document.content_type[:200],
        "title": "",
        "text_excerpt": "",
        "fetched_at": document.fetched_at.isoformat(),
        "truncated": document.truncated,
    } | _degraded(fetched.stand_in)


def page_entry(page: Page) -> JsonObject:
    """What reading adds to the entry of `results[]`."""
    return {"title": page.title, "text_excerpt": page.text[:EXCERPT_CHARS]} | _truncated(page.cut)


def _keep_entry(kept: Kept) -> JsonObject:
    candidate, judged = kept.candidate, kept.judged
    return {
        "url": candidate.url,
        "title": candidate.page.title,
        "gist": judged.quote or gist(candidate.page, kept.passages),
        "evidence_quote": judged.quote or evidence_quote(candidate.page, kept.passages),
        "extracted_at": candidate.document.fetched_at.isoformat(),
        "source_tier": candidate.tier.name,
        "tier_basis": candidate.tier_basis.value,
        "published": candidate.page.published,
        "modified": candidate.page.modified,
        "undated": candidate.page.last_dated is None,
        "language": candidate.page.language,
        "relevance": _relevance_word(judged),
        "relevance_score": judged.score,
    }


def _relevance_word(judged: Relevance) -> str:
    if judged.quote:
        return "model"
    if judged.score is not None:
        return "judged"
    return "unknown" if judged.is_unknown else "not_asked"
