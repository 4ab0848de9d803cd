"""The profiles: what each does and what it costs. The one table: the reading process follows it, the pack charges by
it, the documentation shows it (`packs.ocr.table`)."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

TITLE, BODY, FINE = "title", "body", "fine"

# Part of every cache key and of the result: a changed pipeline must not answer with yesterday's pages.
VERSION = "2026.14"


@dataclass(frozen=True)
class OcrProfile:
    name: str
    purpose: str
    passes: tuple[str, ...]
    """Sizes of type in the order they are read. A single pass reads all sizes together."""
    second_reading: tuple[str, ...]
    """Sizes that are read again at another scale; the surer reading of a word wins, a tie is written `A/B`."""
    own_scale: bool
    """Small type is enlarged and headlines are reduced to the size the engine reads best."""
    crops: int
    """At most so many rows or pieces of a page are read again because they came out doubtful or not at all."""
    pdf_dpi: int
    page_timeout_sec: int

    @property
    def readings(self) -> int:
        return len(self.passes) + len(self.second_reading)

    @property
    def passes_charged(self) -> int:
        """The price of a page covers its first pass."""
        return self.readings - 1


PROFILES: Mapping[str, OcrProfile] = MappingProxyType(
    {
        profile.name: profile
        for profile in (
            OcrProfile(
                name="P1",
                purpose="fast: clean pages, previews",
                passes=(BODY,),
                second_reading=(),
                own_scale=True,
                crops=6,
                pdf_dpi=200,
                page_timeout_sec=20,
            ),
            OcrProfile(
                name="P2A",
                purpose="balanced: most documents",
                passes=(TITLE, BODY, FINE),
                second_reading=(),
                own_scale=True,
                crops=24,
                pdf_dpi=200,
                page_timeout_sec=30,
            ),
            OcrProfile(
                name="P2B",
                purpose="expensive: every pass twice, when a wrong character costs more than the run",
                passes=(TITLE, BODY, FINE),
                second_reading=(TITLE, BODY, FINE),
                own_scale=True,
                crops=48,
                pdf_dpi=300,
                page_timeout_sec=60,
            ),
            OcrProfile(
                name="P3",
                purpose="fine print first: conditions, labels, leaflets",
                passes=(FINE, BODY, TITLE),
                second_reading=(FINE,),
                own_scale=True,
                crops=48,
                pdf_dpi=300,
                page_timeout_sec=45,
            ),
        )
    }
)
DEFAULT = "P2A"
