"""What a request must pass before it is answered, whichever way it takes: Django's or the poll lane's.

Both ask these functions, and neither has a rule of its own. They read the WSGI environ, which Django has as
`request.META`. The lane answers only what passes; a refusal is always Django's, so that it has one text.
"""

import functools
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.conf import settings
from django.http.request import split_domain_port, validate_host

from runs.access import api_keys
from runs.access.key_restrictions import is_allowed_from
from runs.api.client_address import exact_address
from runs.models import ApiKey

Environ = Mapping[str, Any]

_SCHEME = "bearer"
_READING = ("GET", "HEAD")

# Readers of cookies, types and lists of tags take a time that grows with the square of their length; the server hands
# on heads of 400 kB.
MAX_HEADER_CHARS = 8_192
# Where a request that had longer ones says so. No header can have this name.
HEAD_TOO_LARGE = "dpp.head_too_large"


def bound_head(environ: dict[str, Any]) -> None:
    """Before anybody reads them: headers that are too long are emptied, and the request is marked. It is refused."""
    too_long = [
        name
        for name, value in environ.items()
        if (name[:5] == "HTTP_" or name == "CONTENT_TYPE") and len(value) > MAX_HEADER_CHARS
    ]
    for name in too_long:
        environ[name] = ""
        environ[HEAD_TOO_LARGE] = True


def has_body(environ: Environ) -> bool:
    return "HTTP_TRANSFER_ENCODING" in environ or environ.get("CONTENT_LENGTH") not in (None, "", "0")


def has_no_length(environ: Environ) -> bool:
    """A body in chunks, whose length nobody knows beforehand: `body_length` says why it is refused."""
    return "HTTP_TRANSFER_ENCODING" in environ


def host_is_ours(environ: Environ) -> bool:
    return _is_one_of(environ.get("HTTP_HOST", ""), tuple(settings.ALLOWED_HOSTS))


@functools.lru_cache(maxsize=64)
def _is_one_of(host: str, allowed: tuple[str, ...]) -> bool:
    domain, _ = split_domain_port(host)
    return bool(domain) and validate_host(domain, allowed)


def came_over_tls(environ: Environ) -> bool:
    """As the proxy says in production. (Django's own middleware asks the same setting, and redirects the rest.)"""
    if not settings.SECURE_PROXY_SSL_HEADER:
        return True
    name, value = settings.SECURE_PROXY_SSL_HEADER
    return bool(environ.get(name) == value)


def bearer(environ: Environ) -> str:
    """The text of the API key; empty if the header is of another kind."""
    scheme, _, text = environ.get("HTTP_AUTHORIZATION", "").partition(" ")
    return text.strip() if scheme.lower() == _SCHEME else ""


def recent_key(environ: Environ, *, now: datetime) -> ApiKey | None:
    """The key of a caller who was here a moment ago: no look at the database."""
    return api_keys.find_cached(bearer(environ), now=now)


def is_allowed_address(key: ApiKey, environ: Environ) -> bool:
    return not key.allowed_networks or is_allowed_from(key, exact_address(environ))


def is_allowed_method(key: ApiKey, environ: Environ) -> bool:
    return not key.read_only or environ["REQUEST_METHOD"] in _READING
