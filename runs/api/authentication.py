"""Who is calling. Every way a key can be wrong has the same answer.

Failures are counted per client address. Once there are too many, a key from there reaches the database only if its
prefix is one of ours: guessing costs us nothing, and a customer behind the same address still gets in.
"""

from datetime import datetime

from django.http import HttpRequest
from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request

from dpp_project import clock
from runs.access import api_keys, limits
from runs.access.limits import Gate, RateLimited
from runs.api import guards
from runs.api.call import call_of
from runs.api.client_address import client_address
from runs.api.problems import AUTH_INVALID, KEY_NOT_ALLOWED, ProblemError
from runs.models import ApiKey, Tenant

# Where a request that has been counted before it came here carries its gate. No header can have this name.
GATE = "dpp.gate"


class ApiKeyAuthentication(BaseAuthentication):
    """`request.user` is the key's tenant, `request.auth` the gate to its limits; both are noted for the middleware."""

    def authenticate(self, request: Request) -> tuple[Tenant, Gate]:
        now = clock.now()
        http = request._request
        key = guards.recent_key(http.META, now=now) or _look_up(http, now)
        # Told apart from no other way in which a key can be wrong: whoever stole it learns nothing.
        if not guards.is_allowed_address(key, http.META):
            raise _refused()
        api_keys.touch(key, now=now)
        call = call_of(http)
        call.api_key = key
        call.tenant, call.gate = key.tenant, http.META.get(GATE) or Gate(key.tenant)
        if not guards.is_allowed_method(key, http.META):
            raise KEY_NOT_ALLOWED.error("This key only reads.")
        return call.tenant, call.gate

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"


def _look_up(http: HttpRequest, now: datetime) -> ApiKey:
    text, address = guards.bearer(http.META), client_address(http)
    if api_keys.is_well_formed(text):
        if (limited := limits.keys_are_limited(address)) and not api_keys.prefix_is_known(text):
            raise RateLimited(limited)
        key = api_keys.find(text, now=now)
        if key is not None:
            return key
    limits.key_failed(address)
    raise _refused()


def _refused() -> ProblemError:
    return AUTH_INVALID.error("The Authorization header carries no valid API key.")
