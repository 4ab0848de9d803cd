"""GET /v1/runs/{run_id}/events, up to the point where the stream begins: the same door as GET /v1/runs/{run_id}."""

from django.http import HttpResponse
from rest_framework.renderers import BaseRenderer, JSONRenderer
from rest_framework.request import Request

from runs.api.answers import ApiView
from runs.api.auth import admit_reader
from runs.api.problems import DEPENDENCY_UNAVAILABLE
from runs.api.runs import unexpired_run
from runs.events import resume, sse
from runs.events.resume import Start


class StreamAccepted(HttpResponse):
    """Headers of a stream whose body the gateway sends."""

    def __init__(self, start: Start) -> None:
        super().__init__(content_type=sse.MEDIA_TYPE)
        self.start = start
        self["Cache-Control"] = "no-store"
        # Proxies that collect an answer before they pass it on would make a stream of one piece.
        self["X-Accel-Buffering"] = "no"


class _EventStream(BaseRenderer):
    """Only so that `Accept: text/event-stream` is acceptable here."""

    media_type = sse.MEDIA_TYPE
    format = "events"


class EventsView(ApiView):
    http_method_names = ["get", "head"]
    renderer_classes = [_EventStream, JSONRenderer]

    def get(self, request: Request, run_id: str) -> HttpResponse:
        http = request._request
        tenant = admit_reader(http)
        run = unexpired_run(http, tenant, run_id)
        if getattr(http, "gateway_is_full", False):
            raise DEPENDENCY_UNAVAILABLE.error("As many listeners as this gateway serves are connected.")
        start = resume.start_of(http, run)
        # A browser comes back after the end of a stream; 204 is how it learns that there is no more.
        return HttpResponse(status=204) if start.has_all else StreamAccepted(start)
