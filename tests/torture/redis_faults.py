"""Redis forgets, dies, lags, fills up. Submits answer 503, never 402; afterwards not a micro is lost or invented."""

import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable

from budget import redis_keys, scripts
from dpp_project.redis import client
from runs.models import Run
from tests.builders import Customer, fresh_key
from tests.processes import CLONE
from tests.torture.bench import Bench, Sent
from tests.torture.processes import RespawningApi
from tests.torture.proxy import Proxy
from tests.torture.table import Figures, Inflict, Size, row

_SECTION = "Redis"

Fault = Callable[[Bench], None]


def _during_load(bench: Bench, size: Size, fault: threading.Thread) -> tuple[Customer, list[Sent], float]:
    """So many runs are live when the workers begin and the fault strikes; meanwhile clients submit more."""
    owner = bench.customer()
    with bench.without_worker():
        sent = bench.submit_many(owner, size.live_runs)
    fault.start()
    sent += bench.submit_many(owner, size.live_runs // 4)
    fault.join()
    healed = bench.healed(owner, since=time.monotonic(), within=180)
    assert (
        len({each.run_id for each in sent})
        == Run.objects.filter(tenant=owner.tenant, idempotency_released=False).count()
    )
    return owner, sent, healed


def _under_load(*, seconds: float, times: int) -> Callable[[Fault], Inflict]:
    def decorate(fault: Fault) -> Inflict:
        def inflict(bench: Bench, size: Size) -> Figures:
            def repeat() -> None:
                for _ in range(times):
                    time.sleep(seconds)
                    fault(bench)

            _, _, healed = _during_load(bench, size, threading.Thread(target=repeat))
            return Figures(times, healed)

        return inflict

    return decorate


def _flushall(bench: Bench) -> None:
    client().flushall()


def _killed(bench: Bench) -> None:
    bench.services.valkey.kill()
    time.sleep(1)
    bench.services.valkey.start()
    bench.services.valkey.wait_ready()


def _restarted_empty(bench: Bench) -> None:
    bench.services.valkey.kill()
    shutil.rmtree(bench.services.valkey.data)
    bench.services.valkey.start()
    bench.services.valkey.wait_ready()


def _holds_deleted(bench: Bench) -> None:
    for key in list(client().scan_iter("reserve:*", count=100))[:10]:
        client().delete(key)


def _scripts_flushed(bench: Bench) -> None:
    client().script_flush()


def _clock_an_hour_ahead(bench: Bench) -> None:
    """Every hold looks an hour older than it is."""
    for index in (*redis_keys.all_open_holds(), *redis_keys.all_unsent()):
        for run_id in client().zrange(index, 0, -1):
            client().zincrby(index, -3_600_000, str(run_id))


row(_SECTION, "FLUSHALL, three times, with runs in flight", fast=True)(_under_load(seconds=0.8, times=3)(_flushall))
row(_SECTION, "kill -9 under load (the last second is gone)")(_under_load(seconds=1, times=1)(_killed))
row(_SECTION, "restarted empty under load")(_under_load(seconds=1, times=1)(_restarted_empty))
row(_SECTION, "reservation keys deleted by hand")(_under_load(seconds=0.5, times=4)(_holds_deleted))
row(_SECTION, "SCRIPT FLUSH under load")(_under_load(seconds=0.3, times=5)(_scripts_flushed))
row(_SECTION, "host clock + 1 h")(_under_load(seconds=0.4, times=4)(_clock_an_hour_ahead))


@row(_SECTION, "timeout after the script applied")
def answers_lost(bench: Bench, size: Size) -> Figures:
    """Redis obeys, the API hears nothing for two seconds and a half: it answers 503, and the hold comes back."""
    owner = bench.customer()
    proxy = Proxy(bench.services.valkey.port)
    address = bench.services.valkey.url.replace(f":{bench.services.valkey.port}", f":{proxy.port}")
    slowest = 0.0
    tries = max(size.kills // 4, 1)
    with bench.with_process(RespawningApi({**bench.environment, "REDIS_URL": address})) as api:
        bench.submit(owner, api=api)
        for number in range(tries):
            key = fresh_key()
            with proxy.swallowing_answers():
                answer = bench.try_submit(owner, key, api=api)
                assert answer is None or answer.status == 503, answer.text
            ended = time.monotonic()
            if number % 2 == 0:
                bench.submit(owner, key=key, api=api)
            slowest = max(slowest, bench.healed(owner, since=ended))
    proxy.close()
    return Figures(tries, slowest)


@row(_SECTION, "down; submits answer 503, running packs settle afterwards")
def down(bench: Bench, size: Size) -> Figures:
    owner = bench.customer()
    bench.crash_points.arm("run.executed=pause:3")
    running = bench.submit(owner)
    bench.crashed()
    bench.services.valkey.kill()
    try:
        for _ in range(5):
            answer = bench.try_submit(owner, fresh_key())
            assert answer is not None
            assert answer.status == 503, answer.text
        # Longer than lease and claim age: the outage outlasts every first attempt to finish.
        time.sleep(8)
    finally:
        bench.services.valkey.start()
        bench.services.valkey.wait_ready()
    bench.crash_points.disarm()
    healed = bench.healed(owner, since=time.monotonic())
    bench.ended_as(running.run_id, "COMPLETED", None, 50_000)
    return Figures(1, healed)


@row(_SECTION, "maxmemory reached (fails closed)")
def full(bench: Bench, size: Size) -> Figures:
    owner = bench.customer()
    bench.crash_points.arm("run.executed=pause:2")
    running = bench.submit(owner)
    bench.crashed()
    bench.crash_points.disarm()
    before = scripts.snapshot(owner.id, [])
    client().config_set("maxmemory", "1")
    try:
        answer = bench.try_submit(owner, fresh_key())
        assert answer is not None
        assert answer.status == 503, answer.text
        assert scripts.snapshot(owner.id, []) == before
        time.sleep(3)
    finally:
        client().config_set("maxmemory", "0")
    ended = time.monotonic()
    bench.submit(owner)
    healed = bench.healed(owner, since=ended)
    bench.ended_as(running.run_id, "COMPLETED", None, 50_000)
    return Figures(1, healed)


@row(_SECTION, "an evicting policy (nothing starts)")
def evicting(bench: Bench, size: Size) -> Figures:
    client().config_set("maxmemory-policy", "allkeys-lru")
    try:
        for program in (
            [sys.executable, "-c", "import dpp_project.wsgi"],
            [sys.executable, "-m", "celery", "-A", "dpp_project", "worker", "--concurrency", "1"],
        ):
            result = subprocess.run(
                program, cwd=CLONE, env={**os.environ, **bench.environment}, capture_output=True, text=True, timeout=60
            )
            assert result.returncode != 0
            assert "maxmemory-policy allkeys-lru" in result.stdout + result.stderr
    finally:
        client().config_set("maxmemory-policy", "noeviction")
    return Figures(2, 0.0)
