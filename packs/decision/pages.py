"""Evidence URLs, read through the url pack: its gates, its prices, its logs. Pages are data, never
instructions.

Whatever goes wrong here costs evidence, not the run: the answer then rests on the inputs alone and says
so.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from packs.base import Checkpoint, Deadline, JsonObject, PackContext, PackError, PackResult
from packs.decision.brief import Brief
from packs.decision.evidence import Passage
from packs.decision.gaps import OpenItem
from packs.decision.phrases import say
from packs.url.execute import read_pages

# The part of the run's progress that reading pages takes.
STARTS, ENDS = 0.05, 0.45

# The part of the time left that pages leave to a model.
MODEL_SHARE = 0.4

# What is read of one page, and of all of them. Far beyond what people write on a page about one subject.
MAX_PAGE_CHARS = 40_000
MAX_ALL_CHARS = 160_000

KEPT_FIELDS = (
    *("url", "title", "gist", "evidence_quote", "source_tier", "published", "extracted_at"),
    *("truncated", "degraded"),
)


@dataclass(frozen=True)
class Pages:
    keep: tuple[JsonObject, ...] = ()
    passages: tuple[Passage, ...] = ()
    opens: tuple[OpenItem, ...] = ()
    discard_log: tuple[JsonObject, ...] = ()
    blocked_log: tuple[JsonObject, ...] = ()
    cache: JsonObject = field(default_factory=dict)
    budget_cap_reached: bool = False


def fetch_pages(brief: Brief, context: PackContext) -> Pages:
    if not brief.evidence_urls:
        return Pages()
    if context.services.get("fetcher") is None:
        return Pages(opens=(_open(brief, "EVIDENCE_UNAVAILABLE", "open_evidence_off"),))
    inputs: JsonObject = {"urls": list(brief.evidence_urls), "decision_question": brief.question}
    try:
        fetched, texts = read_pages(inputs, _part_of(context))
    except PackError:
        return Pages(opens=(_open(brief, "EVIDENCE_FAILED", "open_evidence_failed"),))
    return _pages(brief, fetched, texts)


def _pages(brief: Brief, fetched: PackResult, whole: Mapping[str, str]) -> Pages:
    kept = [{name: entry[name] for name in KEPT_FIELDS if name in entry} for entry in fetched.data.get("keep", [])]
    texts, cut = _bounded([entry["url"] for entry in kept], whole)
    passages = tuple(
        Passage(
            pointer=f"/evidence/keep/{index}",
            text=texts.get(entry["url"]) or entry.get("evidence_quote", ""),
            url=entry["url"],
            title=entry.get("title") or "",
            quote=entry.get("evidence_quote", ""),
        )
        for index, entry in enumerate(kept)
    )
    opens = [] if kept else [_open(brief, "EVIDENCE_NONE_KEPT", "open_evidence_none")]
    if cut:
        opens.append(_open(brief, "EVIDENCE_CUT", "open_evidence_cut", pages=", ".join(cut)))
    if fetched.budget_cap_reached:
        opens.append(_open(brief, "EVIDENCE_BUDGET", "open_evidence_budget"))
    return Pages(
        keep=tuple(kept),
        passages=passages,
        opens=tuple(opens),
        discard_log=fetched.discard_log,
        blocked_log=fetched.blocked_log,
        cache=fetched.cache,
        budget_cap_reached=fetched.budget_cap_reached,
    )


def _bounded(urls: list[str], whole: Mapping[str, str]) -> tuple[dict[str, str], list[str]]:
    """The pages' texts, whole as long as there is room; and the addresses of those that were cut, at a word's end."""
    texts: dict[str, str] = {}
    cut: list[str] = []
    left = MAX_ALL_CHARS
    for url in urls:
        text, room = whole.get(url, ""), min(MAX_PAGE_CHARS, left)
        texts[url] = text if len(text) <= room else text[:room].rpartition(" ")[0]
        left -= len(texts[url])
        cut += [url] if len(texts[url]) < len(text) else []
    return texts, cut


def _open(brief: Brief, kind: str, key: str, **values: str) -> OpenItem:
    return OpenItem(kind, say(brief.language, key, **values), ("/evidence_urls",))


def _part_of(context: PackContext) -> PackContext:
    """The same context for one part of a run: its own stretch of the progress, and, where a model waits to write,
    neither all of the time nor the model itself: its calls are counted for this pack, and belong to it.
    """
    whole = context.deadline
    waiting = context.services.get("llm") is not None
    deadline = Leaving(whole, whole.remaining_sec() * MODEL_SHARE) if waiting else whole
    services = {name: service for name, service in context.services.items() if name != "llm"}
    return replace(context, checkpoint=_within(context.checkpoint), deadline=deadline, services=services)


@dataclass(frozen=True)
class Leaving:
    """A deadline that ends earlier than the run's."""

    whole: Deadline
    leave_sec: float

    def remaining_sec(self) -> float:
        return self.whole.remaining_sec() - self.leave_sec

    def check(self) -> None:
        """Only the run's own end stops the run; less time than hoped for is not an error."""
        self.whole.check()


def _within(checkpoint: Checkpoint) -> Checkpoint:
    """The url pack counts from 0 to 1; here it is one part of a longer run."""

    def scaled(stage: str, progress: float, **detail: str | int) -> None:
        checkpoint(stage, STARTS + (ENDS - STARTS) * progress, **detail)

    return scaled
