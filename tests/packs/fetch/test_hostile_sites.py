"""The site zoo: whatever a site does, a fetch ends as specified, in time and in bounded memory."""

import gzip
import socket
import time
import tracemalloc
import zlib
from collections.abc import Sequence
from ipaddress import ip_network

import brotli  # type: ignore[import-untyped]
import pytest

from packs.fetch import BlockedCode, Document, FailedCode, FetchBlocked, FetchFailed, FetchPolicy
from packs.fetch.fetcher import SmartFetcher
from packs.fetch.transport import is_own_address, public_web_tls
from tests.packs.fetch.zoo import (
    PUBLIC_V4,
    PUBLIC_V6,
    Certificate,
    Handler,
    Request,
    Zoo,
    black_hole,
    drip,
    endless_chunks,
    hello,
    page,
    redirect,
    respond,
    silent_port,
)

MIB = 1_048_576
LIMIT = 2 * MIB
SHORT = FetchPolicy(timeout_sec=0.5)
HOST = "site.example.com"
URL = f"https://{HOST}/"


def brotli_of_zeros(size: int) -> bytes:
    packer = brotli.Compressor(quality=5)
    packed = b"".join(packer.process(bytes(MIB)) for _ in range(size // MIB))
    return bytes(packed + packer.finish())


def gzip_of_zeros(size: int) -> bytes:
    packer = zlib.compressobj(9, wbits=31)
    return b"".join(packer.compress(bytes(MIB)) for _ in range(size // MIB)) + packer.flush()


def encoded(coding: str, body: bytes) -> Handler:
    return page(body, headers=[("Content-Encoding", coding)])


def raw(data: bytes) -> Handler:
    return lambda tls, _: tls.sendall(data)


def failure(zoo: Zoo, policy: FetchPolicy | None = None) -> FetchFailed:
    with pytest.raises(FetchFailed) as caught:
        zoo.fetcher(policy).fetch(URL)
    return caught.value


def blocking(zoo: Zoo, url: str = URL) -> FetchBlocked:
    with pytest.raises(FetchBlocked) as caught:
        zoo.fetcher().fetch(url)
    return caught.value


# --- what is delivered


@pytest.mark.parametrize(
    ("coding", "packed"),
    [
        ("gzip", gzip.compress(b"hello" * 9)),
        ("x-gzip", gzip.compress(b"hello" * 4) + gzip.compress(b"hello" * 5)),
        ("deflate", zlib.compress(b"hello" * 9)),
        ("deflate", zlib.compress(b"hello" * 9)[2:-4]),
        ("br", brotli.compress(b"hello" * 9)),
        ("identity", b"hello" * 9),
    ],
    # A gzip header carries the second it was made in, and both test processes must collect the same names.
    ids=["gzip", "gzip in two members", "zlib", "raw deflate", "brotli", "identity"],
)
def test_a_packed_page_is_unpacked(zoo: Zoo, coding: str, packed: bytes) -> None:
    zoo.site(HOST, encoded(coding, packed))
    assert zoo.fetcher().fetch(URL).body == b"hello" * 9


def test_the_request_is_built_from_the_parsed_parts_and_carries_nothing_else(zoo: Zoo) -> None:
    zoo.fetcher().fetch("https://SITE.example.com:0443/a b".replace(" ", "%20") + "/\\x?q=가#frag")
    request = zoo.record.requests[0]
    assert request.line == "GET /a%20b/%5Cx?q=%EA%B0%80 HTTP/1.1"
    assert request.headers["host"] == HOST
    assert request.sni == HOST
    assert not {"cookie", "authorization", "referer", "proxy-authorization"} & set(request.headers)
    assert zoo.record.dialled == [(PUBLIC_V4, 443)]


def test_an_encoded_line_break_stays_encoded(zoo: Zoo) -> None:
    zoo.fetcher().fetch(f"{URL}%0d%0aX:%201")
    assert zoo.record.requests[0].line == "GET /%0d%0aX:%201 HTTP/1.1"


def test_an_error_page_is_not_read(zoo: Zoo) -> None:
    zoo.site(HOST, page("x" * 5_000, status=404))
    document = zoo.fetcher().fetch(URL)
    assert (document.status_code, document.body) == (404, b"")


def test_the_next_address_is_tried_when_the_first_is_dead(zoo: Zoo) -> None:
    def dial(address: object, port: int, timeout_sec: float) -> socket.socket:
        if str(address) == PUBLIC_V6:
            raise OSError("no route")
        return socket.create_connection(("127.0.0.1", zoo.port), timeout=timeout_sec)

    fetcher = SmartFetcher(
        resolver=lambda _: [PUBLIC_V6, PUBLIC_V4], dialer=dial, tls=zoo.client_tls(), own_address=lambda _: False
    )
    assert fetcher.fetch(URL).status_code == 200


# --- size


@pytest.mark.parametrize(
    "coding_and_bomb",
    [("gzip", gzip_of_zeros(64 * MIB)), ("br", brotli_of_zeros(64 * MIB))],
    ids=["gzip", "brotli"],
)
def test_a_bomb_stops_at_the_limit_in_bounded_memory(zoo: Zoo, coding_and_bomb: tuple[str, bytes]) -> None:
    coding, bomb = coding_and_bomb
    assert len(bomb) < 100_000
    zoo.site(HOST, encoded(coding, bomb))
    tracemalloc.start()
    try:
        document = zoo.fetcher().fetch(URL)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert (len(document.body), document.truncated) == (LIMIT, True)
    assert peak < 16 * MIB


def test_an_endless_body_stops_at_the_limit(zoo: Zoo) -> None:
    zoo.site(HOST, endless_chunks(zoo.record))
    document = zoo.fetcher().fetch(URL)
    assert (len(document.body), document.truncated) == (LIMIT, True)
    assert zoo.record.body_bytes_sent < 16 * MIB


def test_an_endless_packed_body_that_unpacks_to_nothing_is_given_up(zoo: Zoo) -> None:
    zoo.site(HOST, endless_chunks(zoo.record, head=b"Content-Encoding: gzip\r\n"))
    assert failure(zoo).code is FailedCode.BAD_RESPONSE

    empty_blocks = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff" + b"\x00\x00\x00\xff\xff" * 1_600_000
    zoo.site(HOST, encoded("gzip", empty_blocks))
    assert failure(zoo).code is FailedCode.BAD_RESPONSE


def test_an_announced_giant_is_not_read(zoo: Zoo) -> None:
    zoo.site(HOST, page(b"x" * 1_000, headers=[("Content-Length", "10737418240")]))
    document = zoo.fetcher().fetch(URL)
    assert (document.body, document.truncated) == (b"", True)


def test_exactly_the_limit_is_whole(zoo: Zoo) -> None:
    zoo.site(HOST, encoded("gzip", gzip_of_zeros(LIMIT)))
    document = zoo.fetcher().fetch(URL)
    assert (len(document.body), document.truncated) == (LIMIT, False)


# --- broken answers


@pytest.mark.parametrize(
    "handler",
    [
        page(b"short", headers=[("Content-Length", "500")]),
        page(b"12345", headers=[("Content-Length", "5"), ("Content-Length", "6")]),
        page(b"x", headers=[("Content-Length", "-1")]),
        page(b"", headers=[("X-Long", "x" * 65_536)]),
        page(b"", headers=[(f"X-{number}", "x") for number in range(1_000)]),
        raw(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"),
        raw(b"HTTP/1.1 100 Continue\r\n\r\n" * 50),
        raw(b"SSH-2.0-OpenSSH_9.2\r\n"),
        raw(b""),
        encoded("gzip, gzip", b"x"),
        encoded("zstd", b"x"),
        encoded("gzip", gzip.compress(b"hello" * 100)[:-12]),
        encoded("br", brotli.compress(b"hello" * 100)[:-3]),
        encoded("br", b"\xff\xff\xff\xff\xff\xff"),
        lambda tls, _: respond(tls, status=302, headers=[("Location", "/a"), ("Location", "https://127.0.0.1/")]),
    ],
)
def test_a_broken_answer_is_a_failure_not_a_document(zoo: Zoo, handler: Handler) -> None:
    zoo.site(HOST, handler)
    assert failure(zoo).code is FailedCode.BAD_RESPONSE


def test_an_answer_shorter_than_sent_is_cut_where_it_says(zoo: Zoo) -> None:
    zoo.site(HOST, page(b"hello, and what follows is somebody else's", headers=[("Content-Length", "5")]))
    assert zoo.fetcher().fetch(URL).body == b"hello"


@pytest.mark.parametrize("certificate", ["expired", "self_signed", "wrong_host", "untrusted_root"])
def test_a_bad_certificate_ends_the_fetch_before_a_request_is_sent(zoo: Zoo, certificate: Certificate) -> None:
    zoo.site(HOST, hello, certificate)
    assert failure(zoo).code is FailedCode.TLS_INVALID
    assert zoo.record.requests == []


def test_the_public_web_is_trusted_and_the_zoo_is_not(zoo: Zoo) -> None:
    fetcher = SmartFetcher(resolver=zoo.resolve, dialer=zoo.dial, tls=public_web_tls(), own_address=lambda _: False)
    with pytest.raises(FetchFailed) as caught:
        fetcher.fetch(URL)
    assert caught.value.code is FailedCode.TLS_INVALID


# --- time


def drip_head(tls: socket.socket, _: Request) -> None:
    for byte in b"HTTP/1.1 200 OK\r\n" + b"X-Slow: yes\r\n" * 100:
        tls.sendall(bytes([byte]))
        time.sleep(0.02)


def drip_interim(tls: socket.socket, _: Request) -> None:
    for _step in range(100):
        tls.sendall(b"HTTP/1.1 103 Early Hints\r\n\r\n")
        time.sleep(0.1)


def never_answer(tls: socket.socket, _: Request) -> None:
    time.sleep(8)


@pytest.mark.parametrize("handler", [drip, drip_head, drip_interim, never_answer])
def test_a_slow_site_ends_when_the_budget_ends(zoo: Zoo, handler: Handler) -> None:
    zoo.site(HOST, handler)
    began = time.monotonic()
    assert failure(zoo, SHORT).code is FailedCode.TIMEOUT
    assert time.monotonic() - began < SHORT.timeout_sec + 5


def test_a_site_that_never_shakes_hands_and_one_that_never_connects_end_in_time(zoo: Zoo) -> None:
    for trap in (silent_port, black_hole):
        with trap() as port:
            fetcher = SmartFetcher(
                policy=SHORT,
                resolver=zoo.resolve,
                dialer=lambda _a, _p, sec, port=port: socket.create_connection(("127.0.0.1", port), timeout=sec),
                tls=zoo.client_tls(),
                own_address=lambda _: False,
            )
            began = time.monotonic()
            with pytest.raises(FetchFailed) as caught:
                fetcher.fetch(URL)
            assert caught.value.code is FailedCode.TIMEOUT
            assert time.monotonic() - began < SHORT.timeout_sec + 5


def test_the_caller_can_shorten_the_budget_and_not_lengthen_it(zoo: Zoo) -> None:
    zoo.site(HOST, drip)
    for policy, asked in ((FetchPolicy(timeout_sec=6), 0.3), (SHORT, 60.0)):
        began = time.monotonic()
        with pytest.raises(FetchFailed):
            zoo.fetcher(policy).fetch(URL, timeout_sec=asked)
        assert time.monotonic() - began < 6


def test_a_policy_cannot_widen_the_profile() -> None:
    with pytest.raises(ValueError, match="never widen"):
        FetchPolicy(timeout_sec=11)


# --- redirects and names


def test_redirects_are_followed_to_the_last_page(zoo: Zoo) -> None:
    zoo.site(HOST, redirect("//b.example.com/x/y"))
    zoo.site("b.example.com", lambda tls, r: redirect("../z?q=1")(tls, r) if "y" in r.path else hello(tls, r))
    document = zoo.fetcher().fetch(URL)
    assert (document.final_url, document.hops) == ("https://b.example.com/z?q=1", 2)
    assert zoo.record.lookups == [HOST, "b.example.com", "b.example.com"]


def test_the_number_of_hops_can_be_tightened(zoo: Zoo) -> None:
    zoo.site(HOST, redirect("/again"))
    with pytest.raises(FetchBlocked) as caught:
        zoo.fetcher().fetch(URL, max_hops=1)
    assert caught.value.refusal.code is BlockedCode.REDIRECT_MAX_HOPS_EXCEEDED
    assert len(zoo.record.requests) == 2


@pytest.mark.parametrize(
    ("location", "code"),
    [
        ("http://site.example.com/", BlockedCode.SCHEME_NOT_ALLOWED),
        ("file:///etc/passwd", BlockedCode.SCHEME_NOT_ALLOWED),
        ("https://127.0.0.1/", BlockedCode.SSRF_LOOPBACK_BLOCKED),
        ("//169.254.169.254/latest", BlockedCode.SSRF_PRIVATE_IP_BLOCKED),
        ("/\\127.0.0.1/", BlockedCode.URL_INVALID),
        ("\\\\127.0.0.1\\", BlockedCode.URL_INVALID),
        ("https:\\\\127.0.0.1", BlockedCode.URL_INVALID),
        ("https://a@127.0.0.1/", BlockedCode.URL_INVALID),
        ("https://site.example.com:8443/", BlockedCode.PORT_NOT_ALLOWED),
    ],
)
def test_a_redirect_gains_nothing(zoo: Zoo, location: str, code: BlockedCode) -> None:
    zoo.site(HOST, redirect(location))
    error = blocking(zoo)
    assert (error.refusal.code, error.hop) == (code, 1)
    assert zoo.record.addresses == [PUBLIC_V4]


def test_a_legacy_redirect_is_sent_back_as_it_came(zoo: Zoo) -> None:
    korean = "/게시판".encode("euc-kr")
    zoo.site(HOST, lambda tls, r: hello(tls, r) if "%" in r.path else tls.sendall(_found(korean)))
    assert zoo.fetcher().fetch(URL).final_url == URL + "%B0%D4%BD%C3%C6%C7"


def _found(location: bytes) -> bytes:
    return b"HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: " + location + b"\r\n\r\n"


def test_a_second_dns_answer_changes_nothing(zoo: Zoo) -> None:
    """Given a name that means loopback from the second lookup on, Expect one lookup and the first address dialled."""
    answers = iter([[PUBLIC_V4], ["127.0.0.1"]])
    fetcher = SmartFetcher(
        resolver=lambda _: next(answers), dialer=zoo.dial, tls=zoo.client_tls(), own_address=lambda _: False
    )
    assert fetcher.fetch(URL).status_code == 200
    assert zoo.record.addresses == [PUBLIC_V4]
    with pytest.raises(FetchBlocked):
        fetcher.fetch(URL)
    assert zoo.record.addresses == [PUBLIC_V4]


@pytest.mark.parametrize("answer", [["10.0.0.1"], [PUBLIC_V4, "::1"], ["fe80::1%eth0"], ["not an address"], []])
def test_one_bad_answer_condemns_all(zoo: Zoo, answer: Sequence[str]) -> None:
    fetcher = SmartFetcher(
        resolver=lambda _: answer, dialer=zoo.dial, tls=zoo.client_tls(), own_address=lambda _: False
    )
    with pytest.raises((FetchBlocked, FetchFailed)):
        fetcher.fetch(URL)
    assert zoo.record.dialled == []


def test_the_operators_rules_hold(zoo: Zoo) -> None:
    def ended(policy: FetchPolicy, url: str = URL) -> str:
        try:
            outcome: object = zoo.fetcher(policy).fetch(url)
        except FetchBlocked as error:
            return error.refusal.code
        return "fetched" if isinstance(outcome, Document) else "?"

    assert ended(FetchPolicy(deny_hosts=frozenset({"example.com"}))) == "DOMAIN_NOT_ALLOWED"
    assert ended(FetchPolicy(allow_hosts=frozenset({"example.org"}))) == "DOMAIN_NOT_ALLOWED"
    assert ended(FetchPolicy(allow_hosts=frozenset({"example.com"}))) == "fetched"
    assert ended(FetchPolicy(deny_networks=(ip_network("93.184.216.0/24"),))) == "SSRF_PRIVATE_IP_BLOCKED"
    assert ended(FetchPolicy(ports=frozenset({443, 8443})), "https://site.example.com:8443/") == "fetched"
    assert ended(FetchPolicy(), "https://notexample.com:8443/") == "PORT_NOT_ALLOWED"


def test_a_machine_knows_its_own_address() -> None:
    from ipaddress import ip_address

    assert is_own_address(ip_address("127.0.0.1"))
    assert not is_own_address(ip_address("192.0.2.1"))
