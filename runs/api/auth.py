"""Who is calling. Every way a key can be wrong has the same answer.

Failures are counted per client address. Once there are too many, a key from there reaches the database only if its
prefix is one of ours: guessing costs us nothing, and a customer behind the same address still gets in.
"""

from datetime import datetime

from django.http import HttpRequest
from django.utils import timezone

from runs import key_prefixes, keys, limits
from runs.api.call import call_of
from runs.api.client_address import client_address
from runs.api.problems import AUTH_INVALID
from runs.limits import Gate, RateLimited
from runs.models import ApiKey, Tenant

# Where a request that has been counted before it came here carries its gate. No header can have this name.
GATE = "dpp.gate"

_SCHEME = "bearer"


def authenticate(request: HttpRequest) -> tuple[Tenant, Gate]:
    """The caller's tenant and the gate to its limits, both noted on the request."""
    now = timezone.now()
    text = bearer(request.headers.get("Authorization", ""))
    key = keys.find_cached(text, now=now) or _look_up(text, client_address(request), now)
    keys.touch(key, now=now)
    call = call_of(request)
    call.tenant, call.gate = key.tenant, request.META.get(GATE) or Gate(key.tenant)
    return key.tenant, call.gate


def admit_reader(request: HttpRequest) -> Tenant:
    """Authenticate, then count the request among the tenant's polls."""
    tenant, gate = authenticate(request)
    gate.poll()
    return tenant


def _look_up(text: str, address: str, now: datetime) -> ApiKey:
    if keys.is_well_formed(text):
        if limits.logins_are_limited(address) and not key_prefixes.is_known(text):
            raise RateLimited
        key = keys.find(text, now=now)
        if key is not None:
            return key
    limits.login_failed(address)
    raise AUTH_INVALID.error("The Authorization header carries no valid API key.")


def bearer(authorization: str) -> str:
    """The key in this header; empty if it is of another kind."""
    scheme, _, text = authorization.partition(" ")
    return text.strip() if scheme.lower() == _SCHEME else ""
