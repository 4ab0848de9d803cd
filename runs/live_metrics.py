"""Metrics that no process counts by itself: read from the database and the queue whenever `/metrics` is asked.

Jobs and workers run on other machines than the API; what they left in the database is seen from everywhere.
"""

from collections.abc import Iterator

from django.db import DatabaseError, InterfaceError
from django.utils import timezone
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from runs.job_passes import jobs
from runs.present import present


class LiveCollector(Collector):
    def describe(self) -> list[Metric]:
        """Nothing is asked at registration: the database may not be up yet."""
        return []

    def collect(self) -> Iterator[Metric]:
        try:
            yield from _runs()
            yield from _jobs()
        except (DatabaseError, InterfaceError):
            # The other metrics must not be lost with these; that they are absent is an alert of its own.
            return


def _runs() -> Iterator[Metric]:
    stands = present()
    live = GaugeMetricFamily("dpp_runs_live", "Runs that have not ended", labels=["status"])
    live.add_metric(["QUEUED"], stands.queued)
    live.add_metric(["PROCESSING"], stands.processing)
    yield live
    yield GaugeMetricFamily("dpp_runs_disputed", "Runs that wait for a person's decision", value=stands.disputed)
    yield GaugeMetricFamily("dpp_reserved_micros", "What all live runs hold", value=stands.reserved)
    waited = (timezone.now() - stands.oldest_queued).total_seconds() if stands.oldest_queued else 0
    yield GaugeMetricFamily("dpp_queue_age_seconds", "Age of the oldest queued run", value=max(waited, 0))
    messages = GaugeMetricFamily("dpp_queue_messages", "Messages that wait, about", labels=["queue"])
    for queue, depth in (("runs", stands.messages), ("dead_letters", stands.dead_letters)):
        if depth is not None:
            messages.add_metric([queue], depth)
    yield messages


def _jobs() -> Iterator[Metric]:
    now = timezone.now()
    late = GaugeMetricFamily("dpp_job_late", "1: the beat job has missed several passes", labels=["job"])
    age = GaugeMetricFamily("dpp_job_age_seconds", "Since the job's last pass", labels=["job"])
    for job in jobs(now=now):
        late.add_metric([job.name], int(job.late))
        if job.last:
            age.add_metric([job.name], (now - job.last.finished_at).total_seconds())
    yield late
    yield age
