"""A whole server stopped for a minute under load, one server at a time."""

import time

from devstack.service import Service
from runs.models import Run
from tests.torture.bench import Bench
from tests.torture.stopped import HEALTH, LARGE_SUBMIT, POLL, SUBMIT, Callers, stopped
from tests.torture.table import Figures, Inflict, Size, row

_LARGE_SEC, _SMALL_SEC = 60.0, 8.0


def _stopped(name: str) -> Inflict:
    def inflict(bench: Bench, size: Size) -> Figures:
        service: Service = getattr(bench.services, name)
        owner = bench.customer(budget="10000.0000")
        run_id = bench.submit(owner).run_id
        callers = Callers(bench.api.url, owner, run_id)
        with callers.calling():
            with stopped(service):
                time.sleep(_LARGE_SEC if size.kills > 1 else _SMALL_SEC)
            goes_on = time.monotonic()
            time.sleep(5)
        seen = callers.seen
        told = {kind: str(each) for kind, each in seen.items()}
        assert seen[HEALTH].statuses() == {200}, told
        assert seen[HEALTH].p99() < 1, told
        if name != "postgres":
            # The run has ended by now, so that a poll reads its row by Django's way.
            assert seen[POLL].statuses() == {200}, told
            assert seen[POLL].p99() < 1, told
        for kind in (POLL, SUBMIT, LARGE_SUBMIT):
            assert seen[kind].p99() < 3, told
            # One in a thousand may meet a machine that does other things; nobody waits for the server itself.
            assert seen[kind].slowest() < 4, told
            assert seen[kind].statuses() <= {200, 202, 503}, told
        healed = bench.healed(owner, since=goes_on, within=180)
        rows = {str(pk) for pk in Run.objects.filter(tenant=owner.tenant).values_list("pk", flat=True)}
        assert set(callers.accepted.values()) <= rows
        assert len(set(callers.accepted.values())) == len(callers.accepted)
        return Figures(len(callers.accepted), healed)

    return inflict


row("PostgreSQL", "stopped for a minute: health answers, the rest is refused within seconds")(_stopped("postgres"))
row("Redis", "stopped for a minute: health and polls answer within a second")(_stopped("valkey"))
row("SQS", "stopped for a minute, S3 with it: health and polls answer within a second")(_stopped("ministack"))
