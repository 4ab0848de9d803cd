"""What is shown of a page: one quotation of at most 25 words that stands in it word for word, and a gist."""

import re

from dpp_project.profile import PROFILE
from packs.url.page import Page
from packs.url.terms import Term, matched

# Chinese and Japanese have no spaces to count words by; this keeps their quotations short too.
MAX_QUOTE_CHARS = 240
MIN_SENTENCE_CHARS = 20
# Sentences beyond these are not looked at: the evidence of a page that long stands earlier or is not quoted.
MAX_SENTENCES = 1_500
# Nor are the words beyond these of one sentence: a text without a full stop is one sentence of any length.
MAX_WINDOWS = 1_500

_SENTENCE = re.compile(r"[^.!?。！？\n]+(?:[.!?。！？]+(?!\s|$)[^.!?。！？\n]+)*[.!?。！？]*")
_CHUNK = re.compile(r"\S+")
_WORD = re.compile(r"\w+")


def evidence_quote(page: Page, terms: tuple[Term, ...]) -> str:
    """The sentence that speaks of most of the question's terms, cut to size; it is a piece of `page.text`."""
    sentences = _sentences(page.text)
    # A headline is no evidence, however many of the terms it has; unless the page says nothing else.
    sentences = [sentence for sentence in sentences if sentence != page.title] or sentences
    best = max(sentences, key=lambda sentence: len(matched(terms, sentence)), default="")
    return _window(best, terms)


def gist(page: Page, quote: str) -> str:
    """The title and how the page begins; in part a quotation, so kept as short as one."""
    beginning = next((sentence for sentence in _sentences(page.text) if sentence not in (quote, page.title)), "")
    lead = _window(beginning, ())
    shown = lead if lead == beginning else f"{lead} …"
    return " — ".join(part for part in (page.title, shown) if part)


def word_count(text: str) -> int:
    """However one counts: by spaces, or by runs of letters (`state-of-the-art` is four)."""
    return max(len(_CHUNK.findall(text)), len(_WORD.findall(text)))


def _sentences(text: str) -> list[str]:
    pieces = [match.group().strip() for match, _ in zip(_SENTENCE.finditer(text), range(MAX_SENTENCES), strict=False)]
    return [piece for piece in pieces if len(piece) >= MIN_SENTENCE_CHARS] or [piece for piece in pieces if piece]


def _window(sentence: str, terms: tuple[Term, ...]) -> str:
    """The run of words within the limits that holds most terms; the first such, and the longest from
    there."""
    chunks = list(_CHUNK.finditer(sentence))
    best, best_found = "", -1
    for first in range(min(len(chunks), MAX_WINDOWS)):
        window = _longest_from(sentence, chunks, first)
        found = len(matched(terms, window))
        if found > best_found:
            best, best_found = window, found
        if first + PROFILE.quote_max_words >= len(chunks) or not terms:
            break
    return best


def _longest_from(sentence: str, chunks: list[re.Match[str]], first: int) -> str:
    start, end, words = chunks[first].start(), chunks[first].start(), 0
    # Each chunk is a word at least.
    for chunk in chunks[first : first + PROFILE.quote_max_words]:
        words += max(1, len(_WORD.findall(chunk.group())))
        if words > PROFILE.quote_max_words or chunk.end() - start > MAX_QUOTE_CHARS:
            break
        end = chunk.end()
    # One chunk alone may be beyond the limits: a Chinese sentence, a chain of hyphens.
    return sentence[start:end] or _cut(chunks[first].group())


def _cut(chunk: str) -> str:
    words = list(_WORD.finditer(chunk))[: PROFILE.quote_max_words]
    return chunk[: words[-1].end() if words else MAX_QUOTE_CHARS][:MAX_QUOTE_CHARS]
