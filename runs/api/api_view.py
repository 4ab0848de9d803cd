"""What all views under /v1 share, on the hooks of the framework."""

from typing import Any, NoReturn, cast

from django.http import HttpRequest
from django.utils.http import parse_etags
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle
from rest_framework.views import APIView

from runs.access.limits import Gate
from runs.api.call import call_of
from runs.api.problems import METHOD_NOT_ALLOWED
from runs.models import ApiKey, Tenant


class ApiRequest(Request):
    """Reads the body also where it is empty, which the framework would take for no fault of the caller."""

    @property
    def content_type(self) -> str:  # type: ignore[override]
        """As Django has read it: what cannot be read is no type."""
        return self._request.content_type or ""

    def _load_stream(self) -> None:
        self._stream = self._request  # type: ignore[assignment]


class PollThrottle(BaseThrottle):
    """Counts the request among the tenant's polls. Over the limit it raises."""

    def allow_request(self, request: Request, view: APIView) -> bool:
        gate_of(request).poll()
        return True


class ApiView(APIView):
    # No OPTIONS page: there is /docs for that.
    http_method_names = ["get", "head", "post"]
    throttle_classes = [PollThrottle]

    @property
    def default_response_headers(self) -> dict[str, str]:
        """None. The framework would put Allow and Vary on every answer."""
        return {}

    def initialize_request(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Request:
        return ApiRequest(
            request,
            parsers=self.get_parsers(),
            authenticators=self.get_authenticators(),
            negotiator=self.get_content_negotiator(),
            parser_context=self.get_parser_context(request),
        )

    def perform_authentication(self, request: Request) -> None:
        """A method that there is not is said to everybody, before a key is looked at."""
        if request.method not in self.allowed_methods:
            self.http_method_not_allowed(request)
        super().perform_authentication(request)

    def http_method_not_allowed(self, request: HttpRequest | Request, *args: Any, **kwargs: Any) -> NoReturn:
        error = METHOD_NOT_ALLOWED.error("The method is not allowed for this path.")
        error.headers["Allow"] = ", ".join(self.allowed_methods)
        raise error


class OpenView(ApiView):
    """For everybody: no key, no limits."""

    authentication_classes = []
    throttle_classes = []


def tenant_of(request: Request) -> Tenant:
    return cast(Tenant, request.user)


def key_of(request: Request) -> ApiKey:
    key = call_of(request._request).api_key
    assert key is not None, "authentication has noted it"
    return key


def gate_of(request: Request) -> Gate:
    """To the limits of the caller's tenant."""
    return cast(Gate, request.auth)


def is_known(etag: str, if_none_match: str) -> bool:
    """Compared weakly, as RFC 9110 has it here: a cache on the way may have made a tag of ours weak."""
    return not {etag, "*"}.isdisjoint(tag.removeprefix("W/") for tag in parse_etags(if_none_match))
