"""The plots' figures: slices add up, what is over is counted once, levels are found backwards from now."""

import math
import re
import time
from collections import Counter
from datetime import datetime, timedelta

import pytest
from django.core.cache import cache
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from runs.admin.charts import Series, lines, nice_top, ranking, stacked_bars
from runs.admin.overview import _levels
from runs.admin.tallies import STEP, WINDOWS, Durations, Slices, Tally, Window, tallies
from runs.models import Run
from runs.states import Reason
from tests.api.ended_runs import completed_run, failed_run
from tests.builders import Customer, submitted
from tests.owner import owner_cursor

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
    assert [
        tally.latencies.percentile(0.5) is not None for _, tally in found if tally and tally.entered("COMPLETED")
    ] == [True]


def test_a_slice_that_is_over_is_counted_once(acme: Customer) -> None:
    completed_run(acme)
    later = timezone.now() + timedelta(minutes=10)
    first = tallies(HOUR, now=later)

    with CaptureQueriesContext(connection) as asked:
        again = tallies(HOUR, now=later + timedelta(seconds=20))

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

    looks = [tallies(HOUR, now=now) for _ in range(HOUR.slices)]

    known = [sum(tally is not None for _, tally in look) for look in looks]
    assert known[0] < known[1] < HOUR.slices
    assert known[-1] == HOUR.slices
    assert totals(looks[-1]) == (1, 1, Counter(), 50_000)


def test_a_statement_that_takes_long_leaves_its_slices_open(acme: Customer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("runs.admin.tallies._MOVES", "SELECT pg_sleep(30), %(since)s, %(until)s, %(step)s")
    began = time.monotonic()

    found = tallies(HOUR, now=timezone.now())

    assert [tally for _, tally in found if tally] == []
    assert time.monotonic() - began < 20


@pytest.mark.parametrize("window", WINDOWS.values(), ids=WINDOWS)
def test_a_slice_is_the_sum_of_its_steps(acme: Customer, window: Window, monkeypatch: pytest.MonkeyPatch) -> None:
    """Given work all over the window, Expect every look to tell the same of a slice, however it was put together."""
    for back in (0, 3, 7, 20, 45):
        _shift(completed_run(acme), STEP * back)
    now = timezone.now()
    at_once = _told(tallies(window, now=now))
    cache.clear()
    monkeypatch.setattr("runs.admin.tallies._PATIENCE_SEC", 0)
    monkeypatch.setattr("runs.admin.tallies._LEAST_SEC", 10)

    # A step a look: as many as lie between now and the beginning of the slice with the oldest of them.
    looks = 50 + window.width // STEP
    bit_by_bit = [_told(tallies(window, now=now)) for _ in range(looks)][-1]

    assert {start: at_once[start] for start in bit_by_bit} == bit_by_bit
    assert sum(completed for completed, _, _ in bit_by_bit.values()) == 5


def _shift(run: Run, by: timedelta) -> None:
    """Into the past, as the guards of the trail would never allow."""
    with owner_cursor(guards=False) as cursor:
        seconds = by.total_seconds()
        cursor.execute(
            "UPDATE run_transitions SET at = at - make_interval(secs => %s) WHERE run_id = %s", [seconds, run.pk]
        )
        cursor.execute(
            "UPDATE runs SET created_at = created_at - make_interval(secs => %s) WHERE run_id = %s", [seconds, run.pk]
        )


def _told(slices: Slices) -> dict[datetime, tuple[int, int, float | None]]:
    return {
        start: (tally.entered("COMPLETED"), sum(tally.spent.values()), tally.latencies.percentile(0.95))
        for start, tally in slices
        if tally
    }


def test_percentiles_are_true_within_five_per_cent() -> None:
    seen = Durations()
    assert seen.percentile(0.5) is None
    for hundredths in range(1, 101):
        seen[math.floor(math.log(hundredths / 100) * Durations.PER_FACTOR_E)] += 1

    assert seen.percentile(0.5) == pytest.approx(0.5, rel=0.05)
    assert seen.percentile(0.95) == pytest.approx(0.95, rel=0.05)


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
        stacked_bars([evil, "b", "c"], series, label_of=str),
        lines([evil, "b", "c"], series, label_of=str),
        ranking([(evil, 1, evil)], colour="bad"),
    ]

    for drawing in drawings:
        assert "<script" not in drawing
        assert "&lt;script&gt;" in drawing
