"""Names of the documents' keys in Redis: copies, places at hosts, leases."""

from dpp_project.redis import Store
from packs.cache.entry_keys import CacheKey

# What the cache holds, for its own accounting: by age, by end of life, and in bytes. In a cluster each group of entries
# has accounts of its own, and its share of the space.
AGES = "cache:ages"
ENDS = "cache:ends"
SIZES = "cache:sizes"
# Documents that lie in object storage on their way to other processes: their names, and when each is to be removed.
HANDOVERS = "cache:handovers"


def entry(key: CacheKey) -> str:
    return Store.CACHE.key(f"cache:entry:{key.digest}", of=key.digest)


def accounts(key: CacheKey) -> list[str]:
    return [Store.CACHE.key(name, of=key.digest) for name in (AGES, ENDS, SIZES)]


def host_slots(host: str) -> str:
    return f"slots:{host}"


def lease(scope: str, digest: str) -> str:
    return f"lock:{scope}:{digest}"
