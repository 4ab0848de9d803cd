"""`meta.cache` of an envelope: what was hit, and where."""

from collections.abc import Collection, Mapping

from packs.base import JsonObject
from packs.cache.envelope import Source


def cache_report(sources: Mapping[str, Source], degraded: Collection[str]) -> JsonObject:
    """`sources`: each URL that was asked for, and where its document came from. A failed fetch is a miss."""
    misses = sum(source is Source.MISS for source in sources.values())
    return {
        "hits": len(sources) - misses,
        "misses": misses,
        "degraded": len(degraded),
        "documents": [{"url": url, "source": str(source)} for url, source in sources.items()],
    }
