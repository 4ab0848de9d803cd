"""What was submitted: claims, and the sources they are held against, in one form whatever the caller sent."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from packs.claims.library import Library, is_korean
from packs.claims.library import Source as ClaimSource
from packs.claims.statements import Statement, is_claim, statements
from packs.text.language import Language

MAX_CLAIMS = 400
MAX_PASSAGES = 20_000


@dataclass(frozen=True)
class Claim(Statement):
    index: int = 0
    given_sources: tuple[str, ...] = ()
    """Source ids the caller attached to this claim."""

    @property
    def cites(self) -> tuple[str, ...]:
        return (*self.given_sources, *self.marks)


@dataclass(frozen=True)
class Source:
    index: int
    id: str
    title: str
    url: str
    date: str
    text: str


@dataclass(frozen=True)
class Submission:
    text: str
    """The whole text; claims given one by one are joined by line breaks."""
    sentences: tuple[Statement, ...]
    claims: tuple[Claim, ...]
    sources: tuple[Source, ...]
    claims_left_out: int

    @cached_property
    def language(self) -> Language:
        """What is said about a Korean text is said in Korean."""
        return "ko" if is_korean(self.text) else "en"

    @cached_property
    def library(self) -> Library:
        readable = [ClaimSource(source.index, source.id, source.title, source.text) for source in self.sources]
        return Library(readable, MAX_PASSAGES, self.text)

    def cited_sources(self, claim: Claim) -> list[Source]:
        return [source for source in self.sources if source.id in claim.cites]


def read_sources(given: Sequence[str | Mapping[str, Any]]) -> tuple[Source, ...]:
    sources = []
    for index, each in enumerate(given):
        entry: Mapping[str, Any] = {"text": each} if isinstance(each, str) else each
        sources.append(
            Source(
                index=index,
                id=str(entry.get("id") or index + 1),
                title=str(entry.get("title") or ""),
                url=str(entry.get("url") or ""),
                date=str(entry.get("date") or ""),
                text=str(entry.get("text") or ""),
            )
        )
    return tuple(sources)


def read_submission(
    text_or_claims: str | Sequence[str | Mapping[str, Any]], given_sources: Sequence[str | Mapping[str, Any]]
) -> Submission:
    if isinstance(text_or_claims, str):
        text = text_or_claims
        sentences = tuple(statements(text))
        claims = [Claim(each.text, each.start, index) for index, each in enumerate(filter(is_claim, sentences))]
    else:
        claims = [_given_claim(index, each) for index, each in enumerate(text_or_claims)]
        text = "\n".join(claim.text for claim in claims)
        sentences = tuple(claims)
    return Submission(
        text=text,
        sentences=sentences,
        claims=tuple(claims[:MAX_CLAIMS]),
        sources=read_sources(given_sources),
        claims_left_out=max(0, len(claims) - MAX_CLAIMS),
    )


def _given_claim(index: int, given: str | Mapping[str, Any]) -> Claim:
    if isinstance(given, str):
        return Claim(given, 0, index)
    return Claim(str(given["text"]), 0, index, tuple(str(each) for each in given.get("source_ids", ())))
