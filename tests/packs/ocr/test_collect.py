"""Getting the files: the web may take half of the run's time and what the budget leaves, the files in hand go on."""

import socket
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace

import pytest

from dpp_project.prices import FETCH, FETCH_LARGE, OCR_TEXT_PAGE
from dpp_project.profile import PROFILE
from packs.base import PackResult
from packs.fetch import BeforeHop, Document, FailedCode, FetchFailed, FetchPolicy
from packs.ocr import PACK
from packs.ocr.bounds import MAX_FILE_BYTES
from tests.packs.fetch.zoo import Handler, Request, Zoo, page
from tests.packs.ocr.desk import Desk, Site, inline, text_of
from tests.packs.ocr.documents import text_pdf
from tests.packs.url.desk import CountingMeter, Timebox

WORDS = "The supplier shall deliver within fourteen days"


@dataclass
class DeadHosts:
    """Hosts that never answer: each takes, on the run's clock, all the time it is given."""

    clock: Timebox
    waited_sec: list[float] = field(default_factory=list)

    def fetch(
        self,
        url: str,
        *,
        timeout_sec: float | None = None,
        max_hops: int | None = None,
        before_hop: BeforeHop | None = None,
    ) -> Document:
        assert timeout_sec is not None
        self.waited_sec.append(timeout_sec)
        self.clock.started_at -= timeout_sec
        raise FetchFailed(FailedCode.TIMEOUT, "The site did not answer in time.")


def read(desk: Desk, hosts: DeadHosts, count: int) -> PackResult:
    urls = [{"kind": "url", "url": f"https://dead-{number}.example/a.pdf"} for number in range(count)]
    inputs = {"images": [*urls, inline(text_pdf(WORDS), name="in hand")]}
    return PACK.execute(inputs, replace(desk.context(), deadline=hosts.clock, services={"fetcher": hosts}))


def test_dead_hosts_leave_half_of_the_time_to_the_files_in_hand() -> None:
    desk, hosts = Desk(), DeadHosts(Timebox(50.0))

    result = read(desk, hosts, count=20)

    assert sum(hosts.waited_sec) <= 25
    assert len(hosts.waited_sec) == 3
    assert max(hosts.waited_sec) <= PROFILE.fetch_timeout_sec
    reasons = [entry.get("reason_code") for entry in result.data["files"]]
    assert reasons == [*["FETCH_FAILED"] * 3, *["DEADLINE_REACHED"] * 17, None]
    assert text_of(result) == WORDS
    # What did not come is not paid for.
    assert desk.meter.bought == {OCR_TEXT_PAGE: 1}
    assert desk.meter.waived == [(FETCH, "FETCH_FAILED")] * 3


def test_a_budget_that_ends_while_fetching_is_told_and_does_not_stop_the_reading() -> None:
    url = "https://a.example/t.pdf"
    desk = Desk(meter=CountingMeter(reserved=1_000), services={"fetcher": Site({url: text_pdf(WORDS)})})

    result = desk.run({"images": [{"kind": "url", "url": url}, inline(text_pdf(WORDS))]})

    assert [entry.get("reason_code") for entry in result.data["files"]] == ["BUDGET_CAP_REACHED", None]
    assert text_of(result) == WORDS
    assert result.budget_cap_reached


def chunked(body: bytes) -> Handler:
    """Without saying how much will come."""

    def answer(tls: socket.socket, _: Request) -> None:
        tls.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        with suppress(OSError):
            tls.sendall(b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body))

    return answer


def large_pdf(size: int) -> bytes:
    return text_pdf(WORDS) + b"\n%" + b"x" * (size - len(text_pdf(WORDS)) - 2)


def files_of(zoo: Zoo, body: bytes, how: Callable[[bytes], Handler]) -> tuple[Desk, PackResult]:
    zoo.site("files.example.com", how(body))
    fetcher = zoo.fetcher(FetchPolicy())
    large = zoo.fetcher(FetchPolicy(max_body_bytes=PROFILE.fetch_max_file_bytes))
    desk = Desk(services={"fetcher": fetcher, "file_fetcher": large})
    return desk, desk.run({"pdf_url": "https://files.example.com/a.pdf"})


@pytest.mark.parametrize("how", [page, chunked], ids=["announced", "chunked"])
def test_a_file_by_url_may_be_as_large_as_one_in_the_request(zoo: Zoo, how: Callable[[bytes], Handler]) -> None:
    desk, result = files_of(zoo, large_pdf(MAX_FILE_BYTES), how)

    assert text_of(result) == WORDS
    assert result.data["files"][0]["size"] == MAX_FILE_BYTES
    assert desk.meter.bought == {FETCH: 1, FETCH_LARGE: 1, OCR_TEXT_PAGE: 1}
    assert result.cache["downloads"] == 1


@pytest.mark.parametrize("how", [page, chunked], ids=["announced", "chunked"])
def test_a_larger_file_by_url_is_refused_and_costs_nothing(zoo: Zoo, how: Callable[[bytes], Handler]) -> None:
    desk, result = files_of(zoo, large_pdf(MAX_FILE_BYTES + 1), how)

    (entry,) = result.data["files"]
    assert entry["reason_code"] == "FILE_TOO_LARGE"
    assert "upload" in entry["reason_detail"]
    assert desk.meter.bought == {}


def test_no_policy_goes_beyond_the_size_of_a_file() -> None:
    with pytest.raises(ValueError, match="never widen"):
        FetchPolicy(max_body_bytes=PROFILE.fetch_max_file_bytes + 1)
