"""What is shown of a page: one quotation of at most 25 words that stands in it word for word, and a gist."""

import re

from dpp_project.profile import PROFILE
from packs.text.sentences import sentence_spans
from packs.url.page import Page
from packs.url.relevance import MAX_JUDGED_CHARS, Passages

# Chinese and Japanese have no spaces to count words by; this keeps their quotations short too.
MAX_QUOTE_CHARS = 240
MIN_SENTENCE_CHARS = 20
# Sentences beyond these are not looked at: the evidence of a page that long stands earlier or is not quoted.
MAX_SENTENCES = 1_500
# Nor are the words beyond these of one sentence: a text without a full stop is one sentence of any length.
MAX_WINDOWS = 1_500
# A second sentence belongs to the gist if it tells at least this share of what the first one does.
SECOND_SENTENCE_SHARE = 0.6

_CHUNK = re.compile(r"\S+")
_WORD = re.compile(r"\w+")
_FIGURE = re.compile(r"\d")

Span = tuple[int, int]


def evidence_quote(page: Page, passages: Passages) -> str:
    """The sentence that speaks of most of the question, cut to size; it is a piece of `page.text`."""
    sentences = _sentences(page)
    best = max(sentences, key=lambda span: _told(page.text, span, passages), default=(0, 0))
    start, end = _window(page.text, best, passages)
    return page.text[start:end]


def gist(page: Page, passages: Passages) -> str:
    """The one or two sentences that answer the question, in the page's order; together no longer than a quotation may
    be. Without a question, how the page begins."""
    sentences = _sentences(page)
    if not sentences:
        return ""
    # A lead is often printed twice: once above the text, once in it.
    distinct = {page.text[start:end]: (start, end) for start, end in reversed(sentences)}.values()
    ranked = sorted(distinct, key=lambda span: (-_told(page.text, span, passages), span))
    chosen = ranked[:1]
    told = _told(page.text, ranked[0], passages)
    if told and len(ranked) > 1 and _told(page.text, ranked[1], passages) >= SECOND_SENTENCE_SHARE * told:
        both = sorted(ranked[:2])
        if word_count(" ".join(page.text[start:end] for start, end in both)) <= PROFILE.quote_max_words:
            chosen = both
    shown = []
    for span in chosen:
        start, end = _window(page.text, span, passages)
        shown.append(page.text[start:end] + ("" if end == span[1] else " …"))
    return " ".join(shown)


def word_count(text: str) -> int:
    """However one counts: by spaces, or by runs of letters (`state-of-the-art` is four)."""
    return max(len(_CHUNK.findall(text)), len(_WORD.findall(text)))


def _told(text: str, span: Span, passages: Passages) -> float:
    """What a sentence says of the question. Of two that say as much, one with a figure answers more."""
    weight = passages.weight_within(*span)
    return weight + (0.2 if weight and _FIGURE.search(text, *span) else 0.0)


def _sentences(page: Page) -> list[Span]:
    """Those long enough to say something, if there are any. A headline is no evidence, however many of the terms it
    has; unless the page says nothing else."""
    spans = sentence_spans(page.text[:MAX_JUDGED_CHARS])
    every = [span for span, _ in zip(spans, range(MAX_SENTENCES), strict=False)]
    long = [span for span in every if span[1] - span[0] >= MIN_SENTENCE_CHARS] or every
    return [span for span in long if page.text[slice(*span)] != page.title] or long


def _window(text: str, sentence: Span, passages: Passages) -> Span:
    """The run of words within the limits that tells most; the first such, and the longest from there."""
    chunks = list(_CHUNK.finditer(text, *sentence))
    best, best_told = (sentence[0], sentence[0]), -1.0
    for first in range(min(len(chunks), MAX_WINDOWS)):
        window = _longest_from(chunks, first)
        told = passages.weight_within(*window)
        if told > best_told:
            best, best_told = window, told
        if first + PROFILE.quote_max_words >= len(chunks) or not passages.terms:
            break
    return best


def _longest_from(chunks: list[re.Match[str]], first: int) -> Span:
    start, end, words = chunks[first].start(), chunks[first].start(), 0
    # Each chunk is a word at least.
    for chunk in chunks[first : first + PROFILE.quote_max_words]:
        words += max(1, len(_WORD.findall(chunk.group())))
        if words > PROFILE.quote_max_words or chunk.end() - start > MAX_QUOTE_CHARS:
            break
        end = chunk.end()
    # One chunk alone may be beyond the limits: a Chinese sentence, a chain of hyphens.
    return (start, end) if end > start else _cut(chunks[first])


def _cut(chunk: re.Match[str]) -> Span:
    words = list(_WORD.finditer(chunk.group()))[: PROFILE.quote_max_words]
    length = words[-1].end() if words else MAX_QUOTE_CHARS
    return chunk.start(), chunk.start() + min(length, MAX_QUOTE_CHARS)
