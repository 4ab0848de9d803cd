"""Two statements of a claim whose things changed places: "opened 12 and closed 5" against "closed 12 and opened 5"."""

from packs.claims.alignment import Alignment, Pair
from packs.claims.compare import Match, agree, same_kind
from packs.claims.findings import Conflict
from packs.claims.parsed import Figure, Kind, Role


def crosswise(alignment: Alignment) -> Conflict | None:
    """Both verbs are found, each in a clause of its own, and what the claim says with one stands with the other."""
    if alignment.missing:
        return None
    verbs = [
        pair
        for pair in alignment.pairs
        if pair.claimed.role is Role.PREDICATE and pair.same and not pair.in_context and pair.found.kind is Kind.VERB
    ]
    if len(verbs) != 2 or any(pair.claimed.negated != pair.found.negated for pair in verbs):
        return None
    first, second = verbs
    if first.claimed.clause == second.claimed.clause or first.found.clause == second.found.clause:
        return None
    one, other = _strayed(alignment, first, second), _strayed(alignment, second, first)
    if one is not None and other is not None and one.claimed.role is other.claimed.role:
        return Conflict("ROLES", f"{one.claimed.text} / {other.claimed.text}", f"{other.found.text} / {one.found.text}")
    return _figures(alignment, first, second)


def _strayed(alignment: Alignment, verb: Pair, away: Pair) -> Pair | None:
    """A word that the claim says with one verb and the passage only with the other."""
    for pair in alignment.pairs:
        if (
            pair.claimed.clause == verb.claimed.clause
            and pair.found.clause == away.found.clause
            and pair.same
            and not pair.in_context
            and pair.claimed.kind in (Kind.NAME, Kind.NOUN)
            and sum(word.lemma == pair.found.lemma for word in alignment.passage.words) == 1
            and sum(word.lemma == pair.claimed.lemma for word in alignment.claim.words) == 1
        ):
            return pair
    return None


def _figures(alignment: Alignment, first: Pair, second: Pair) -> Conflict | None:
    mine = [_only(alignment.claim.figures, verb.claimed.clause) for verb in (first, second)]
    theirs = [_only(alignment.passage.figures, verb.found.clause) for verb in (first, second)]
    if mine[0] is None or mine[1] is None or theirs[0] is None or theirs[1] is None:
        return None
    if not same_kind(mine[0], mine[1]) or agree(mine[0], mine[1]) is Match.AGREES:
        return None
    if agree(mine[0], theirs[1]) is Match.AGREES and agree(mine[1], theirs[0]) is Match.AGREES:
        return Conflict("FIGURE", mine[0].text, theirs[0].text)
    return None


def _only(figures: tuple[Figure, ...], clause: int) -> Figure | None:
    own = [each for each in figures if each.clause == clause]
    return own[0] if len(own) == 1 else None
