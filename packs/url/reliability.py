"""How far a run's kept pages are what the run says of them: relevant, and of the tier they are listed under.

The numbers of the relevance gate and of the lists are precisions that `make bench-packs` measured on pages and hosts
that nothing was tuned on, rounded down; a test compares the second. Those of names and pages are estimates: nobody
measured how often what a site says of itself is true.
"""

from collections.abc import Collection

from packs.url.run_state import Kept
from packs.url.tiers import Basis

RELEVANCE_PRECISION = 0.98
"""Of pages that the relevance gate kept, those that speak of the question."""
UNKNOWN_RELEVANCE = 0.5
"""Also of what a language model says: it depends on the model that an operator configures, which was not measured."""
TIER_PRECISION = {Basis.LIST: 0.97, Basis.NAME: 0.9, Basis.PAGE: 0.75, Basis.NOTHING: 0.6}
DEGRADED = 0.9
"""An old copy may have been overtaken."""


def reliability(kept: list[Kept], degraded: Collection[str]) -> float:
    if not kept:
        return 0.0
    return round(sum(_of_one(page, page.candidate.url in degraded) for page in kept) / len(kept), 4)


def _of_one(page: Kept, is_degraded: bool) -> float:
    judged, tier = page.judged, page.candidate.tier
    relevance = (
        UNKNOWN_RELEVANCE if judged.is_unknown or judged.quote else 1.0 if judged.score is None else RELEVANCE_PRECISION
    )
    source = TIER_PRECISION[page.candidate.tier_basis]
    # What is kept only on request supports an answer as far as its kind does, however sure the kind is.
    return relevance * min(source, 1.0 if tier.kept else tier.weight_percent / 100) * (DEGRADED if is_degraded else 1.0)
