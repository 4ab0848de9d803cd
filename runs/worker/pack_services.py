"""What packs may use of the world, built once per process from the settings."""

import functools
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from django.conf import settings

from packs.fetch import FetchPolicy, SmartFetcher
from packs.fetch.policy import parse_networks
from packs.llm import LlmSettings
from runs.documents.services import document_services


@functools.cache
def pack_services() -> Mapping[str, Any]:
    fetcher = SmartFetcher(policy=fetch_policy())
    services: dict[str, Any] = {"fetcher": fetcher, **document_services(fetcher)}
    if settings.LLM_BASE_URL:
        # Imported here: a worker without a model need not load the vendor's client.
        from packs.llm.openai_client import OpenAiModel

        services["llm"] = OpenAiModel(
            LlmSettings(base_url=settings.LLM_BASE_URL, model=settings.LLM_MODEL, api_key=settings.LLM_API_KEY)
        )
    return MappingProxyType(services)


def fetch_policy() -> FetchPolicy:
    return FetchPolicy(
        allow_http=settings.FETCH_ALLOW_HTTP,
        allow_hosts=frozenset(settings.FETCH_ALLOW_HOSTS),
        deny_hosts=frozenset(settings.FETCH_DENY_HOSTS),
        deny_networks=parse_networks(settings.FETCH_DENY_NETWORKS),
    )
