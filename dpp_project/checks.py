"""What must hold before a process starts: no evicting Redis, no changed profile, a database role that owns nothing."""

import logging
import os
from collections.abc import Sequence
from typing import Any

import redis
from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, register
from django.db import DatabaseError

from dpp_project.postgresql.roles import connected_role
from dpp_project.profile import EVENTS, LOCKED, LOCKED_EVENTS, PROFILE
from dpp_project.redis import Store, client

log = logging.getLogger("dpp.checks")


@register
def profile_is_locked(app_configs: Sequence[Any] | None, **kwargs: Any) -> list[CheckMessage]:
    changed = {
        "DPP_PROFILE_OVERRIDES": PROFILE != LOCKED,
        "DPP_FURTHER_PROFILES": bool(os.environ.get("DPP_FURTHER_PROFILES")),
        "DPP_EVENTS_OVERRIDES": EVENTS != LOCKED_EVENTS,
    }
    return [
        Error(
            f"{name} changes locked numbers.",
            hint="Unset it: only tests (DPP_ENV=test) may shorten the profile's times.",
            id="dpp.E001",
        )
        for name, is_changed in changed.items()
        if is_changed and settings.DPP_ENV != "test"
    ]


@register(Tags.database)
def redis_never_evicts(app_configs: Sequence[Any] | None, **kwargs: Any) -> list[CheckMessage]:
    """A server of the cache's or the limits' own may: what it forgets is asked for again, or counted anew."""
    holds = {Store.LEDGER: "a key that holds money", **({Store.EVENTS: "events"} if Store.EVENTS.is_apart else {})}
    policies = {store: _eviction_policy(store) for store in holds}
    return [
        Error(
            f"Redis runs with maxmemory-policy {policy}: it could evict {holds[store]}.",
            hint="Set `maxmemory-policy noeviction`.",
            id="dpp.E002",
        )
        for store, policy in policies.items()
        if policy not in (None, "noeviction")
    ]


@register(Tags.database)
def serving_role_is_confined(app_configs: Sequence[Any] | None, **kwargs: Any) -> list[CheckMessage]:
    if not settings.IN_PRODUCTION:
        return []
    try:
        role = connected_role()
    except DatabaseError as error:
        log.warning("database_role_unknown", extra={"dpp_fields": {"error": type(error).__name__}})
        return []
    if role.is_confined:
        return []
    return [
        Error(
            f"The database role {role.name} owns tables or may make itself a superuser.",
            hint="Serve with a role of its own: DATABASE_OWNER_URL and `manage.py setup_database`.",
            id="dpp.E003",
        )
    ]


def refuse_unsafe_start() -> None:
    """Called by every long-lived process at start. An unreachable server is no reason to refuse: it may come back."""
    for message in [*profile_is_locked(None), *redis_never_evicts(None), *serving_role_is_confined(None)]:
        raise SystemExit(f"{message.msg} {message.hint}")


def _eviction_policy(store: Store) -> str | None:
    # INFO, not CONFIG GET, which managed Redis services forbid.
    try:
        return str(client(store).info("memory").get("maxmemory_policy", "noeviction"))
    except redis.RedisError as error:
        log.warning("redis_policy_unknown", extra={"dpp_fields": {"error": type(error).__name__}})
        return None
