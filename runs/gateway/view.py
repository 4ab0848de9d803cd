"""GET /v1/runs/{run_id}/events, up to the point where the stream begins; checked as GET /v1/runs/{run_id} is. And
GET /v1/runs/{run_id} itself, up to the point where a caller of `?wait=` begins to wait."""

from django.http import HttpResponse
from rest_framework.renderers import BaseRenderer, JSONRenderer
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from runs.api.api_view import ApiView, tenant_of
from runs.api.call import call_of
from runs.api.openapi import operations
from runs.api.problems import DEPENDENCY_UNAVAILABLE
from runs.api.runs import RunView, unexpired_run
from runs.api.serializers.query import Wait
from runs.gateway import resume, sse
from runs.gateway.resume import Start
from runs.models import ApiKey, Run


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


class WaitAccepted(HttpResponse):
    """Stands for an answer that the gateway holds back, without a thread; then the request is answered anew."""

    def __init__(self, start: Start, api_key: ApiKey, wait: Wait) -> None:
        super().__init__()
        self.start = start
        self.api_key_id = api_key.pk
        self.wait = wait


class WaitView(RunView):
    """The answers of the API; only that whoever waits holds no thread. Each request passes twice and counts once."""

    http_method_names = ["get", "head"]
    accepted: WaitAccepted | None = None

    def get(self, request: Request, run_id: str) -> HttpResponse:
        answer = super().get(request, run_id)
        return self.accepted or answer

    def get_throttles(self) -> list[BaseThrottle]:
        return [] if self._has_waited else super().get_throttles()

    def charges(self) -> bool:
        return not self._has_waited

    def has_changed_meanwhile(self, run: Run, wait: Wait) -> bool:
        http = self.request._request
        if not self._has_waited and not getattr(http, "gateway_is_full", False):
            api_key = call_of(http).api_key
            assert api_key is not None, "authenticated above"
            self.accepted = WaitAccepted(resume.start_of(http, run), api_key, wait)
        return False

    @property
    def _has_waited(self) -> bool:
        return getattr(self.request._request, "gateway_has_waited", False)
