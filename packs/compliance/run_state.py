"""What a review has found so far."""

from dataclasses import dataclass, field

from packs.base import JsonObject
from packs.compliance.detectors import Place
from packs.compliance.reading import Reading
from packs.compliance.rules import Rule
from packs.compliance.spans import Span


@dataclass
class RunState:
    reading: Reading
    language: str
    product: str
    rules: tuple[Rule, ...]
    """Those that apply to the kind of text."""
    met: dict[str, list[Span]] = field(default_factory=dict)
    """By rule, in the folded text."""
    left_out: dict[str, list[Place]] = field(default_factory=dict)
    """By rule: places where the text denies, reports or rejects what the rule looks for."""
    by_model: list[JsonObject] = field(default_factory=list)
    """Findings of a language model, checked."""
    model_note: str | None = None
    """Why a configured model added nothing."""
    tokens: int = 0
    second_reviews: int = 0
    """How often part of the text was read again with a proposal in its place."""
