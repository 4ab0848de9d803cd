"""Weights, totals and flips, against hand-calculated figures and against brute force."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from packs.decision.brief import Criterion
from packs.decision.cells import Basis, Cell, Column
from packs.decision.weigh import Weight, WeightSource, answer_if, weigh, weights, with_share


def columns_of(*scores: list[int], basis: Basis = Basis.SCALE) -> tuple[Column, ...]:
    return tuple(
        Column(
            Criterion(f"c{j}", f"/criteria/{j}"),
            "higher_is_better",
            False,
            tuple(Cell(Fraction(score), basis) for score in column),
        )
        for j, column in enumerate(scores)
    )


def shares(*given: str) -> tuple[Weight, ...]:
    return tuple(Weight(Fraction(each), WeightSource.GIVEN) for each in given)


def test_given_weights_count_in_proportion() -> None:
    given = (Criterion("a", None, Fraction(2)), Criterion("b", None, Fraction(3)))
    assert [weight.share for weight in weights(given)] == [Fraction(2, 5), Fraction(3, 5)]


def test_a_missing_weight_is_the_mean_of_the_given_ones() -> None:
    given = (Criterion("a", None, Fraction(1)), Criterion("b", None, Fraction(3)), Criterion("c", None))
    assert [weight.share for weight in weights(given)] == [Fraction(1, 6), Fraction(1, 2), Fraction(1, 3)]
    assert weights(given)[2].source is WeightSource.MEAN_OF_GIVEN


@pytest.mark.parametrize("weight", [None, Fraction(0)])
def test_no_weights_or_only_zeros_are_equal_weights(weight: Fraction | None) -> None:
    given = (Criterion("a", None, weight), Criterion("b", None, weight))
    assert [(each.share, each.source) for each in weights(given)] == [(Fraction(1, 2), WeightSource.EQUAL)] * 2


def test_totals_and_the_flip_are_those_of_the_hand_calculation() -> None:
    # A: 100 and 0, B: 50 and 80. At shares 0.7 and 0.3: A = 70, B = 59. Level where 100 x = 50 x + 80 (1 - x).
    result = weigh(columns_of([100, 50], [0, 80]), shares("0.7", "0.3"), 2)
    assert result.totals == (Fraction(70), Fraction(59))
    assert result.winner == 0
    assert result.flips[0].at == Fraction(8, 13)
    assert result.flips[0].criterion == 0
    assert result.flips[0].rival == 1


def test_an_option_that_is_best_everywhere_has_no_flip() -> None:
    assert weigh(columns_of([90, 50], [80, 70]), shares("0.5", "0.5"), 2).flips == ()


def test_a_tie_has_no_winner() -> None:
    result = weigh(columns_of([50, 50]), shares("1"), 2)
    assert result.tied
    assert result.winner is None


def test_assumed_scores_alone_decide_nothing_and_span_the_whole_range() -> None:
    result = weigh(columns_of([50, 50], basis=Basis.ASSUMED), shares("1"), 2)
    assert result.winner is None
    assert result.coverage == 0
    assert list(result.lowest) == [Fraction(0)] * 2
    assert list(result.highest) == [Fraction(100)] * 2


grid = st.integers(2, 4).flatmap(
    lambda options: st.lists(st.lists(st.integers(0, 100), min_size=options, max_size=options), min_size=2, max_size=4)
)


@settings(max_examples=60, deadline=None)
@given(grid, st.data())
def test_a_flip_is_where_the_lead_changes_and_nowhere_nearer(scores: list[list[int]], data: st.DataObject) -> None:
    raw = data.draw(st.lists(st.integers(1, 9), min_size=len(scores), max_size=len(scores)))
    given = tuple(Weight(Fraction(each, sum(raw)), WeightSource.GIVEN) for each in raw)
    columns, options = columns_of(*scores), len(scores[0])
    result = weigh(columns, given, options)
    if result.winner is None:
        return
    base = tuple(weight.share for weight in given)
    for flip in result.flips:
        there = with_share(base, flip.criterion, flip.at)
        level = weigh(columns, tuple(Weight(share, WeightSource.GIVEN) for share in there), options)
        assert level.totals[flip.rival] == level.totals[result.winner]
        nearer = flip.share + (flip.at - flip.share) * Fraction(99, 100)
        assert answer_if(columns, with_share(base, flip.criterion, nearer), tuple(range(options)), {}) == result.winner


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 9), min_size=1, max_size=6))
def test_shares_always_sum_to_one(given_weights: list[int]) -> None:
    criteria = tuple(Criterion(str(i), None, Fraction(w)) for i, w in enumerate(given_weights))
    assert sum(weight.share for weight in weights(criteria)) == 1
