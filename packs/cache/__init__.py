"""Caches for fetched documents and OCR pages: what an entry is, how it is named, in which order levels are asked.

Pure: knows neither Redis nor a database nor object storage. The levels that need them are in `runs.documents`.
"""

from packs.cache.documents import DegradedReason, Documents, Fetched, StandIn, Uncached
from packs.cache.entry_keys import CacheKey
from packs.cache.envelope import CacheEnvelope, Seal, Source
from packs.cache.limits import CACHE, CacheLimits

__all__ = [
    "CACHE",
    "CacheEnvelope",
    "CacheKey",
    "CacheLimits",
    "DegradedReason",
    "Documents",
    "Fetched",
    "Seal",
    "Source",
    "StandIn",
    "Uncached",
]
