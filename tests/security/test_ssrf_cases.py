"""Every case of the shared verdict table, judged by what was looked up and dialled, not by the message.

The same judge is shown a naive fetcher, so that we know it can condemn one.
"""

import json
import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

import pytest

from packs.fetch import BlockedCode, Document, FailedCode, FetchBlocked, FetchError, FetchFailed, FetchPolicy
from packs.fetch.address import IPAddress
from packs.fetch.fetcher import SmartFetcher
from tests.packs.fetch.zoo import (
    PUBLIC_V4,
    PUBLIC_V6,
    Handler,
    Record,
    Request,
    Zoo,
    black_hole,
    endless_chunks,
    hello,
    open_zoo,
    respond,
    silent_port,
)

Case = dict[str, Any]
Dial = Callable[[IPAddress, int, float], socket.socket]

CASES: list[Case] = json.loads((Path(__file__).parent / "ssrf_cases.json").read_text())["cases"]
PUBLIC = {PUBLIC_V4, PUBLIC_V6}
OWN_PUBLIC_ADDRESS = "93.184.216.200"

# The table speaks of a 10 s budget and delays of 3 s; everything here runs this many times faster.
SPEED_UP = 20
BUDGET_SEC = 10 / SPEED_UP


@dataclass(frozen=True)
class Outcome:
    document: Document | None
    error: FetchError | None
    record: Record

    @property
    def delivered(self) -> bool:
        return self.document is not None and not self.document.truncated

    @property
    def refused_by_syntax(self) -> bool:
        return isinstance(self.error, FetchBlocked) and self.error.refusal.code is BlockedCode.URL_INVALID

    @property
    def error_classes(self) -> set[str]:
        if self.document is not None and self.document.truncated:
            return {"too_large", "too_large_or_unsupported"}
        if not isinstance(self.error, FetchFailed):
            return set()
        return {
            FailedCode.BAD_RESPONSE: {"bad_response", "too_large_or_unsupported"},
            FailedCode.TIMEOUT: {"timeout"},
            FailedCode.TLS_INVALID: {"tls"},
        }.get(self.error.code, set())


@pytest.fixture(scope="module")
def zoo() -> Iterator[Zoo]:
    with open_zoo() as zoo:
        zoo.literals |= {host for case in CASES if case["expect"] == "allow" if (host := _literal(case["url"]))}
        yield zoo


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_the_fetcher_does_what_the_table_says(case: Case, zoo: Zoo, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in _server(case).get("env", {}).items():
        monkeypatch.setenv(name, value)

    outcome = _run(case, zoo)

    assert judge(case, outcome) == []


def test_the_table_is_complete() -> None:
    assert len(CASES) == 210


def test_the_judge_condemns_a_naive_fetcher(zoo: Zoo) -> None:
    """Given a fetcher as one writes it in an afternoon, Expect the table to find its holes."""
    judged = [case for case in CASES if not _server(case) and "hang" not in json.dumps(case.get("fixture"))]

    condemned = {case["id"] for case in judged if judge(case, _run_naively(case, zoo))}

    assert {"v4range-003", "v6-009", "dns-004", "redirect-001", "redirect-017", "port-008"} <= condemned
    assert len(condemned) > 100, len(condemned)


def judge(case: Case, outcome: Outcome) -> list[str]:
    """What is wrong with an outcome. Empty: nothing."""
    faults = []
    record = outcome.record
    subset = case.get("fixture", {}).get("assert_dialled_subset")
    if stray := set(record.addresses) - _dialling_allowed(case):
        faults.append(f"dialled {stray}")
    if subset is not None:
        if not set(record.addresses) <= set(subset) or len(record.lookups) != 1:
            faults.append(f"looked up {record.lookups}, dialled {record.addresses}")
        return faults
    if case["expect"] == "allow":
        faults += _faults_of_an_allowed(outcome)
    elif outcome.delivered:
        faults.append("the document was delivered")
    if case["expect"] == "invalid" and case.get("strict", True) and record.lookups:
        faults.append(f"looked up {record.lookups}")
    if case["expect"] == "invalid" and record.dialled:
        faults.append(f"dialled {record.dialled}")
    if case["expect"] == "block" and not _server(case) and not _redirects(case):
        if record.dialled:
            faults.append(f"dialled {record.dialled}")
        if case.get("strict", True) and outcome.refused_by_syntax:
            faults.append("refused as syntax, not as policy")
    if "error" in case and case["error"] not in outcome.error_classes:
        faults.append(f"ended with {outcome.error!r}, expected {case['error']}")
    return faults


def _faults_of_an_allowed(outcome: Outcome) -> list[str]:
    if not outcome.delivered:
        return [f"not delivered: {outcome.error!r}"]
    faults = []
    for request in outcome.record.requests:
        host = request.headers["host"]
        if request.sni is None and not _is_address(host):
            faults.append(f"no SNI for {host}")
        if request.sni is not None and request.sni != host:
            faults.append(f"SNI {request.sni}, Host {host}")
    if {port for _, port in outcome.record.dialled} != {443}:
        faults.append(f"dialled {outcome.record.dialled}")
    return faults


def _dialling_allowed(case: Case) -> set[str]:
    literal = _literal(case["url"]) if case["expect"] == "allow" else None
    return PUBLIC | {literal} if literal else PUBLIC


def _run(case: Case, zoo: Zoo) -> Outcome:
    with ExitStack() as stack:
        fetcher = _fetcher(case, zoo, stack)
        try:
            return Outcome(fetcher.fetch(case["url"]), None, zoo.record)
        except FetchError as error:
            return Outcome(None, error, zoo.record)


def _fetcher(case: Case, zoo: Zoo, stack: ExitStack) -> SmartFetcher:
    _stage(case, zoo)
    timed = case.get("error") == "timeout" or "delay_s_per_hop" in _server(case) or case["id"] == "dns-013"
    return SmartFetcher(
        # Cases that are not about time get more of it than a busy machine could need.
        policy=FetchPolicy(timeout_sec=BUDGET_SEC if timed else 8),
        resolver=_resolver(case, zoo, stack),
        dialer=_dialer(case, zoo, stack),
        tls=zoo.client_tls(),
        own_address=lambda address: str(address) == OWN_PUBLIC_ADDRESS,
    )


def _stage(case: Case, zoo: Zoo) -> None:
    """Put up the sites of a case: redirects in turn, then what the fixture says of the server."""
    zoo.clear()
    record = zoo.record
    server = _server(case)
    waiting = list(_redirects(case))
    if "tls" in server and server["tls"] != "stall":
        zoo.certificates[urlsplit(case["url"]).hostname or ""] = server["tls"]

    def serve(tls: socket.socket, request: Request) -> None:
        threading.Event().wait(server.get("delay_s_per_hop", 0) / SPEED_UP)
        if waiting:
            status, locations = waiting.pop(0)
            locations = [locations] if isinstance(locations, str) else locations
            respond(tls, status=status, headers=[("Location", location) for location in locations])
        else:
            _final_handler(server, record)(tls, request)

    zoo.fallback = serve


def _final_handler(server: Case, record: Record) -> Handler:
    if "body_bytes" in server:
        return lambda tls, _: respond(tls, b"x" * server["body_bytes"])
    if isinstance(server.get("content_length"), int):
        return lambda tls, _: respond(tls, headers=[("Content-Length", str(server["content_length"]))])
    if "content_length" in server:
        lengths = [("Content-Length", str(length)) for length in server["content_length"]]
        return lambda tls, _: respond(tls, b"12345", headers=lengths)
    if "chunked" in server:
        return endless_chunks(record)
    if "content_encoding" in server:
        return lambda tls, _: respond(tls, b"packed", headers=[("Content-Encoding", server["content_encoding"])])
    if "header_bytes" in server:
        return lambda tls, _: respond(tls, headers=[("X-Long", "x" * server["header_bytes"])])
    if "header_count" in server:
        many = [(f"X-{number}", "x") for number in range(server["header_count"])]
        return lambda tls, _: respond(tls, headers=many)
    if "reset_after_headers" in server:
        return _reset_after_headers
    if "status" in server:
        return lambda tls, _: respond(tls, status=server["status"])
    return hello


def _reset_after_headers(tls: socket.socket, _: Request) -> None:
    tls.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n")
    tls.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00")
    tls.close()


def _resolver(case: Case, zoo: Zoo, stack: ExitStack) -> Callable[[str], Sequence[str]]:
    names: dict[str, Any] = case.get("fixture", {}).get("dns", {})
    turns = {name: iter([*answers, *[answers[-1]] * 9]) for name, answers in names.items() if answers != "hang"}
    released = threading.Event()
    stack.callback(released.set)

    def resolve(name: str) -> Sequence[str]:
        zoo.record.lookups.append(name)
        if names.get(name) == "hang":
            released.wait(5)
            return [PUBLIC_V4]
        answer = next(turns[name]) if name in turns else [PUBLIC_V4]
        return [OWN_PUBLIC_ADDRESS if text == "SELF_PUBLIC_IP" else text for text in answer]

    return resolve


def _dialer(case: Case, zoo: Zoo, stack: ExitStack) -> Dial:
    server = _server(case)
    port = zoo.port
    if server.get("tls") == "stall":
        port = stack.enter_context(silent_port())
    elif server.get("tcp") == "drop":
        port = stack.enter_context(black_hole())

    def dial(address: IPAddress, asked_port: int, timeout_sec: float) -> socket.socket:
        zoo.record.dialled.append((str(address), asked_port))
        return socket.create_connection(("127.0.0.1", port), timeout=timeout_sec)

    return dial


def _run_naively(case: Case, zoo: Zoo) -> Outcome:
    """urlsplit, the first address of the answer, redirects followed: what most programs do."""
    with ExitStack() as stack:
        _stage(case, zoo)
        resolve, dial = _resolver(case, zoo, stack), _dialer(case, zoo, stack)
        waiting, url = list(_redirects(case)), case["url"]
        try:
            while True:
                parts = urlsplit(url)
                host = parts.hostname or ""
                literal = ip_address(host) if _is_address(host) else None
                addresses = [str(literal)] if literal else resolve(host)
                dial(ip_address(addresses[0].partition("%")[0]), parts.port or 443, 1).close()
                if not waiting:
                    break
                location = waiting.pop(0)[1]
                url = urljoin(url, location if isinstance(location, str) else location[0])
        except (ValueError, OSError, IndexError):
            return Outcome(None, FetchFailed(FailedCode.CONNECT_FAILED, "naive"), zoo.record)
        pretended = Document(case["url"], url, 200, "text/html", b"", truncated=False, fetched_at=None)  # type: ignore[arg-type]
        return Outcome(pretended, None, zoo.record)


def _server(case: Case) -> Case:
    return dict(case.get("fixture", {}).get("server", {}))


def _redirects(case: Case) -> list[Any]:
    return list(case.get("fixture", {}).get("redirects", []))


def _literal(url: str) -> str | None:
    host = urlsplit(url).hostname or ""
    return str(ip_address(host)) if _is_address(host) else None


def _is_address(text: str) -> bool:
    try:
        ip_address(text.strip("[]"))
    except ValueError:
        return False
    return True
