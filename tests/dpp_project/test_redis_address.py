"""What the address of a Redis cluster may look like."""

import pytest
from redis.connection import parse_url

from dpp_project.redis_address import BadAddress, ClusterAddress, is_cluster


@pytest.mark.parametrize("url", ["redis://:secret@host:6379/0", "rediss://host", "unix:///run/redis.sock"])
def test_a_single_servers_address_is_none(url: str) -> None:
    assert not is_cluster(url)


@pytest.mark.parametrize(
    ("url", "first", "others"),
    [
        ("redis+cluster://:secret@one:7000,two:7001", "redis://:secret@one:7000", (("two", 7001),)),
        ("rediss+cluster://user:se%40cret@one", "rediss://user:se%40cret@one:6379", ()),
        ("redis+cluster://one,two/0", "redis://one:6379", (("two", 6379),)),
        ("redis+cluster://[fd00::1]:7000,[fd00::2]", "redis://[fd00::1]:7000", (("fd00::2", 6379),)),
        ("rediss+cluster://one?ssl_cert_reqs=required", "rediss://one:6379?ssl_cert_reqs=required", ()),
    ],
)
def test_the_first_server_has_all_that_is_said_for_all(
    url: str, first: str, others: tuple[tuple[str, int], ...]
) -> None:
    assert is_cluster(url)
    address = ClusterAddress.of(url)
    assert (address.first, address.others) == (first, others)
    assert parse_url(address.first)["port"] in (6379, 7000)  # type: ignore[no-untyped-call]


@pytest.mark.parametrize(
    "url", ["redis+cluster://", "redis+cluster://one,", "redis+cluster://one:port", "redis+cluster://one/3"]
)
def test_what_names_no_servers_or_another_database_is_refused(url: str) -> None:
    with pytest.raises(BadAddress):
        ClusterAddress.of(url)
