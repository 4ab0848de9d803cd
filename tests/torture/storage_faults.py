"""S3 refuses, stores without answering, loses and damages objects."""

import time

from runs.models import Run
from storage import store
from tests.http import Api
from tests.processes import WorkerProcess
from tests.torture.bench import Bench
from tests.torture.proxy import Proxy
from tests.torture.table import Figures, Size, row

_SECTION = "S3"
_PUT = b"PUT /dpp-results"


def _through(proxy: Proxy, bench: Bench) -> dict[str, str]:
    return {**bench.environment, "AWS_ENDPOINT_URL": f"http://127.0.0.1:{proxy.port}"}


@row(_SECTION, "PUT refused; PUT stored but the answer lost")
def puts(bench: Bench, size: Size) -> Figures:
    owner = bench.customer()
    proxy = Proxy(bench.services.ministack.port)
    tries = max(size.kills // 4, 1)
    slowest = 0.0
    with bench.without_worker(), bench.with_process(WorkerProcess(_through(proxy, bench))):
        for _ in range(tries):
            with proxy.cutting(_PUT, forwarded=False, times=1_000) as cut:
                sent = bench.submit(owner)
                slowest = max(slowest, bench.healed(owner, since=time.monotonic()))
                assert cut.done >= 4, "tried again three times"
            bench.ended_as(sent.run_id, "FAILED", "STORAGE_WRITE_FAILED", 10_000)
            with proxy.cutting(_PUT, forwarded=True) as cut:
                sent = bench.submit(owner)
                slowest = max(slowest, bench.healed(owner, since=time.monotonic()))
                assert cut.done == 1
            bench.ended_as(sent.run_id, "COMPLETED", None, 50_000)
            run = Run.objects.get(pk=sent.run_id)
            assert store.read(run.result_key or "", sha256=run.result_sha256 or "")
    proxy.close()
    return Figures(2 * tries, slowest)


@row(_SECTION, "object deleted or damaged later (a problem, never a 500)")
def lost_later(bench: Bench, size: Size) -> Figures:
    owner = bench.customer()
    api = Api(bench.api.url, owner)
    for harm in ("deleted", "damaged"):
        answer = api.submit(_inline(), key=f"storage-{harm}-{time.monotonic_ns()}")
        assert answer.status == 202, answer.text
        bench.healed(owner, since=time.monotonic())
        run = Run.objects.get(pk=answer.json["run_id"])
        if harm == "deleted":
            store.delete([run.result_key or ""])
        else:
            store.put(run.result_key or "", b"{}", mime=store.JSON_MIME)
        shown = api.get(f"/v1/runs/{run.pk}")
        assert shown.status == 503, shown.text
        assert shown.json["reason_code"] == "RESULT_UNAVAILABLE"
    return Figures(2, bench.healed(owner, since=time.monotonic()))


def _inline() -> dict[str, object]:
    from tests.builders import body

    return body(options={"inline": 1})
