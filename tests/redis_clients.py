"""This process's own connections to Redis, for tests that lead them elsewhere."""

from dpp_project import redis
from dpp_project.redis import client


def forget() -> None:
    """The next call connects anew, to whatever the settings name by then."""
    client.cache_clear()
    redis._connections.cache_clear()
    redis._is_cluster.cache_clear()
