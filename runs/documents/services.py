"""The document services of a process, put together from the settings."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from django.conf import settings
from django.utils import timezone

from dpp_project.cool_down import CoolDown
from packs.cache import Seal
from packs.cache.document_cache import DocumentCache
from packs.cache.entry_keys import policy_flags
from packs.cache.levels import Layers
from packs.cache.memory import Memory
from packs.cache.model_answers import ModelAnswerCache
from packs.cache.pages import PageCache
from packs.fetch import SmartFetcher
from runs.documents.configuration import Configuration, configuration
from runs.documents.fetch_once import FetchOnce
from runs.documents.handover import Handover
from runs.documents.leases import lease
from runs.documents.object_level import ObjectLevel
from runs.documents.redis_level import RedisLevel
from runs.documents.slots import HostSlots


def document_services(
    fetcher: SmartFetcher, chosen: Configuration | None = None, *, now: Callable[[], datetime] = timezone.now
) -> Mapping[str, Any]:
    """`documents`, `model_answers` and `page_cache`. Nothing is connected before it is used."""
    chosen = chosen or configuration()
    limits = chosen.limits
    seal = Seal(settings.SECRET_KEY.encode())
    in_redis = RedisLevel(seal, limits, CoolDown(limits.cool_down_sec))
    memory, in_objects = Memory(limits), ObjectLevel(seal, limits)
    handover = Handover(in_redis, seal, limits)
    documents = Layers(memory, [handover, in_objects] if chosen.keep_documents_in_l3 else [handover])
    return {
        "documents": FetchOnce(
            fetcher,
            DocumentCache(documents, seal, limits),
            HostSlots(limits),
            policy=policy_flags(fetcher.policy),
            limits=limits,
            now=now,
        ),
        # Answers hold the tenant's own words: minutes to hours in Redis, never in object storage.
        "model_answers": ModelAnswerCache(Layers(memory, [in_redis]), seal, limits, now),
        "page_cache": PageCache(Layers(memory, [in_redis, in_objects]), seal, lease, limits, now),
    }
