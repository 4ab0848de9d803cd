"""Who is calling. Every way a key can be wrong has the same answer.

Failures are counted per client address. Once there are too many, a key from there reaches the database only if its
prefix is one of ours: guessing costs us nothing, and a customer behind the same address still gets in.
"""

from datetime import datetime

from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request

from dpp_project import clock
from runs.access import api_keys, limits
from runs.access.key_restrictions import is_allowed_from
from runs.access.limits import Gate, RateLimited
from runs.api.call import call_of
from runs.api.client_address import client_address, exact_address
from runs.api.problems import AUTH_INVALID, KEY_NOT_ALLOWED, ProblemError
from runs.models import ApiKey, Tenant

# Where a request that has been counted before it came here carries its gate. No header can have this name.
GATE = "dpp.gate"

_SCHEME = "bearer"
_READING = ("GET", "HEAD")


class ApiKeyAuthentication(BaseAuthentication):
    """`request.user` is the key's tenant, `request.auth` the gate to its limits; both are noted for the middleware."""

    def authenticate(self, request: Request) -> tuple[Tenant, Gate]:
        now = clock.now()
        http = request._request
        text = bearer(http.headers.get("Authorization", ""))
        key = api_keys.find_cached(text, now=now) or _look_up(text, client_address(http), now)
        # Told apart from no other way in which a key can be wrong: whoever stole it learns nothing.
        if key.allowed_networks and not is_allowed_from(key, exact_address(http)):
            raise _refused()
        api_keys.touch(key, now=now)
        call = call_of(http)
        call.api_key = key
        call.tenant, call.gate = key.tenant, http.META.get(GATE) or Gate(key.tenant)
        if key.read_only and http.method not in _READING:
            raise KEY_NOT_ALLOWED.error("This key only reads.")
        return call.tenant, call.gate

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"


def _look_up(text: str, address: str, now: datetime) -> ApiKey:
    if api_keys.is_well_formed(text):
        if limits.keys_are_limited(address) and not api_keys.prefix_is_known(text):
            raise RateLimited
        key = api_keys.find(text, now=now)
        if key is not None:
            return key
    limits.key_failed(address)
    raise _refused()


def _refused() -> ProblemError:
    return AUTH_INVALID.error("The Authorization header carries no valid API key.")


def bearer(authorization: str) -> str:
    """The key in this header; empty if it is of another kind."""
    scheme, _, text = authorization.partition(" ")
    return text.strip() if scheme.lower() == _SCHEME else ""
