"""Names of the documents' keys in Redis: copies, places at hosts, leases."""

from packs.cache.entry_keys import CacheKey

# What the cache holds, for its own accounting: by age, by end of life, and in bytes.
AGES = "cache:ages"
ENDS = "cache:ends"
SIZES = "cache:sizes"
# Documents that lie in object storage on their way to other processes: their names, and when each is to be removed.
HANDOVERS = "cache:handovers"


def entry(key: CacheKey) -> str:
    return f"cache:entry:{key.digest}"


def host_slots(host: str) -> str:
    return f"slots:{host}"


def lease(scope: str, digest: str) -> str:
    return f"lock:{scope}:{digest}"
