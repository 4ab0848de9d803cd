"""The admin's front page: is everything healthy, at a glance."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils import timezone
from django.utils.safestring import SafeString

from dpp_project.money import MICROS_PER_USD
from runs.admin.charts import Series, lines, ranking, stacked_bars
from runs.admin.display import lasting, list_url, usd
from runs.admin.tallies import WINDOWS, Durations, Slices, Tally, Window, recent_tallies
from runs.jobs.history import JobStatus, statuses
from runs.models import JobPass, Run
from runs.reports.live_stats import LiveStats, live_stats
from storage.models import DamagedObject

_MOST_RANKED = 8


@dataclass(frozen=True)
class Tile:
    name: str
    value: str
    tone: str = ""
    url: str = ""


@dataclass(frozen=True)
class Plot:
    title: str
    drawing: SafeString


def overview(request: HttpRequest) -> HttpResponse:
    if not request.user.has_perm("runs.view_run"):
        raise PermissionDenied
    window = WINDOWS.get(request.GET.get("window", ""), WINDOWS["1h"])
    now = timezone.now()
    stats = live_stats()
    slices = recent_tallies(window, now=now)
    context = {
        **admin.site.each_context(request),
        "title": "Overview",
        "windows": WINDOWS.values(),
        "window": window,
        "tiles": _tiles(stats, [tally for _, tally in slices if tally], statuses(now=now), now),
        "plots": _plots(window, slices, stats),
        "uncounted": sum(tally is None for _, tally in slices),
    }
    return TemplateResponse(request, "operate/overview.html", context)


def _tiles(stats: LiveStats, counted: Sequence[Tally], all_jobs: list[JobStatus], now: datetime) -> list[Tile]:
    waiting = (now - stats.oldest_queued) if stats.oldest_queued else None
    late = [status.job.name for status in all_jobs if status.late]
    completed = sum(tally.entered("COMPLETED") for tally in counted)
    failed = sum(tally.entered("FAILED") for tally in counted)
    ended = completed + failed
    damaged = DamagedObject.objects.count()
    return [
        Tile("queued", f"{stats.queued:,}", url=list_url(Run, status__exact="QUEUED")),
        Tile("processing", f"{stats.processing:,}", url=list_url(Run, status__exact="PROCESSING")),
        Tile(
            "oldest queued",
            lasting(waiting.total_seconds()) if waiting else "–",
            tone="bad" if waiting and waiting > timedelta(minutes=15) else "",
        ),
        Tile("messages", _number(stats.messages), tone="bad" if stats.messages is None else ""),
        Tile("dead letters", _number(stats.dead_letters), tone="" if stats.dead_letters == 0 else "bad"),
        Tile(
            "disputed",
            f"{stats.disputed:,}",
            tone="bad" if stats.disputed else "",
            url=list_url(Run, money_state__exact="DISPUTED"),
        ),
        Tile(
            "damaged results",
            f"{damaged:,}",
            tone="bad" if damaged else "",
            url=list_url(DamagedObject),
        ),
        Tile("ended", f"{ended:,}"),
        Tile("failed", f"{failed / ended:.1%}" if ended else "–", url=list_url(Run, status__exact="FAILED")),
        Tile("spent", usd(sum(sum(tally.spent.values()) for tally in counted))),
        Tile(
            "jobs",
            "on time" if not late else f"{len(late)} late",
            tone="bad" if late else "good",
            url=list_url(JobPass),
        ),
    ]


def _plots(window: Window, slices: Slices, stats: LiveStats) -> list[Plot]:
    labels = [start.strftime(window.label) for start, _ in slices]
    every = [tally for _, tally in slices]
    reasons: Counter[str] = sum((tally.reasons for tally in every if tally), Counter())
    spent: Counter[str] = sum((tally.spent for tally in every if tally), Counter())
    return [
        Plot(
            "Runs that ended",
            stacked_bars(
                labels,
                [
                    Series("completed", "good", [tally.entered("COMPLETED") if tally else None for tally in every]),
                    Series("failed", "bad", [tally.entered("FAILED") if tally else None for tally in every]),
                ],
                label_of=_count,
            ),
        ),
        Plot(
            "Runs waiting and running",
            lines(
                labels,
                [
                    Series("queued", "wait", _levels(every, "QUEUED", stats.queued)),
                    Series("processing", "busy", _levels(every, "PROCESSING", stats.processing)),
                ],
                label_of=_count,
            ),
        ),
        Plot("Wait in the queue", _percentiles(labels, [tally.waits if tally else None for tally in every])),
        Plot("Latency, submit to end", _percentiles(labels, [tally.latencies if tally else None for tally in every])),
        Plot(
            "Failures by reason",
            ranking(
                [(reason, number, f"{number:,}") for reason, number in reasons.most_common(_MOST_RANKED)], colour="bad"
            ),
        ),
        Plot(
            "Spend by tenant",
            ranking(
                [(tenant, amount / MICROS_PER_USD, usd(amount)) for tenant, amount in spent.most_common(_MOST_RANKED)],
                colour="busy",
            ),
        ),
    ]


def _percentiles(labels: Sequence[str], every: Sequence[Durations | None]) -> SafeString:
    series = [
        Series("median", "busy", [seen.percentile(0.5) if seen else None for seen in every]),
        Series("95th percentile", "wait", [seen.percentile(0.95) if seen else None for seen in every]),
    ]
    return lines(labels, series, label_of=lasting)


def _levels(slices: Sequence[Tally | None], status: str, at_present: int) -> list[float | None]:
    """How many runs were in a state at the end of each slice: from now backwards, by who came and who left."""
    level: int | None = at_present
    found: list[float | None] = []
    for tally in reversed(slices):
        found.append(None if level is None else max(level, 0))
        level = None if tally is None or level is None else level - tally.entered(status) + tally.left(status)
    return [*reversed(found)]


def _count(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) else f"{value:,.1f}"


def _number(value: int | None) -> str:
    return "no answer" if value is None else f"{value:,}"
