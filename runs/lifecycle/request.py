"""A submitted run, parsed and defaulted, and the hash that says whether two of them mean the same."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from dpp_project.canonical import canonical_bytes, sha256_hex
from dpp_project.money import ZERO, Micros, format_usd
from dpp_project.profile import PROFILE

ACCEPT, REFUND = "accept", "refund"


@dataclass(frozen=True)
class RunRequest:
    pack_type: str
    inputs: dict[str, Any]
    max_cost: Micros
    timebox_sec: int
    min_reliability_score: float
    inline: bool
    include_markdown: bool
    include_docx: bool
    profile_version: str = PROFILE.version
    """The profile it was asked for under; the run keeps it. Not part of the meaning either."""
    features: frozenset[str] = frozenset()
    """What the request needs that an operator can switch off; not part of its meaning."""
    least: Micros = ZERO
    """What even the smallest result would cost; not part of its meaning."""
    on_unmet: str = ACCEPT
    """What happens to a result below `min_reliability_score`: accepted all the same, or withheld and not paid for."""
    prices: Mapping[str, Micros] | None = None
    """Those of the quote that it names."""
    quote_is_expired: bool = False
    """Then only a run that exists already is shown; not part of its meaning."""
    tags: Mapping[str, str] | None = None
    """The caller's own words for the run; not part of its meaning."""
    client_name: str | None = None
    client_version: str | None = None
    """What the caller says of itself; not part of its meaning either."""

    def meaning(self) -> dict[str, Any]:
        """What two equal requests share, in one shape whichever shape they came in.

        Trace, client, tags and profile are not part: the key names the run, and a replay shows the profile that it has.
        """
        meaning: dict[str, Any] = {
            "pack_type": self.pack_type,
            "inputs": self.inputs,
            "timebox_sec": self.timebox_sec,
            "max_cost_usd": format_usd(self.max_cost),
            "min_reliability_score": self.min_reliability_score,
            "artifacts": {"include_markdown": self.include_markdown, "include_docx": self.include_docx},
            "options": {"inline": 1 if self.inline else 0},
        }
        # Left out by default: requests from before there was a choice mean, and hash, the same.
        if self.on_unmet != ACCEPT:
            meaning["on_unmet"] = self.on_unmet
        if self.prices is not None:
            meaning["prices"] = dict(self.prices)
        return meaning

    @cached_property
    def canonical(self) -> bytes:
        """RFC 8785 bytes of the meaning: hashed for idempotency, and stored as what the worker executes."""
        return canonical_bytes(self.meaning())

    @cached_property
    def payload_hash(self) -> str:
        return sha256_hex(self.canonical)
