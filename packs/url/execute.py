"""A url run, step by step: fetch, read, gate, quote. Every URL ends in `keep` or in `discard`, with a reason."""

from contextlib import closing
from dataclasses import replace

from dpp_project.prices import FETCH_LARGE
from packs.base import JsonObject, PackContext, PackError, PackResult, StopRun
from packs.cache import Fetched, Source
from packs.fetch import FetchBlocked, Fetcher, FetchFailed
from packs.fetch.url import parse_url
from packs.url import gates
from packs.url.discards import Discard, DiscardReason
from packs.url.duplicates import Seen
from packs.url.gates import Candidate
from packs.url.gather import SHARE_OF_RUN, Gathered, fetch_until, gather, over_budget
from packs.url.model_relevance import ModelReading, read_by_model
from packs.url.normalise import normalised
from packs.url.page import Page, Unreadable
from packs.url.reader import ReaderProcess
from packs.url.relevance import Passages, Relevance, is_specific
from packs.url.result import page_entry, result_entry, result_of
from packs.url.run_state import Kept, RunState
from packs.url.schema import PageFiles, UrlInputs, read_inputs
from packs.url.terms import Term, terms_of
from packs.url.tiers import ranking_of

# A document above this belongs to the large byte class and is charged once more.
LARGE_BYTES = 524_288
# Left for the end of the run whatever a document asks for.
CLOSING_SEC = 1.0


def execute(inputs: JsonObject, context: PackContext) -> PackResult:
    return read_pages(inputs, context)[0]


def read_pages(inputs: JsonObject, context: PackContext) -> tuple[PackResult, dict[str, str]]:
    """The result, and the whole texts of the pages that were kept, for a pack that goes on with them."""
    if "fetcher" not in context.services:
        raise PackError("Fetching from the web is not available in this installation.")
    asked = read_inputs(inputs)
    terms = terms_of(asked.question)
    state = RunState(context.now)
    try:
        return _read_pages(asked, terms, context, state)
    except StopRun as stop:
        # Cancelled, or out of time: its owner is told what became of the addresses so far.
        stop.found = result_of(asked, state).logs_only()
        raise


def _read_pages(
    asked: UrlInputs, terms: tuple[Term, ...], context: PackContext, state: RunState
) -> tuple[PackResult, dict[str, str]]:
    positions = _worth_fetching(asked, context.services["fetcher"], state)
    context.checkpoint("fetch", 0.0, total=len(asked.urls))
    if positions:
        _fetch_and_read(positions, asked, context, state)
    context.checkpoint("gate", SHARE_OF_RUN + 0.05)
    _pass_gates(asked, terms, context, state)
    context.checkpoint("quote", SHARE_OF_RUN + 0.15, kept=len(state.keep))
    texts = {kept.candidate.url: kept.candidate.page.text for kept in state.keep}
    return result_of(asked, state), texts


def _worth_fetching(asked: UrlInputs, fetcher: Fetcher, state: RunState) -> dict[str, int]:
    """URL -> its position, for those that are worth money: not refused on sight, not on the caller's own list of
    hosts to discard, not a repetition, within the number."""
    positions: dict[str, int] = {}
    first_of: dict[str, str] = {}
    for position, url in enumerate(asked.urls):
        refusal = fetcher.refusal(url)
        if refusal is not None:
            _block(FetchBlocked(refusal, url=url, target=url, hop=0), position, state)
            continue
        unwanted = gates.denied(url, url, asked)
        if unwanted is not None:
            state.discard(position, unwanted)
            continue
        first = first_of.setdefault(normalised(parse_url(url)), url)
        if first != url or url in positions:
            state.discard(position, gates.repeated(url, first))
        elif len(positions) >= asked.max_urls:
            detail = f"Only {asked.max_urls} URLs were to be fetched."
            state.discard(position, Discard(url, DiscardReason.MAX_URLS_REACHED, detail))
        else:
            positions[url] = position
    return positions


def _fetch_and_read(positions: dict[str, int], asked: UrlInputs, context: PackContext, state: RunState) -> None:
    arriving = gather(
        list(positions),
        context,
        timeout_sec=asked.fetch_timeout_sec,
        max_hops=asked.max_hops,
        ends_at=fetch_until(context),
        max_age_sec=asked.max_age_sec,
    )
    with ReaderProcess() as reader, closing(arriving):
        for done, gathered in enumerate(arriving, 1):
            position = positions[gathered.url]
            discard = _take_in(gathered, position, reader, asked, context, state)
            _pay(gathered, discard, context)
            if discard is not None:
                state.discard(position, discard)
            context.checkpoint(
                "fetch",
                SHARE_OF_RUN * done / len(positions),
                done=done,
                total=len(positions),
                url_index=position,
                outcome="read" if discard is None else discard.reason.value,
            )


def _pay(gathered: Gathered, discard: Discard | None, context: PackContext) -> None:
    """Charged is a page that came and could be read. An old copy is free where its site was not even asked."""
    if gathered.set_aside is None:
        return
    outcome = gathered.outcome
    if isinstance(outcome, Fetched) and outcome.is_free and outcome.stand_in is not None:
        context.meter.waive(gathered.set_aside, outcome.stand_in.reason.value)
    elif discard is None:
        context.meter.charge_set_aside(gathered.set_aside)
    else:
        context.meter.waive(gathered.set_aside, discard.reason.value)


def _take_in(
    gathered: Gathered, position: int, reader: ReaderProcess, asked: UrlInputs, context: PackContext, state: RunState
) -> Discard | None:
    """One URL through the access gate."""
    url, outcome = gathered.url, gathered.outcome
    if isinstance(outcome, Discard):
        return outcome
    state.sources[url] = gathered.source
    if isinstance(outcome, FetchFailed):
        return gates.failed(url, outcome)
    if isinstance(outcome, FetchBlocked):
        _block(outcome, position, state)
        return state.discards[position]
    if outcome.stand_in is not None:
        state.degraded[url] = outcome.stand_in
    is_large = len(outcome.document.body) > LARGE_BYTES and gathered.source is Source.MISS and not outcome.is_free
    if is_large and not context.meter.fits({FETCH_LARGE: 1}):
        return over_budget(url)
    discard = _read(url, outcome, reader, asked, context, state)
    if is_large and discard is None:
        context.meter.spend(FETCH_LARGE)
    return discard


def _read(
    url: str, fetched: Fetched, reader: ReaderProcess, asked: UrlInputs, context: PackContext, state: RunState
) -> Discard | None:
    document = fetched.document
    state.results[url] = result_entry(url, fetched)
    refused = gates.status(url, document)
    if refused is not None:
        return refused
    time_left_sec = max(0.0, context.deadline.remaining_sec() - CLOSING_SEC)
    try:
        wants_markdown = asked.page_files is not PageFiles.NONE
        page = reader.read(document.body, document.content_type, time_left_sec=time_left_sec, markdown=wants_markdown)
    except Unreadable as unreadable:
        if document.truncated:
            return gates.body(url, document, _NO_PAGE)
        return Discard(url, DiscardReason.ACCESS_UNREADABLE, str(unreadable))
    page = replace(page, cut=page.cut or document.truncated)
    state.results[url] |= page_entry(page)
    refused = gates.body(url, document, page)
    if refused is None:
        ranking = ranking_of(parse_url(document.final_url), page.signals)
        state.candidates.append(Candidate(url, document, page, ranking.tier, ranking.basis))
    return refused


_NO_PAGE = Page("", "", None, None, None)


def _pass_gates(asked: UrlInputs, terms: tuple[Term, ...], context: PackContext, state: RunState) -> None:
    """Quality, then relevance, best sources first and of equal ones the newest: of two pages that say the same the
    better source is kept. Undated pages come last of their tier; pages of one date keep the order they came in."""
    position_of = {url: position for position, url in reversed(list(enumerate(asked.urls)))}
    in_order = sorted(state.candidates, key=lambda found: position_of[found.url])
    newest_first = sorted(in_order, key=lambda found: found.page.last_dated or "", reverse=True)
    ranked = sorted(newest_first, key=lambda found: found.tier.rank)
    passages_of = {found.url: Passages(found.page.title, found.page.text, terms) for found in ranked}
    judged_of = {url: passages.judged() for url, passages in passages_of.items()}
    state.by_model = _ask_model(asked, ranked, judged_of, is_specific(terms), context)
    seen, addresses = Seen(), dict[str, str]()
    for candidate in ranked:
        judged = replace(judged_of[candidate.url], quote=state.by_model.quotes.get(candidate.url, ""))
        first = addresses.setdefault(normalised(parse_url(candidate.document.final_url)), candidate.url)
        discard = (
            gates.quality(candidate, asked)
            or gates.relevant(candidate, judged, asked, is_specific=is_specific(terms))
            or (gates.repeated(candidate.url, first) if first != candidate.url else None)
            or gates.duplicate(candidate, seen)
        )
        if discard is not None:
            state.discard(position_of[candidate.url], discard)
        else:
            seen.add(candidate.url, candidate.page.text)
            state.keep.append(Kept(candidate, judged, passages_of[candidate.url]))


def _ask_model(
    asked: UrlInputs, ranked: list[Candidate], judged_of: dict[str, Relevance], is_specific: bool, context: PackContext
) -> ModelReading:
    """About the pages that would be discarded only because nobody can judge them."""
    unjudged = [
        candidate
        for candidate in ranked
        if gates.is_unjudged(judged_of[candidate.url], asked, is_specific=is_specific)
        and gates.quality(candidate, asked) is None
    ]
    return read_by_model(asked.question, unjudged, context)


def _block(error: FetchBlocked, position: int, state: RunState) -> None:
    state.block(position, error, gates.blocked(error))
