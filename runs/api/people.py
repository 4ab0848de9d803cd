"""Middleware that only pages for people need (sessions, forms, messages): requests of agents pass it by."""

from typing import Any

from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.messages.middleware import MessageMiddleware
from django.contrib.sessions.middleware import SessionMiddleware
from django.http import HttpRequest, HttpResponse
from django.middleware.clickjacking import XFrameOptionsMiddleware
from django.middleware.csrf import CsrfViewMiddleware

from runs.api.problems import ProblemError

AGENTS = "/v1/"


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
