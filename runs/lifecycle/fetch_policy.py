"""What the operator's settings let runs fetch: asked at submit about a URL's text, and by the worker's fetcher."""

import functools

from django.conf import settings

from packs.fetch import FetchPolicy
from packs.fetch.policy import parse_networks, refuse_literal


@functools.cache
def fetch_policy() -> FetchPolicy:
    return FetchPolicy(
        allow_http=settings.FETCH_ALLOW_HTTP,
        allow_hosts=frozenset(settings.FETCH_ALLOW_HOSTS),
        deny_hosts=frozenset(settings.FETCH_DENY_HOSTS),
        deny_networks=parse_networks(settings.FETCH_DENY_NETWORKS),
    )


def url_refusal(url: str) -> str | None:
    """Why this URL may never be fetched, or None. Looks nothing up."""
    refusal = refuse_literal(url, fetch_policy())
    return refusal.detail if refusal else None
