"""The strict parser, the address table and the blocked log, without a network."""

import http.client
import re
from datetime import UTC, datetime
from ipaddress import IPv6Address, ip_address
from urllib.parse import urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from urllib3.util import parse_url as urllib3_parse_url

from packs.fetch import BlockedCode, FetchBlocked, FetchPolicy, Refusal, refuse_literal
from packs.fetch.address import classify, embedded_ipv4
from packs.fetch.exceptions import UrlRefused
from packs.fetch.logs import blocked_entry
from packs.fetch.url import join_location, parse_url


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("HTTPS://Example.COM", "https://example.com/"),
        ("https://example.com.:443/a?b#c", "https://example.com/a?b"),
        ("https://한국.kr/길?이름=값", "https://xn--3e0b707e.kr/%EA%B8%B8?%EC%9D%B4%EB%A6%84=%EA%B0%92"),
        ("https://faß.example.com/", "https://xn--fa-hia.example.com/"),
        ("https://[2606:4700:4700:0::1111]:443/", "https://[2606:4700:4700::1111]/"),
        ("https://example.com:8443/", "https://example.com:8443/"),
        ("https://example.com?x", "https://example.com/?x"),
        ("https://r3---sn-abc.example.com/", "https://r3---sn-abc.example.com/"),
        ("https://example.com/a%2Fb/../c", "https://example.com/a%2Fb/../c"),
    ],
)
def test_a_good_url_has_one_reading(text: str, seen: str) -> None:
    assert str(parse_url(text)) == seen
    assert str(parse_url(seen)) == seen


@pytest.mark.parametrize(
    "text",
    ["https://a_b.example.com/", "https://xn--a.example.com/", "https://example.com:65536/", "https://exa mple.com/"]
    + ["https://[::1/", "https://::1/", "https://[::1]x/", "https://[v1.x]/", "https://example.com:4 43/", "https://"]
    + [f"https://example{mark}.com/" for mark in '\\@%<>"^`{|}\x00\x1f\x7f\x85\xa0\u2028\u200b\ufeff\ud800']
    + [f"https://example.com/{mark}" for mark in " \t\r\n\x00\x7f\u2029\u202e\u3000"],
)
def test_a_url_that_two_readers_could_read_differently_is_refused(text: str) -> None:
    with pytest.raises(UrlRefused):
        parse_url(text)


_PIECES = st.lists(
    st.one_of(
        st.sampled_from(["https://", "http://", "//", "/", "\\", "@", ":", "?", "#", "%", "[", "]", ".", "..", "xn--"]),
        st.sampled_from(
            ["example.com", "127.0.0.1", "::1", "0x7f", "１２７", "。", "ß", "한국", "443", "\t", "\r\n", "\0"]
        ),
        st.text(max_size=3),
    ),
    max_size=8,
)


@settings(max_examples=300, deadline=None)
@given(_PIECES)
def test_whatever_is_accepted_means_the_same_to_every_reader(pieces: list[str]) -> None:
    try:
        parsed = parse_url("https://" + "".join(pieces))
    except UrlRefused:
        return
    sent = str(parsed)
    assert parse_url(sent) == parsed
    assert urlsplit(sent).hostname == parsed.host.name
    assert (urllib3_parse_url(sent).host or "").strip("[]") == parsed.host.name
    assert http.client.HTTPConnection(urlsplit(sent).netloc).host == parsed.host.name
    assert re.fullmatch(r"/[!-~]*", parsed.request_target)


@pytest.mark.parametrize(
    ("location", "leads_to"),
    [
        ("", "https://a.example.com/b/c?d"),
        ("#x", "https://a.example.com/b/c?d"),
        ("?e", "https://a.example.com/b/c?e"),
        ("e", "https://a.example.com/b/e"),
        ("./e/.", "https://a.example.com/b/e/"),
        ("../../../e", "https://a.example.com/e"),
        ("/e/../f?g=/../h", "https://a.example.com/f?g=/../h"),
        ("//b.example.com", "https://b.example.com/"),
        ("e:f", None),
        ("/..//127.0.0.1/", "https://a.example.com//127.0.0.1/"),
    ],
)
def test_a_location_is_read_against_its_page(location: str, leads_to: str | None) -> None:
    base = parse_url("https://a.example.com/b/c?d")
    if leads_to is None:
        with pytest.raises(UrlRefused):
            join_location(base, location.encode())
    else:
        assert str(join_location(base, location.encode())) == leads_to


@pytest.mark.parametrize(
    ("outer", "inner"),
    [
        ("::ffff:10.0.0.1", "10.0.0.1"),
        ("::ffff:0:10.0.0.1", "10.0.0.1"),
        ("::10.0.0.1", "10.0.0.1"),
        ("64:ff9b::10.0.0.1", "10.0.0.1"),
        ("64:ff9b:1:a00:0:100::", "10.0.0.1"),
        ("2002:a00:1::", "10.0.0.1"),
        ("2001:0:a00:1::", "10.0.0.1"),
        ("2001:0:1:2:3:4:f5ff:fffe", "10.0.0.1"),
        ("2606:4700::5efe:a00:1", "10.0.0.1"),
    ],
)
def test_an_ipv4_address_inside_an_ipv6_one_is_found(outer: str, inner: str) -> None:
    assert ip_address(inner) in embedded_ipv4(IPv6Address(outer))
    assert classify(IPv6Address(outer)) is not None


@pytest.mark.parametrize(
    "text",
    [
        "0.0.0.0",
        "168.63.129.16",
        "192.88.99.1",
        "203.0.113.5",
        "224.0.0.1",
        "240.0.0.1",
        "100::",
        "2001:db8::1",
        "2001:20::1",
        "3ffe::1",
        "5f00::1",
        "fec0::1",
        "4000::1",
        "2620:4f:8000::1",
        "::",
    ],
)
def test_a_special_address_is_refused(text: str) -> None:
    assert classify(ip_address(text)) is not None


@pytest.mark.parametrize(
    "text", ["1.1.1.1", "11.0.0.0", "99.255.255.255", "128.0.0.0", "192.0.1.0", "2a00::1", "2400:cb00::1"]
)
def test_a_public_address_passes(text: str) -> None:
    assert classify(ip_address(text)) is None


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("https://localhost/", BlockedCode.SSRF_LOOPBACK_BLOCKED),
        ("https://[::ffff:127.0.0.1]/", BlockedCode.SSRF_LOOPBACK_BLOCKED),
        ("https://192.168.0.1/", BlockedCode.SSRF_PRIVATE_IP_BLOCKED),
        ("https://db.internal/", BlockedCode.DOMAIN_NOT_ALLOWED),
        ("https://intranet/", BlockedCode.DOMAIN_NOT_ALLOWED),
        ("http://example.com/", BlockedCode.SCHEME_NOT_ALLOWED),
        ("https://example.com:22/", BlockedCode.PORT_NOT_ALLOWED),
        ("https://2130706433/", BlockedCode.URL_INVALID),
        ("https://example.com/", None),
    ],
)
def test_a_literal_forbidden_url_is_refused_on_sight(url: str, code: BlockedCode | None) -> None:
    refusal = refuse_literal(url)
    assert (refusal.code if refusal else None) == code


def test_http_is_the_operators_choice() -> None:
    assert refuse_literal("http://example.com/", FetchPolicy(allow_http=True)) is None


def test_a_blocked_entry_has_the_contracts_fields_and_no_password() -> None:
    refusal = Refusal(BlockedCode.SSRF_PRIVATE_IP_BLOCKED, "Not public.", "10.0.0.1")
    error = FetchBlocked(refusal, url="https://a.example.com/", target="https://me:secret@b.example.com/\n", hop=2)
    entry = blocked_entry(error, ts=datetime(2026, 1, 2, tzinfo=UTC))
    assert list(entry) == (
        [
            "ts",
            "component",
            "action",
            "target",
            "url",
            "resolved_ip",
            "reason",
            "reason_code",
            "reason_detail",
            "severity",
        ]
    )
    assert entry["component"] == "SmartFetcher"
    assert entry["resolved_ip"] == "10.0.0.1"
    assert not re.search(r"secret|\n", str(entry["target"]))
