"""The profiles: what each does and what it costs. The one table: the reading process follows it, the pack charges by
it, the documentation shows it."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

# Sizes of type, against the page's ordinary lines.
TITLE, BODY, FINE = "title", "body", "fine"

# Part of every cache key and of the result: a changed pipeline must not answer with yesterday's pages.
VERSION = "2026.24"


@dataclass(frozen=True)
class OcrProfile:
    name: str
    purpose: str
    passes: int
    """The second reads doubtful lines again. It is charged only on pages where it changed a line."""
    crops: int
    """At most so many lines of a page are read again because they came out doubtful or not at all."""
    detector_side: int
    """Pixels of the page's longer side in which lines are looked for: fine print needs more."""
    pdf_dpi: int
    page_timeout_sec: int

    @property
    def passes_charged(self) -> int:
        """At most: the price of a page covers its first pass."""
        return self.passes - 1


PROFILES: Mapping[str, OcrProfile] = MappingProxyType(
    {
        profile.name: profile
        for profile in (
            OcrProfile(
                name="P1",
                purpose="every line once: most documents",
                passes=1,
                crops=0,
                detector_side=1_280,
                pdf_dpi=200,
                page_timeout_sec=60,
            ),
            OcrProfile(
                name="P2A",
                purpose="lines with a marked word are read twice more, at other scales; the likeliest reading stands",
                passes=2,
                crops=40,
                detector_side=1_280,
                pdf_dpi=200,
                page_timeout_sec=60,
            ),
            OcrProfile(
                name="P2B",
                purpose="as P2A for more lines, and PDF pages are drawn at 300 dpi",
                passes=2,
                crops=120,
                detector_side=1_600,
                pdf_dpi=300,
                page_timeout_sec=60,
            ),
            OcrProfile(
                name="P3",
                purpose="as P2B, and lines are looked for at a higher resolution: for fine print on large pages",
                passes=2,
                crops=120,
                detector_side=1_920,
                pdf_dpi=300,
                page_timeout_sec=60,
            ),
        )
    }
)
DEFAULT = "P1"
