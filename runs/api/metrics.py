"""GET /metrics"""

import os

from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST, REGISTRY, CollectorRegistry, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

from runs.live_metrics import LiveCollector

# What is true of the whole platform just now (queue, jobs, disputes), asked for when somebody looks.
_LIVE = LiveCollector()
REGISTRY.register(_LIVE)


@csrf_exempt
@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """Of this process, or, where processes share a directory, the sum over all of them."""
    registry = REGISTRY
    if os.environ.get("PROMETHEUS_MULTIPROC_DIR"):
        registry = CollectorRegistry()
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        registry.register(_LIVE)
    return HttpResponse(generate_latest(registry), content_type=CONTENT_TYPE_LATEST)
