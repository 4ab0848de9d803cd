"""What packs may use of the world, built once per process from the settings."""

import functools
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, cast

from django.conf import settings

from dpp_project.profile import PROFILE
from packs.fetch import SmartFetcher
from packs.llm import LlmSettings
from packs.llm.settings import OutputLimitName, ResponseFormat
from runs.documents.services import document_services
from runs.lifecycle.fetch_policy import fetch_policy, revoked_certificates


@functools.cache
def pack_services() -> Mapping[str, Any]:
    fetcher = SmartFetcher(policy=fetch_policy(), revoked=revoked_certificates())
    files = replace(fetcher, policy=replace(fetcher.policy, max_body_bytes=PROFILE.fetch_max_file_bytes))
    services: dict[str, Any] = {"fetcher": fetcher, "file_fetcher": files, **document_services(fetcher)}
    if settings.LLM_BASE_URL:
        # Imported here: a worker without a model need not load the vendor's client.
        from packs.llm.openai_client import OpenAiModel

        services["llm"] = OpenAiModel(llm_settings(settings.LLM_BASE_URL))
    return MappingProxyType(services)


def llm_settings(base_url: str) -> LlmSettings:
    return LlmSettings(
        base_url=base_url,
        model=settings.LLM_MODEL,
        api_key=settings.LLM_API_KEY,
        timeout_sec=settings.LLM_TIMEOUT_SEC,
        max_output_tokens=settings.LLM_MAX_OUTPUT_TOKENS,
        max_input_bytes=settings.LLM_MAX_INPUT_BYTES,
        temperature=0.0 if settings.LLM_SEND_TEMPERATURE else None,
        output_limit_name=cast(OutputLimitName, settings.LLM_OUTPUT_LIMIT_NAME),
        response_format=cast(ResponseFormat, settings.LLM_RESPONSE_FORMAT),
        stream=settings.LLM_STREAM,
    )
