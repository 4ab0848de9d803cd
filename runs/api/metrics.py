"""GET /metrics"""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST, REGISTRY, generate_latest

from dpp_project.metrics_port import registry
from runs.live_metrics import LiveCollector

# What is true of the whole platform just now (queue, jobs, disputes), asked for when somebody looks.
_LIVE = LiveCollector()
REGISTRY.register(_LIVE)


@csrf_exempt
@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """Of this process, or, where processes share a directory, the sum over all of them."""
    asked = registry()
    if asked is not REGISTRY:
        asked.register(_LIVE)
    return HttpResponse(generate_latest(asked), content_type=CONTENT_TYPE_LATEST)
