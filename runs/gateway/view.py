"""GET /v1/runs/{run_id}/events, up to the point where the stream begins; checked as GET /v1/runs/{run_id} is."""

from django.http import HttpResponse
from rest_framework.renderers import BaseRenderer, JSONRenderer
from rest_framework.request import Request

from runs.api.api_view import ApiView, tenant_of
from runs.api.call import call_of
from runs.api.openapi import operations
from runs.api.problems import DEPENDENCY_UNAVAILABLE
from runs.api.runs import unexpired_run
from runs.gateway import resume, sse
from runs.gateway.resume import Start
from runs.models import ApiKey


class StreamAccepted(HttpResponse):
    """Headers of a stream whose body the gateway sends."""

    def __init__(self, start: Start, api_key: ApiKey) -> None:
        super().__init__(content_type=sse.MEDIA_TYPE)
        self.start = start
        self.api_key_id = api_key.pk
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

    @operations.STREAM_EVENTS
    def get(self, request: Request, run_id: str) -> HttpResponse:
        http = request._request
        run = unexpired_run(http, tenant_of(request), run_id)
        if getattr(http, "gateway_is_full", False):
            raise DEPENDENCY_UNAVAILABLE.error("As many listeners as this gateway serves are connected.")
        start = resume.start_of(http, run)
        # A browser comes back after the end of a stream; 204 is how it learns that there is no more.
        if start.has_all:
            return HttpResponse(status=204)
        api_key = call_of(http).api_key
        assert api_key is not None, "authenticated above"
        return StreamAccepted(start, api_key)
