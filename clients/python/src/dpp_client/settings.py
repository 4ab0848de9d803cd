"""What a client is given or finds in the environment: DPP_API_URL, DPP_API_KEY, DPP_EVENTS_URL."""

import os

import httpx

from dpp_client.exchange import Retries
from dpp_client.flows import Service
from dpp_client.verification import Jwks

VERSION = "0.4.2.2"
CONNECT_SEC = 10.0


class NotConfigured(ValueError):
    """An address or a key is missing."""


def service(
    base_url: str | None, api_key: str | None, *, events_url: str | None, retries: Retries | None, jwks: Jwks | None
) -> Service:
    base = base_url or os.environ.get("DPP_API_URL", "")
    if not base.startswith(("http://", "https://")):
        raise NotConfigured("The address of the service is not known: set DPP_API_URL to an http(s) address.")
    key = api_key or os.environ.get("DPP_API_KEY", "")
    if not key:
        raise NotConfigured("There is no API key: set DPP_API_KEY.")
    # The address of the events in the environment belongs to the address of the API there.
    events = events_url or (os.environ.get("DPP_EVENTS_URL", "") if not base_url else "") or base
    return Service(base.rstrip("/"), key, events.rstrip("/"), retries or Retries(), jwks)


def timeout(read_sec: float) -> httpx.Timeout:
    return httpx.Timeout(CONNECT_SEC, read=read_sec)


HEADERS = {"User-Agent": f"dpp-client/{VERSION}"}
