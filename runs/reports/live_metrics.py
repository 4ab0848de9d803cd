"""Metrics that no process counts by itself: read from the database and the queue whenever `/metrics` is asked.

Jobs and workers run on other machines than the API; what they left in the database is seen from everywhere.
"""

from collections.abc import Iterator

from django.db import DatabaseError, InterfaceError
from django.db.models import Count, Min, Q
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from budget.models import TenantBalance
from dpp_project import clock
from dpp_project.redis import Store
from dpp_project.redis_health import slots_without_server
from runs.jobs.history import statuses
from runs.models import Webhook, WebhookDelivery
from runs.reports.document_traffic import flight_counts, redis_counts
from runs.reports.live_stats import live_stats
from storage.models import DamagedObject


class LiveCollector(Collector):
    def describe(self) -> list[Metric]:
        """Nothing is asked at registration: the database may not be up yet."""
        return []

    def collect(self) -> Iterator[Metric]:
        try:
            yield from _runs()
            yield from _jobs()
            yield from _books()
            yield from _results()
            yield from _documents()
            yield from _redis_clusters()
            yield from _webhooks()
        except (DatabaseError, InterfaceError):
            # The other metrics must not be lost with these; that they are absent is an alert of its own.
            return


def _runs() -> Iterator[Metric]:
    stats = live_stats()
    live = GaugeMetricFamily("dpp_runs_live", "Runs that have not ended", labels=["status"])
    live.add_metric(["QUEUED"], stats.queued)
    live.add_metric(["PROCESSING"], stats.processing)
    yield live
    yield GaugeMetricFamily("dpp_runs_disputed", "Runs that wait for a person's decision", value=stats.disputed)
    yield GaugeMetricFamily("dpp_reserved_micros", "What all live runs hold", value=stats.reserved)
    age = GaugeMetricFamily("dpp_queue_age_seconds", "Age of the oldest queued run of a kind of work", labels=["work"])
    for work, oldest in stats.oldest_of.items():
        age.add_metric([work], max((clock.now() - oldest).total_seconds(), 0) if oldest else 0)
    yield age
    messages = GaugeMetricFamily("dpp_queue_messages", "Messages that wait, about", labels=["queue"])
    for queue, depth in stats.messages_in.items():
        messages.add_metric([queue], depth)
    if stats.dead_letters is not None:
        messages.add_metric(["dead_letters"], stats.dead_letters)
    yield messages


def _books() -> Iterator[Metric]:
    frozen = TenantBalance.objects.filter(frozen_at__isnull=False).count()
    yield GaugeMetricFamily("dpp_tenants_frozen", "Tenants whose books disagree: they spend nothing", value=frozen)


def _results() -> Iterator[Metric]:
    damaged = DamagedObject.objects.count()
    yield GaugeMetricFamily("dpp_results_damaged", "Stored objects that are damaged or missing", value=damaged)


def _documents() -> Iterator[Metric]:
    flights = flight_counts()
    rows = GaugeMetricFamily("dpp_flights", "Documents in the table of the single flight", labels=["state"])
    for state, count in flights.by_state.items():
        rows.add_metric([state], count)
    yield rows
    age = (clock.now() - flights.oldest_download).total_seconds() if flights.oldest_download else 0
    yield GaugeMetricFamily("dpp_flight_age_seconds", "Age of the oldest download under way", value=max(age, 0))
    in_redis = redis_counts()
    if in_redis is not None:
        taken = sum(in_redis.slots_of.values())
        yield GaugeMetricFamily("dpp_fleet_slots_in_use", "Downloads under way over the whole fleet", value=taken)


def _redis_clusters() -> Iterator[Metric]:
    """Of single servers nothing is told here: whether they answer is known from the calls."""
    slots = GaugeMetricFamily(
        "dpp_redis_slots_without_server", "Slots of a Redis cluster that no server answers for", labels=["server"]
    )
    for store in Store:
        if store is Store.LEDGER or store.is_apart:
            without = slots_without_server(store)
            if without is not None:
                slots.add_metric([store.server.name], without)
    yield slots


def _webhooks() -> Iterator[Metric]:
    """Of receivers that are switched on: what those that are off have not been sent waits for a person."""
    pending = WebhookDelivery.objects.filter(state=WebhookDelivery.State.PENDING, webhook__status=Webhook.Status.ACTIVE)
    found = pending.aggregate(number=Count("pk"), oldest=Min("next_attempt_at", filter=Q(webhook__is_slow=False)))
    yield GaugeMetricFamily("dpp_webhook_messages_pending", "Messages not delivered yet", value=found["number"])
    late = (clock.now() - found["oldest"]).total_seconds() if found["oldest"] else 0
    yield GaugeMetricFamily(
        "dpp_webhook_lateness_seconds", "How long the oldest message for a quick receiver is due", value=max(late, 0)
    )


def _jobs() -> Iterator[Metric]:
    now = clock.now()
    late = GaugeMetricFamily("dpp_job_late", "1: the beat job has missed several passes", labels=["job"])
    age = GaugeMetricFamily("dpp_job_age_seconds", "Since the job's last pass", labels=["job"])
    for status in statuses(now=now):
        late.add_metric([status.job.name], int(status.late))
        if status.last:
            age.add_metric([status.job.name], (now - status.last.finished_at).total_seconds())
    yield late
    yield age
