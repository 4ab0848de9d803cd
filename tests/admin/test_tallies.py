"""The plots' figures: slices add up, what is over is counted once, levels are found backwards from now."""

import re
from collections import Counter
from datetime import datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from runs.admin.charts import Series, lines, nice_top, ranking, stacked_bars
from runs.admin.overview import _levels
from runs.admin.tallies import WINDOWS, Slices, Tally, tallies
from runs.states import Reason
from tests.api.ended_runs import completed_run, failed_run
from tests.builders import Customer, submitted

HOUR = WINDOWS["1h"]


def totals(slices: Slices) -> tuple[int, int, Counter[str], int]:
    every = [tally for _, tally in slices if tally]
    return (
        sum(tally.entered("COMPLETED") for tally in every),
        sum(tally.entered("QUEUED") for tally in every),
        sum((tally.reasons for tally in every), Counter()),
        sum(sum(tally.spent.values()) for tally in every),
    )


def test_slices_add_up_to_what_happened(acme: Customer) -> None:
    completed_run(acme)
    failed_run(acme, Reason.PACK_FAILED)
    submitted(acme)

    found = tallies(HOUR, now=timezone.now() + timedelta(seconds=1))

    assert len(found) == HOUR.slices
    assert totals(found) == (1, 3, Counter({"PACK_FAILED": 1}), 60_000)
    assert [tally.latency is not None for _, tally in found if tally and tally.entered("COMPLETED")] == [True]


def test_a_slice_that_is_over_is_counted_once(acme: Customer) -> None:
    completed_run(acme)
    later = timezone.now() + timedelta(minutes=10)
    first = tallies(HOUR, now=later)

    with CaptureQueriesContext(connection) as asked:
        again = tallies(HOUR, now=later)

    assert totals(first) == totals(again) == (1, 1, Counter(), 50_000)
    looks = [query["sql"] for query in asked if "run_transitions" in query["sql"]]
    assert looks
    # Only the slices that can still change: the last four minutes of sixty.
    begins = [datetime.fromisoformat(found) for sql in looks for found in re.findall(r"t\.at >= '([^']+)'", sql)]
    assert len(begins) == len(looks)
    assert min(begins) >= later - timedelta(minutes=4)


def test_what_happened_before_the_window_is_left_out(acme: Customer) -> None:
    completed_run(acme)

    assert totals(tallies(HOUR, now=timezone.now() + timedelta(hours=2)))[0] == 0


def test_a_busy_window_is_counted_bit_by_bit(acme: Customer, monkeypatch: pytest.MonkeyPatch) -> None:
    completed_run(acme)
    now = timezone.now() + timedelta(minutes=10)
    monkeypatch.setattr("runs.admin.tallies._PATIENCE_SEC", 0)

    looks = [tallies(HOUR, now=now) for _ in range(20)]

    known = [sum(tally is not None for _, tally in look) for look in looks]
    assert known[0] < known[1] < HOUR.slices
    assert known[-1] == HOUR.slices
    assert totals(looks[-1]) == (1, 1, Counter(), 50_000)


def test_a_statement_that_takes_long_leaves_its_slices_open(acme: Customer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("runs.admin.tallies._MOVES", "SELECT pg_sleep(5), %(since)s, %(until)s, %(width)s")
    monkeypatch.setattr("runs.admin.tallies._STATEMENT_TIMEOUT", "50ms")

    assert [tally for _, tally in tallies(HOUR, now=timezone.now()) if tally] == []


def test_levels_are_found_from_now_backwards() -> None:
    came, left, quiet = Tally(), Tally(), Tally()
    came.moves[None, "QUEUED"] = 5
    left.moves["QUEUED", "PROCESSING"] = 3

    assert _levels([None, left, quiet], "QUEUED", 2) == [5, 2, 2]
    assert _levels([came, None, quiet], "QUEUED", 2) == [None, 2, 2]
    # Five came, three left, nothing happened; two are there now.
    assert _levels([came, left, quiet], "QUEUED", 2) == [5, 2, 2]


@pytest.mark.parametrize(("highest", "top"), [(0, 0.2), (0.3, 0.4), (1, 1), (1.5, 2), (5, 6), (61, 100), (900, 1000)])
def test_axes_end_at_numbers_people_can_read(highest: float, top: float) -> None:
    assert nice_top(highest) == pytest.approx(top)


def test_plots_escape_what_they_show() -> None:
    evil = "<script>alert(1)</script>"
    series = [Series(evil, "good", [1, None, 2])]
    drawings = [
        stacked_bars([evil, "b", "c"], series, told=str),
        lines([evil, "b", "c"], series, told=str),
        ranking([(evil, 1, evil)], colour="bad"),
    ]

    for drawing in drawings:
        assert "<script" not in drawing
        assert "&lt;script&gt;" in drawing
