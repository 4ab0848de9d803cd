"""Who is calling. Every way a key can be wrong has the same answer."""

from django.http import HttpRequest
from django.utils import timezone

from runs import keys
from runs.api.problems import AUTH_INVALID
from runs.models import Tenant

_SCHEME = "bearer"


def authenticate(request: HttpRequest) -> Tenant:
    scheme, _, text = request.headers.get("Authorization", "").partition(" ")
    now = timezone.now()
    key = keys.find(text.strip(), now=now) if scheme.lower() == _SCHEME else None
    if key is None:
        raise AUTH_INVALID.error("The Authorization header carries no valid API key.")
    keys.touch(key, now=now)
    request.tenant = key.tenant  # type: ignore[attr-defined]
    return key.tenant
