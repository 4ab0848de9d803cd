"""Django's own middleware, where it must not act on every request.

What only pages in a browser need (sessions, forms, messages) leaves the requests of agents alone. The Host header is
checked, but not where it is asked by address: balancers and scrapers know no public name.
"""

from typing import Any

from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.messages.middleware import MessageMiddleware
from django.contrib.sessions.middleware import SessionMiddleware
from django.http import HttpRequest, HttpResponse, HttpResponsePermanentRedirect
from django.middleware.clickjacking import XFrameOptionsMiddleware
from django.middleware.common import CommonMiddleware
from django.middleware.csrf import CsrfViewMiddleware

from runs.api import guards
from runs.api.problems import ProblemError

AGENTS = "/v1/"

# Their answers tell nothing of the host.
_ASKED_BY_ADDRESS = frozenset({"/healthz", "/readyz", "/metrics"})


class Hosts(CommonMiddleware):
    def process_request(self, request: HttpRequest) -> HttpResponsePermanentRedirect | None:
        """What is not for us, Django's own refuses."""
        passes = request.path_info in _ASKED_BY_ADDRESS or guards.host_is_ours(request.META)
        return None if passes else super().process_request(request)


class _NotForAgents:
    get_response: Any

    def __call__(self, request: HttpRequest) -> Any:
        if request.path_info.startswith(AGENTS):
            return self.get_response(request)
        return super().__call__(request)  # type: ignore[misc]


class Sessions(_NotForAgents, SessionMiddleware):
    pass


class Csrf(_NotForAgents, CsrfViewMiddleware):
    def process_view(self, request: HttpRequest, *args: Any) -> Any:
        if request.path_info.startswith(AGENTS):
            return None
        try:
            return super().process_view(request, *args)
        except ProblemError as error:
            # It reads the form, the first to do so, and there was no place to read it in (`bodies`).
            return HttpResponse(
                error.detail, status=error.problem.status, headers=error.headers, content_type="text/plain"
            )


class Users(_NotForAgents, AuthenticationMiddleware):
    pass


class Messages(_NotForAgents, MessageMiddleware):
    pass


class Frames(_NotForAgents, XFrameOptionsMiddleware):
    pass


# Everything comes from us, in files: a script that somebody smuggles into a page is not run.
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)


class ContentSecurity:
    """A page that needs another policy brings it along."""

    def __init__(self, get_response: Any) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> Any:
        response = self.get_response(request)
        if not request.path_info.startswith(AGENTS):
            response.headers.setdefault("Content-Security-Policy", _POLICY)
        return response
