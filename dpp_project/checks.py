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
from dpp_project.redis import Store, client, servers

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
    return [
        Error(
            f"Redis {'' if server == store.server.name else f'at {server} '}runs with maxmemory-policy {policy}: "
            f"it could evict {holds[store]}.",
            hint="Set `maxmemory-policy noeviction`.",
            id="dpp.E002",
        )
        for store in holds
        for server, policy in _eviction_policies(store)
        if policy != "noeviction"
    ]


@register(Tags.database)
def redis_is_what_its_address_says(app_configs: Sequence[Any] | None, **kwargs: Any) -> list[CheckMessage]:
    """A server of a cluster refuses the keys of the others; on a single server nothing is a cluster."""
    wrong = {store: _wrong_address(store) for store in Store if store is Store.LEDGER or store.is_apart}
    return [
        Error(
            f"The address of Redis for {store} {what}.",
            hint="A cluster's address begins with redis+cluster:// (or rediss+cluster://), a single server's does not.",
            id="dpp.E004",
        )
        for store, what in wrong.items()
        if what
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
    redis_checks = [*redis_is_what_its_address_says(None), *redis_never_evicts(None)]
    for message in [*profile_is_locked(None), *redis_checks, *serving_role_is_confined(None)]:
        raise SystemExit(f"{message.msg} {message.hint}")


def _eviction_policies(store: Store) -> list[tuple[str, str]]:
    """Server -> its policy; of a cluster also the replicas', any of which may become a primary. Who is silent is left
    out."""
    try:
        asked = servers(store, replicas=True)
    except redis.RedisError as error:
        _unknown(error)
        return []
    found = []
    for name, server in asked.items():
        try:
            # INFO, not CONFIG GET, which managed Redis services forbid.
            found.append((name, str(server.info("memory").get("maxmemory_policy", "noeviction"))))
        except redis.RedisError as error:
            _unknown(error)
    return found


def _wrong_address(store: Store) -> str | None:
    try:
        told = client(store).info("cluster")
    except redis.RedisError as error:
        if store.is_cluster and "Cluster mode is not enabled" in str(error):
            return "leads to a server that is not part of a cluster"
        _unknown(error)
        return None
    is_part = str(told.get("cluster_enabled", "0")) == "1"
    return (
        "leads to a server of a cluster, and is written as a single server's" if is_part != store.is_cluster else None
    )


def _unknown(error: redis.RedisError) -> None:
    log.warning("redis_not_checked", extra={"dpp_fields": {"error": type(error).__name__}})
