"""What an operator may say about caches. The rest of the numbers is locked in `packs.cache.limits`."""

from dataclasses import dataclass, replace

from dpp_project.env import Env
from packs.cache.limits import CACHE, MIB, CacheLimits


@dataclass(frozen=True)
class Configuration:
    limits: CacheLimits
    keep_documents_in_l3: bool
    """Full copies of other people's pages in our object storage: only if an operator asks for them."""


def configuration(env: Env | None = None) -> Configuration:
    env = env or Env()
    limits = replace(
        CACHE,
        host_slots=env.integer("DPP_FETCH_HOST_SLOTS", CACHE.host_slots, least=1, most=100),
        redis_total_max_bytes=MIB
        * env.integer("DPP_CACHE_REDIS_MAX_MIB", CACHE.redis_total_max_bytes // MIB, least=1, most=65_536),
    )
    return Configuration(limits, keep_documents_in_l3=env.flag("DPP_CACHE_L3_DOCUMENTS", False))
