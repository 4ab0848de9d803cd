"""GET /metrics, on a port of its own: what the platform counts is nothing for its callers.

Only a development machine may serve it beside the API, where nobody else can reach either.
"""

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST, REGISTRY, CollectorRegistry, generate_latest

from dpp_project.metrics_port import registry
from runs.reports.live_metrics import LiveCollector

# What is true of the whole platform just now (queue, jobs, disputes), asked for when somebody looks.
_LIVE = LiveCollector()
REGISTRY.register(_LIVE)


@csrf_exempt
@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """Of this process, or, where processes share a directory, the sum over all of them."""
    if settings.IN_PRODUCTION or settings.API_METRICS_PORT:
        raise Http404
    return HttpResponse(generate_latest(whole_registry()), content_type=CONTENT_TYPE_LATEST)


def whole_registry() -> CollectorRegistry:
    asked = registry()
    if asked is not REGISTRY:
        asked.register(_LIVE)
    return asked
