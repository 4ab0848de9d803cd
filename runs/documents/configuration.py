"""What an operator may say about caches, of the settings. The rest of the numbers is locked in `packs.cache.limits`."""

from dataclasses import dataclass, replace

from django.conf import settings

from packs.cache.limits import CACHE, MIB, CacheLimits


@dataclass(frozen=True)
class Configuration:
    limits: CacheLimits
    keep_documents_in_l3: bool


def configuration() -> Configuration:
    limits = replace(
        CACHE,
        host_slots=settings.FETCH_HOST_SLOTS,
        redis_total_max_bytes=MIB * settings.CACHE_REDIS_MAX_MIB,
    )
    return Configuration(limits, keep_documents_in_l3=settings.CACHE_L3_DOCUMENTS)
