"""What the operator's settings let us connect to: asked about a URL's text when it is given, and by every fetcher."""

import functools
from dataclasses import replace
from pathlib import Path

from django.conf import settings

from dpp_project.env import BadEnvironment
from packs.fetch import FetchPolicy
from packs.fetch.policy import parse_networks, refuse_literal
from packs.fetch.transport import RevokedCertificates


@functools.cache
def fetch_policy() -> FetchPolicy:
    return FetchPolicy(
        allow_http=settings.FETCH_ALLOW_HTTP,
        allow_hosts=frozenset(settings.FETCH_ALLOW_HOSTS),
        deny_hosts=frozenset(settings.FETCH_DENY_HOSTS),
        deny_networks=parse_networks(settings.FETCH_DENY_NETWORKS),
    )


@functools.cache
def webhook_policy() -> FetchPolicy:
    """For addresses of customers that are told of events. The list of sites that may be read says nothing of them."""
    return replace(fetch_policy(), allow_hosts=frozenset(), user_agent="DPP-Webhooks/0.4")


def url_refusal(url: str) -> str | None:
    """Why this URL may never be fetched, or None. Looks nothing up."""
    refusal = refuse_literal(url, fetch_policy())
    return refusal.detail if refusal else None


def revoked_certificates() -> RevokedCertificates | None:
    """The operator's revocation lists, if there are any. Lists that cannot be read stop the start."""
    if settings.FETCH_CRL_FILE is None:
        return None
    # Imported here: who has no lists need not load what reads certificates.
    from packs.fetch.revocation import RevocationLists

    try:
        return RevocationLists(Path(settings.FETCH_CRL_FILE))
    except (OSError, ValueError) as error:
        raise BadEnvironment(
            f"DPP_FETCH_CRL_FILE={settings.FETCH_CRL_FILE!r} is no file of revocation lists (PEM): {error}"
        ) from error
