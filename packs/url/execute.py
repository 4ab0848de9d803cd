"""A url run, step by step: fetch, read, gate, quote. Every URL ends in `keep` or in `discard`, with a reason."""

from contextlib import closing
from dataclasses import dataclass, field

from dpp_project.prices import FETCH_LARGE
from packs.base import BudgetCapReached, JsonObject, PackContext, PackError, PackResult
from packs.cache import Fetched, Source
from packs.cache.report import cache_report
from packs.fetch import Document, FetchBlocked, Fetcher, FetchFailed
from packs.fetch.logs import blocked_entry
from packs.fetch.url import parse_url
from packs.url import gates
from packs.url.discards import Discard, Reason
from packs.url.duplicates import Seen
from packs.url.gates import Candidate, Relevance
from packs.url.gather import SHARE_OF_RUN, Gathered, fetch_until, gather, over_budget
from packs.url.normalise import normalised
from packs.url.page import Page, Unreadable
from packs.url.quotes import evidence_quote, gist
from packs.url.reader import ReaderProcess
from packs.url.schema import UrlInputs, read_inputs
from packs.url.terms import Term, terms_of
from packs.url.tiers import tier_of

# A document above this belongs to the large byte class and is charged once more.
LARGE_BYTES = 524_288
EXCERPT_CHARS = 1_000
# Left for the end of the run whatever a document asks for.
CLOSING_SEC = 1.0


@dataclass
class Desk:
    """What has come in so far, in the order of the submitted URLs where it matters."""

    results: dict[str, JsonObject] = field(default_factory=dict)
    candidates: list[Candidate] = field(default_factory=list)
    keep: list[tuple[Candidate, Relevance]] = field(default_factory=list)
    discards: dict[int, Discard] = field(default_factory=dict)
    blocked: list[FetchBlocked] = field(default_factory=list)
    sources: dict[str, Source] = field(default_factory=dict)
    degraded: set[str] = field(default_factory=set)


def execute(inputs: JsonObject, context: PackContext) -> PackResult:
    if "fetcher" not in context.services:
        raise PackError("Fetching from the web is not available in this installation.")
    asked = read_inputs(inputs)
    terms = terms_of(asked.question)
    desk = Desk()
    positions = _worth_fetching(asked, context.services["fetcher"], desk)
    context.checkpoint("fetch", 0.0, total=len(asked.urls))
    if positions:
        _fetch_and_read(positions, asked, context, desk)
    context.checkpoint("gate", SHARE_OF_RUN + 0.05)
    _pass_gates(asked, terms, desk)
    context.checkpoint("quote", SHARE_OF_RUN + 0.15, kept=len(desk.keep))
    return _result(asked, terms, context, desk)


def _worth_fetching(asked: UrlInputs, fetcher: Fetcher, desk: Desk) -> dict[str, int]:
    """URL -> its position, for those that are worth money: not refused on sight, not a repetition, within
    the number."""
    positions: dict[str, int] = {}
    first_of: dict[str, str] = {}
    for position, url in enumerate(asked.urls):
        refusal = fetcher.refusal(url)
        if refusal is not None:
            _block(FetchBlocked(refusal, url=url, target=url, hop=0), position, desk)
            continue
        first = first_of.setdefault(normalised(parse_url(url)), url)
        if first != url or url in positions:
            desk.discards[position] = gates.repeated(url, first)
        elif len(positions) >= asked.max_urls:
            detail = f"Only {asked.max_urls} URLs were to be fetched."
            desk.discards[position] = Discard(url, Reason.MAX_URLS_REACHED, detail)
        else:
            positions[url] = position
    return positions


def _fetch_and_read(positions: dict[str, int], asked: UrlInputs, context: PackContext, desk: Desk) -> None:
    arriving = gather(
        list(positions),
        context,
        timeout_sec=asked.fetch_timeout_sec,
        max_hops=asked.max_hops,
        ends_at=fetch_until(context),
    )
    with ReaderProcess() as reader, closing(arriving):
        for done, gathered in enumerate(arriving, 1):
            position = positions[gathered.url]
            discard = _take_in(gathered, position, reader, context, desk)
            if discard is not None:
                desk.discards[position] = discard
            context.checkpoint(
                "fetch",
                SHARE_OF_RUN * done / len(positions),
                done=done,
                total=len(positions),
                url_index=position,
                outcome="read" if discard is None else discard.reason.value,
            )


def _take_in(
    gathered: Gathered, position: int, reader: ReaderProcess, context: PackContext, desk: Desk
) -> Discard | None:
    """One URL through the access gate."""
    url, outcome = gathered.url, gathered.outcome
    if isinstance(outcome, Discard):
        return outcome
    desk.sources[url] = gathered.source
    if isinstance(outcome, FetchFailed):
        return gates.failed(url, outcome)
    if isinstance(outcome, FetchBlocked):
        _block(outcome, position, desk)
        return desk.discards[position]
    if outcome.degraded:
        desk.degraded.add(url)
    if len(outcome.document.body) > LARGE_BYTES and gathered.source is Source.MISS:
        try:
            context.meter.spend(FETCH_LARGE)
        except BudgetCapReached:
            return over_budget(url)
    return _read(url, outcome, reader, context, desk)


def _read(url: str, fetched: Fetched, reader: ReaderProcess, context: PackContext, desk: Desk) -> Discard | None:
    document = fetched.document
    desk.results[url] = _result_entry(url, document) | _degraded(fetched.degraded)
    refused = gates.status(url, document)
    if refused is not None:
        return refused
    time_left_sec = max(0.0, context.deadline.remaining_sec() - CLOSING_SEC)
    try:
        page = reader.read(document.body, document.content_type, time_left_sec=time_left_sec)
    except Unreadable as unreadable:
        if document.truncated:
            return gates.body(url, document, _NO_PAGE)
        return Discard(url, Reason.ACCESS_UNREADABLE, str(unreadable))
    desk.results[url] |= {"title": page.title, "text_excerpt": page.text[:EXCERPT_CHARS]} | _truncated(page.cut)
    refused = gates.body(url, document, page)
    if refused is None:
        desk.candidates.append(Candidate(url, document, page, tier_of(parse_url(document.final_url))))
    return refused


_NO_PAGE = Page("", "", None, None, None)


def _pass_gates(asked: UrlInputs, terms: tuple[Term, ...], desk: Desk) -> None:
    """Quality, then relevance, best sources first: of two pages that say the same the better source is
    kept."""
    position_of = {url: position for position, url in reversed(list(enumerate(asked.urls)))}
    ranked = sorted(desk.candidates, key=lambda found: (found.tier.rank, position_of[found.url]))
    seen, addresses = Seen(), dict[str, str]()
    for candidate in ranked:
        judged = gates.relevance(candidate.page, terms)
        first = addresses.setdefault(normalised(parse_url(candidate.document.final_url)), candidate.url)
        discard = (
            gates.quality(candidate, asked)
            or gates.relevant(candidate, judged, terms, asked)
            or (gates.repeated(candidate.url, first) if first != candidate.url else None)
            or gates.duplicate(candidate, seen)
        )
        if discard is not None:
            desk.discards[position_of[candidate.url]] = discard
        else:
            seen.add(candidate.url, candidate.page.text)
            desk.keep.append((candidate, judged))


def _result(asked: UrlInputs, terms: tuple[Term, ...], context: PackContext, desk: Desk) -> PackResult:
    discards = [discard for _, discard in sorted(desk.discards.items())]
    blocked_log = tuple(blocked_entry(blocked, ts=context.now) for blocked in desk.blocked)
    return PackResult(
        data={
            "results": [desk.results[url] for url in dict.fromkeys(asked.urls) if url in desk.results],
            "keep": [
                _keep_entry(candidate, judged, terms)
                | _truncated(candidate.page.cut)
                | _degraded(candidate.url in desk.degraded)
                for candidate, judged in desk.keep
            ],
            "discard": [discard.as_result() for discard in discards],
            "blocked_logs": list(blocked_log),
        },
        reliability=_reliability(asked, desk),
        discard_log=tuple(discard.as_log(context.now) for discard in discards),
        blocked_log=blocked_log,
        cache=cache_report({url: desk.sources[url] for url in asked.urls if url in desk.sources}, desk.degraded),
        budget_cap_reached=any(discard.reason is Reason.BUDGET_CAP_REACHED for discard in discards),
    )


def _degraded(degraded: bool) -> JsonObject:
    """The mark of an old copy, which stands for a site that could not be asked in time."""
    return {"degraded": True} if degraded else {}


def _truncated(truncated: bool) -> JsonObject:
    """The mark of a document that is longer than was read."""
    return {"truncated": True} if truncated else {}


def _result_entry(url: str, document: Document) -> JsonObject:
    return {
        "url": url,
        "final_url": document.final_url,
        "status_code": document.status_code,
        "content_type": document.content_type[:200],
        "title": "",
        "text_excerpt": "",
        "fetched_at": document.fetched_at.isoformat(),
        "truncated": document.truncated,
    }


def _keep_entry(candidate: Candidate, judged: Relevance, terms: tuple[Term, ...]) -> JsonObject:
    quote = evidence_quote(candidate.page, terms)
    return {
        "url": candidate.url,
        "title": candidate.page.title,
        "gist": gist(candidate.page, quote),
        "evidence_quote": quote,
        "extracted_at": candidate.document.fetched_at.isoformat(),
        "source_tier": candidate.tier.name,
        "published": candidate.page.published,
        "language": candidate.page.language,
        "relevance_score": judged.score,
    }


def _reliability(asked: UrlInputs, desk: Desk) -> float:
    """Half for how much of what was given stood the gates, half for how good the sources are that did."""
    if not desk.keep:
        return 0.0
    share = len(desk.keep) / len(set(asked.urls))
    weight = sum(candidate.tier.weight_percent for candidate, _ in desk.keep) / (100 * len(desk.keep))
    return round((share + weight) / 2, 4)


def _block(error: FetchBlocked, position: int, desk: Desk) -> None:
    desk.blocked.append(error)
    desk.discards[position] = gates.blocked(error)
