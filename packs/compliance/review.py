"""`review`: every rule that applies to a kind of text, run over it once."""

from packs.base import JsonObject
from packs.compliance.detectors import Place, places
from packs.compliance.examination import examine
from packs.compliance.likeness import learnt
from packs.compliance.meaning import ENGLISH, KOREAN, words_of
from packs.compliance.reading import reading_of
from packs.compliance.result import result_of
from packs.compliance.rules import Rule
from packs.compliance.spans import Span


def review(text: str, kind: str | None = None, language: str | None = None, *, rewrites: bool = True) -> JsonObject:
    """Findings, texts to publish, notices and a summary for one text (`ad`, `policy`, `ai_output`, `general`)."""
    return result_of(text, kind, examine(text, kind, language), rewrites=rewrites)


def preload() -> None:
    """Reads the rulebook and what was learnt from its examples: a process that forks does it once for all."""
    learnt()
    words_of(KOREAN)
    words_of(ENGLISH)
    examine("ready")


def spans_of(rule: Rule, text: str, kind: str) -> tuple[list[Span], list[Place]]:
    """One rule alone, without the others it yields to."""
    return places(rule, reading_of(text, kind))
