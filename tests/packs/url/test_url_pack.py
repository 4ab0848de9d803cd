"""A url run over the zoo: each site ends where the contract says, and the books are right."""

import gzip
import re
import socket
import threading
import time
from dataclasses import replace
from typing import Any, ClassVar

import pytest
from jsonschema import Draft202012Validator

from dpp_project.prices import FETCH, FETCH_CACHED, FETCH_LARGE, PRICES
from packs.base import Cancelled, PackError, PackResult
from packs.cache import Fetched, Source, Uncached
from packs.fetch import FetchPolicy
from packs.url import PACK
from packs.url.quotes import word_count
from tests.packs.fetch.zoo import Handler, Request, Zoo, endless_chunks, page, redirect
from tests.packs.url.articles import ENGLISH_QUESTION, QUESTION, english, html, korean, pdf
from tests.packs.url.desk import Checkpoints, CountingMeter, Desk
from tests.packs.url.sites import Crowd, long_drip

OFFICIAL = "https://www.me.go.kr/notice"


def reasons(data: dict[str, Any]) -> dict[str, str]:
    return {entry["url"]: entry["reason_code"] for entry in data["discard"]}


# --- what is kept


def test_a_good_page_is_kept_with_a_quotation_that_stands_in_it(zoo: Zoo, desk: Desk) -> None:
    zoo.site("www.me.go.kr", page(korean()))
    result = desk.run(OFFICIAL, question=QUESTION)
    (kept,) = result.data["keep"]
    (entry,) = result.data["results"]
    assert kept["url"] == OFFICIAL
    assert (kept["source_tier"], kept["language"], kept["published"]) == ("official", "ko", "2025-03-05")
    assert kept["title"] == "전기차 구매 보조금 개편 안내"
    assert kept["evidence_quote"] in korean()
    assert 0 < word_count(kept["evidence_quote"]) <= 25
    assert [sentence.strip() in korean() for sentence in re.findall(r"[^.]+\.", kept["gist"])] == [True, True]
    assert kept["relevance"] == "judged"
    fields = ["url", "final_url", "status_code", "content_type", "title", "text_excerpt", "fetched_at", "truncated"]
    assert list(entry) == fields
    assert entry["status_code"] == 200
    paragraph = entry["text_excerpt"].split("\n")[2]
    assert f"<p>{paragraph}</p>" in korean()
    assert "Home" not in entry["text_excerpt"]
    assert result.data["discard"] == []
    assert 0 < result.reliability <= 1


def test_a_korean_page_in_euc_kr_reads_the_same(zoo: Zoo, desk: Desk) -> None:
    """Given the same page in UTF-8, in EUC-KR declared by header, by the page, and by nobody."""
    declared = korean().replace(
        "<title>", '<meta http-equiv="Content-Type" content="text/html; charset=euc-kr"><title>'
    )
    pages = {
        "a.go.kr": page(korean()),
        "b.go.kr": page(korean().encode("euc-kr"), content_type="text/html; charset=EUC-KR"),
        "c.go.kr": page(declared.encode("cp949"), content_type="text/html"),
        "d.go.kr": page(korean().encode("cp949"), content_type="text/html"),
    }
    for host, handler in pages.items():
        zoo.site(host, handler)
    result = desk.run(*(f"https://{host}/" for host in pages))
    assert len({entry["text_excerpt"] for entry in result.data["results"]}) == 1
    assert "환경부는" in result.data["results"][3]["text_excerpt"]
    assert [entry["url"] for entry in result.data["keep"]] == ["https://a.go.kr/"]
    assert set(reasons(result.data).values()) == {"DUPLICATE"}


def test_plain_text_and_pdf_are_read(zoo: Zoo, desk: Desk) -> None:
    zoo.site("www.nist.gov", page("Subsidy rules\n" + "The subsidy for electric cars is 300 dollars.\n" * 3,
                                  content_type="text/plain"))  # fmt: skip
    lines = ["The subsidy for electric vehicles changed in 2025.", "Electric vehicles below 20000 dollars get more."]
    zoo.site("www.oecd.org", page(pdf(lines), content_type="application/pdf"))
    result = desk.run("https://www.nist.gov/a.txt", "https://www.oecd.org/b.pdf", question=ENGLISH_QUESTION)
    kept = {entry["url"]: entry for entry in result.data["keep"]}
    assert set(kept) == {"https://www.nist.gov/a.txt", "https://www.oecd.org/b.pdf"}
    assert kept["https://www.oecd.org/b.pdf"]["evidence_quote"] == lines[0]
    assert kept["https://www.oecd.org/b.pdf"]["published"] == "2025-03-05"
    assert kept["https://www.oecd.org/b.pdf"]["title"] == "Subsidy report"


def test_better_sources_come_first_and_win_over_their_copies(zoo: Zoo, desk: Desk) -> None:
    zoo.site("www.hani.co.kr", page(korean()))
    zoo.site("www.me.go.kr", page(korean() + "<p>끝.</p>"))
    zoo.site("www.kdi.re.kr", page(korean("수소차")))
    result = desk.run("https://www.hani.co.kr/1", "https://www.kdi.re.kr/1", OFFICIAL, question=QUESTION)
    assert [entry["source_tier"] for entry in result.data["keep"]] == ["official", "research"]
    (discard,) = result.data["discard"]
    assert (discard["reason_code"], discard["replacement_hint"]) == ("DUPLICATE", OFFICIAL)


def test_a_korean_question_is_answered_by_an_english_page(zoo: Zoo, desk: Desk) -> None:
    zoo.site("www.oecd.org", page(english()))
    zoo.site("www.nist.gov", page(english("garden roses").replace("subsidy", "show").replace("Subsidy", "Show")))
    result = desk.run("https://www.oecd.org/", "https://www.nist.gov/", question=QUESTION)
    assert [entry["url"] for entry in result.data["keep"]] == ["https://www.oecd.org/"]
    assert reasons(result.data) == {"https://www.nist.gov/": "IRRELEVANT"}


def test_a_page_nobody_can_judge_is_kept_only_when_asked_for_or_little_was_asked(zoo: Zoo, desk: Desk) -> None:
    """Given a Russian page and a Korean question, Expect an honest answer: nobody knows."""
    russian = html("Новости", "<p>Правительство утвердило новые правила для велосипедов в городе.</p>" * 3)
    zoo.site("www.oecd.org", page(russian))
    url = "https://www.oecd.org/"
    assert reasons(desk.run(url, question=QUESTION).data) == {url: "RELEVANCE_UNKNOWN"}
    for inputs in ({"question": QUESTION, "gates": {"relevance": {"unknown": "keep"}}}, {"question": "소식"}):
        (kept,) = desk.run(url, **inputs).data["keep"]
        assert (kept["relevance"], kept["relevance_score"]) == ("unknown", None)
    assert desk.run(url).data["keep"][0]["relevance"] == "not_asked"


# --- what is discarded, and why


LOCKED = '<script type="application/ld+json">{"isAccessibleForFree": "False"}</script>'
COOKING = "<p>김치찌개는 돼지고기와 김치로 끓인다. 맛있다.</p>" * 5

GATED: dict[str, tuple[Handler, str, str]] = {
    "https://www.me.go.kr/404": (page("x", status=404), "ACCESS", "ACCESS_HTTP_STATUS"),
    "https://www.me.go.kr/401": (page("x", status=401), "ACCESS", "LOGIN_REQUIRED"),
    "https://www.me.go.kr/402": (page("x", status=402), "ACCESS", "PAYWALL"),
    "https://www.me.go.kr/204": (page("", status=204), "ACCESS", "ACCESS_UNREADABLE"),
    "https://www.me.go.kr/zip": (page(b"PK\0", content_type="application/zip"), "ACCESS", "ACCESS_UNREADABLE"),
    "https://www.me.go.kr/pdf": (page(b"%PDF-1.7 x", content_type="application/pdf"), "ACCESS", "ACCESS_UNREADABLE"),
    "https://www.me.go.kr/big": (page(b"%PDF-1.4" + b"x" * 2_097_153), "ACCESS", "CONTENT_TOO_LARGE"),
    "https://www.me.go.kr/cut": (page("x", headers=[("Content-Length", "9")]), "ACCESS", "ACCESS_BAD_RESPONSE"),
    "https://www.me.go.kr/http": (redirect("http://www.me.go.kr/"), "ACCESS", "NON_HTTPS"),
    "https://www.me.go.kr/loop": (redirect("/loop"), "ACCESS", "TOO_MANY_REDIRECTS"),
    "https://www.me.go.kr/in": (redirect("https://10.0.0.1/"), "ACCESS", "BLOCKED_BY_POLICY"),
    "https://www.chosun.com/free": (page(html("기사", "<p>앞만 보입니다.</p>", head=LOCKED)), "ACCESS", "PAYWALL"),
    "https://www.chosun.com/ko": (page(html("기사", "<p>구독자 전용 콘텐츠입니다.</p>")), "ACCESS", "PAYWALL"),
    "https://www.ft.com/en": (page(html("News", "<p>Subscribe to continue reading.</p>")), "ACCESS", "PAYWALL"),
    "https://www.me.go.kr/bot": (
        page(html("x", "<p>Checking your browser before accessing.</p>")),
        "ACCESS",
        "BOT_WALL",
    ),
    "https://www.me.go.kr/consent": (
        page(html("x", "<p>Before you continue to the site</p>")),
        "ACCESS",
        "CONSENT_WALL",
    ),
    "https://www.fki.or.kr/x": (page(korean()), "QUALITY", "LOW_QUALITY_SOURCE"),
    "https://www.reddit.com/r/x": (page(korean()), "QUALITY", "LOW_QUALITY_SOURCE"),
    "https://www.acme.example.com/blog/x": (page(korean()), "QUALITY", "LOW_QUALITY_SOURCE"),
    "https://www.me.go.kr/old": (page(korean(published="2022-12-31")), "QUALITY", "STALE"),
    "https://www.me.go.kr/off": (page(html("요리", COOKING, language="ko")), "RELEVANCE", "IRRELEVANT"),
}


@pytest.fixture(scope="module")
def gated_run(shared_zoo: Zoo) -> PackResult:
    """One run over a site for every way a URL can fail a gate."""
    shared_zoo.clear()

    def serve(tls: socket.socket, request: Request) -> None:
        GATED[f"https://{request.sni}{request.path}"][0](tls, request)

    shared_zoo.fallback = serve
    return Desk(shared_zoo.fetcher()).run(*GATED, question=QUESTION)


@pytest.mark.parametrize("url", GATED)
def test_each_gate_says_why(gated_run: PackResult, url: str) -> None:
    (discard,) = [entry for entry in gated_run.data["discard"] if entry["url"] == url]
    (logged,) = [entry for entry in gated_run.discard_log if entry["url"] == url]
    _, gate, reason = GATED[url]
    assert (discard["gate"], discard["reason_code"]) == (gate, reason)
    assert set(logged) == {"url", "gate", "reason", "reason_code", "reason_detail", "replacement_hint", "ts"}
    assert re.fullmatch(r"2026-11-16T09:\d\d:\d\d\.\d{3}Z", logged["ts"])


def test_a_run_that_keeps_nothing_has_no_reliability(gated_run: PackResult) -> None:
    assert (gated_run.data["keep"], gated_run.reliability) == ([], 0)


def test_a_login_is_respected(zoo: Zoo, desk: Desk) -> None:
    form = html("로그인", '<form><input name="id"><input type="password"></form>', language="ko")
    zoo.site("a.go.kr", page(form))
    zoo.site("b.go.kr", redirect("https://sso.go.kr/login?next=1"))
    zoo.site("sso.go.kr", page(korean()))
    result = desk.run("https://a.go.kr/", "https://b.go.kr/")
    assert set(reasons(result.data).values()) == {"LOGIN_REQUIRED"}


def test_what_is_asked_for_is_let_through(zoo: Zoo, desk: Desk) -> None:
    zoo.site("www.reddit.com", page(korean()))
    zoo.site("www.me.go.kr", page(korean("수소차", published="2019-01-01")))
    urls = ("https://www.reddit.com/r/x", OFFICIAL)
    gates = {"quality": {"include_tiers": ["community"], "fresh_since": 2018}}
    assert len(desk.run(*urls, question=QUESTION, gates=gates).data["keep"]) == 2
    assert (
        len(desk.run(*urls, question="돼지고기 김치찌개", gates={"quality": False, "relevance": False}).data["keep"])
        == 2
    )


def test_a_tenants_own_hosts_are_kept_and_discarded(zoo: Zoo, desk: Desk) -> None:
    zoo.site("www.reddit.com", page(korean()))
    zoo.site("www.me.go.kr", page(korean("수소차")))
    hosts = {"allow_hosts": ["reddit.com"], "deny_hosts": ["me.go.kr"]}
    data = desk.run("https://www.reddit.com/r/x", OFFICIAL, gates={"quality": hosts}).data
    assert [entry["url"] for entry in data["keep"]] == ["https://www.reddit.com/r/x"]
    assert reasons(data) == {OFFICIAL: "LOW_QUALITY_SOURCE"}


def test_a_host_the_caller_does_not_want_is_not_even_asked(zoo: Zoo, desk: Desk) -> None:
    """Given a host on the caller's list, and one that leads to it, Expect both discarded, the first for nothing."""
    zoo.site("www.me.go.kr", page(korean()))
    zoo.site("go.example.com", redirect(OFFICIAL))
    led = "https://go.example.com/1"
    gates = {"quality": {"deny_hosts": ["me.go.kr"]}, "relevance": False}
    assert reasons(desk.run(OFFICIAL, gates=gates).data) == {OFFICIAL: "LOW_QUALITY_SOURCE"}
    assert (zoo.record.requests, desk.meter.bought) == ([], {})
    assert reasons(desk.run(led, gates=gates).data) == {led: "LOW_QUALITY_SOURCE"}


PART_LOCKED = (
    '<script type="application/ld+json">{"@type": "NewsArticle", "isAccessibleForFree": true,'
    '"hasPart": {"isAccessibleForFree": false}}</script><input type="password">'
)


def test_a_locked_part_and_a_password_field_lock_no_article(zoo: Zoo, desk: Desk) -> None:
    zoo.site("www.me.go.kr", page(korean().replace("</article>", f"</article>{PART_LOCKED}")))
    assert [entry["url"] for entry in desk.run(OFFICIAL, question=QUESTION).data["keep"]] == [OFFICIAL]


def test_the_first_date_and_the_last_change_are_told_apart(zoo: Zoo, desk: Desk) -> None:
    changed = '<meta property="article:modified_time" content="2025-06-07">'
    zoo.site("www.me.go.kr", page(korean(published="2021-03-05").replace("</head>", f"{changed}</head>")))
    zoo.site("www.moe.go.kr", page(korean("수소차", published="2025-09-09")))
    zoo.site("www.mof.go.kr", page(korean("수소선박", published=None)))
    urls = ["https://www.mof.go.kr/", OFFICIAL, "https://www.moe.go.kr/"]
    kept = desk.run(*urls).data["keep"]
    assert [entry["url"] for entry in kept] == ["https://www.moe.go.kr/", OFFICIAL, "https://www.mof.go.kr/"]
    assert (kept[1]["published"], kept[1]["modified"]) == ("2021-03-05", "2025-06-07")
    assert [entry["undated"] for entry in kept] == [False, False, True]


def test_a_bad_certificate_and_a_dead_name_are_told_apart(zoo: Zoo) -> None:
    zoo.site("bad.go.kr", page(korean()), "expired")

    def resolve(name: str) -> list[str]:
        if name == "nx.go.kr":
            raise OSError("no such name")
        return ["93.184.216.34"]

    fetcher = type(zoo.fetcher())(resolver=resolve, dialer=zoo.dial, tls=zoo.client_tls(), own_address=lambda _: False)
    data = Desk(fetcher).run("https://bad.go.kr/", "https://nx.go.kr/").data
    assert reasons(data) == {"https://bad.go.kr/": "TLS_INVALID", "https://nx.go.kr/": "ACCESS_UNREACHABLE"}


def test_a_blocked_url_is_logged_and_the_run_completes(zoo: Zoo, desk: Desk) -> None:
    zoo.site("www.me.go.kr", page(korean()))
    zoo.site("trap.example.com", redirect("https://169.254.169.254/latest/"))
    result = desk.run(OFFICIAL, "https://trap.example.com/", "https://127.0.0.1/", "http://a.go.kr/x")
    assert len(result.data["keep"]) == 1
    assert [(entry["reason_code"], entry["action"]) for entry in result.blocked_log] == [
        ("SSRF_LOOPBACK_BLOCKED", "FETCH_REQUEST"),
        ("SCHEME_NOT_ALLOWED", "FETCH_REQUEST"),
        ("SSRF_PRIVATE_IP_BLOCKED", "FETCH_REDIRECT_FOLLOW"),
    ]
    assert [entry["reason"] for entry in result.blocked_log] == ["PRIVATE_IP", "SCHEME", "PRIVATE_IP"]
    assert list(result.blocked_log) == result.data["blocked_logs"]
    assert result.data["discard"][2]["replacement_hint"] == "https://a.go.kr/x"
    assert set(zoo.record.addresses) == {"93.184.216.34"}


# --- money


def test_the_same_page_is_fetched_and_charged_once(zoo: Zoo, desk: Desk) -> None:
    zoo.fallback = page(korean())
    spellings = ["https://WWW.me.go.kr/notice/?utm_source=x&b=2&a=1", "https://www.me.go.kr/notice?a=1&b=2#top"]
    result = desk.run(*spellings, spellings[0])
    assert len(result.data["keep"]) == 1
    assert [entry["reason_code"] for entry in result.data["discard"]] == ["DUPLICATE", "DUPLICATE"]
    assert desk.meter.bought == {FETCH: 1}


def test_a_large_document_costs_more_and_a_refused_url_nothing(zoo: Zoo, desk: Desk) -> None:
    zoo.site("big.go.kr", page(korean() + "<!--" + "x" * 600_000 + "-->"))
    desk.run("https://big.go.kr/", "https://10.0.0.1/")
    assert desk.meter.bought == {FETCH: 1, FETCH_LARGE: 1}


def test_a_reached_budget_stops_cleanly_with_what_there_is(zoo: Zoo, desk: Desk) -> None:
    for number in range(5):
        zoo.site(f"s{number}.go.kr", page(korean(f"전기차{number}")))
    desk.meter = CountingMeter(reserved=2 * PRICES[FETCH] + 1)
    result = desk.run(*(f"https://s{number}.go.kr/" for number in range(5)))
    assert result.budget_cap_reached
    assert len(result.data["keep"]) == 2
    assert list(reasons(result.data).values()) == ["BUDGET_CAP_REACHED"] * 3
    assert len(zoo.record.requests) == 2
    assert desk.meter.spent <= desk.meter.reserved


def test_a_large_document_beyond_the_budget_is_not_used(zoo: Zoo, desk: Desk) -> None:
    zoo.site("big.go.kr", page(korean() + "<!--" + "x" * 600_000 + "-->"))
    desk.meter = CountingMeter(reserved=PRICES[FETCH] + 1)
    result = desk.run("https://big.go.kr/")
    assert result.budget_cap_reached
    assert desk.meter.waived == [(FETCH, "BUDGET_CAP_REACHED")]
    assert (result.data["keep"], result.data["results"]) == ([], [])


def test_a_cached_document_costs_less_and_is_not_fetched(zoo: Zoo, desk: Desk) -> None:
    class Remembering(Uncached):
        held: ClassVar[dict[str, Fetched]] = {}

        def cached(self, url: str, *, tenant_id: str, max_hops: int, max_age_sec: int | None = None) -> Fetched | None:
            return self.held.get(url)

        def fetch(
            self, url: str, *, tenant_id: str, timeout_sec: float, max_hops: int, max_age_sec: int | None = None
        ) -> Fetched:
            fetched = super().fetch(url, tenant_id=tenant_id, timeout_sec=timeout_sec, max_hops=max_hops)
            self.held[url] = replace(fetched, source=Source.L2)
            return fetched

    zoo.site("www.me.go.kr", page(korean()))
    desk.services = {"documents": Remembering(desk.fetcher)}
    first, second = desk.run(OFFICIAL), desk.run(OFFICIAL)
    assert first.data == second.data
    assert (first.cache["hits"], first.cache["misses"]) == (0, 1)
    assert second.cache == {
        "hits": 1,
        "misses": 0,
        "degraded": 0,
        "documents": [{"url": OFFICIAL, "source": "L2"}],
    }
    assert desk.meter.bought == {FETCH: 1, FETCH_CACHED: 1}
    assert len(zoo.record.requests) == 1


def test_no_more_urls_are_fetched_than_asked_for(zoo: Zoo, desk: Desk) -> None:
    zoo.fallback = page(korean())
    result = desk.run(*(f"https://s{number}.go.kr/" for number in range(4)), max_urls=1)
    assert list(reasons(result.data).values()) == ["MAX_URLS_REACHED"] * 3
    assert len(zoo.record.requests) == 1


# --- time and stopping


def test_thirty_urls_are_fetched_side_by_side(zoo: Zoo) -> None:
    crowd, desk = Crowd(), Desk(zoo.fetcher(FetchPolicy(timeout_sec=10)))
    bodies = {f"s{number}.go.kr": page(korean(f"전기차{number}형")) for number in range(30)}
    for host, handler in bodies.items():
        zoo.site(host, crowd.before(handler))
        zoo.context_for(host)
    result = desk.run(*(f"https://{host}/" for host in bodies), question=QUESTION)
    assert crowd.most_at_once > 1
    assert len(result.data["keep"]) + len(result.data["discard"]) == 30
    assert len(result.data["results"]) == 30
    fetched = [detail for stage, _, detail in desk.checkpoints.seen if stage == "fetch" and "url_index" in detail]
    assert sorted(detail["url_index"] for detail in fetched) == list(range(30))
    assert desk.checkpoints.threads == {threading.current_thread().name}
    progress = [progress for _, progress, _ in desk.checkpoints.seen]
    assert progress == sorted(progress)


def test_slow_sites_and_bombs_do_not_hold_the_others_up(zoo: Zoo) -> None:
    zoo.site("www.me.go.kr", page(korean()))
    zoo.site("drip.go.kr", long_drip)
    zoo.site("endless.go.kr", endless_chunks(zoo.record))
    zoo.site("bomb.go.kr", page(gzip.compress(bytes(8_000_000)), headers=[("Content-Encoding", "gzip")]))
    desk = Desk(zoo.fetcher(FetchPolicy(timeout_sec=4)))
    began = time.monotonic()
    data = desk.run(OFFICIAL, "https://drip.go.kr/", "https://endless.go.kr/", "https://bomb.go.kr/").data
    assert time.monotonic() - began < 20
    assert {entry["url"]: entry.get("truncated", False) for entry in data["keep"]} == {
        OFFICIAL: False,
        "https://endless.go.kr/": True,
    }
    assert reasons(data) == {
        "https://drip.go.kr/": "ACCESS_TIMEOUT",
        "https://bomb.go.kr/": "CONTENT_TOO_LARGE",
    }
    assert {entry["url"]: entry["truncated"] for entry in data["results"]} == {
        OFFICIAL: False,
        "https://endless.go.kr/": True,
        "https://bomb.go.kr/": True,
    }


def test_the_run_ends_inside_its_timebox_with_what_there_is(zoo: Zoo) -> None:
    zoo.site("www.me.go.kr", page(korean()))
    zoo.site("drip.go.kr", long_drip)
    own_timeout_sec = 10
    desk = Desk(zoo.fetcher(FetchPolicy(timeout_sec=own_timeout_sec)), timebox_sec=8)
    began = time.monotonic()
    data = desk.run(OFFICIAL, "https://drip.go.kr/").data
    assert time.monotonic() - began < own_timeout_sec
    assert len(data["keep"]) == 1
    assert reasons(data) == {"https://drip.go.kr/": "ACCESS_TIMEOUT"}


def test_a_cancelled_run_stops_at_once(zoo: Zoo, desk: Desk) -> None:
    zoo.fallback = page(korean())
    desk.checkpoints = Checkpoints(stop_at=2, stop_with=Cancelled())
    with pytest.raises(Cancelled) as cancelled:
        desk.run("https://127.0.0.1/", *(f"https://s{number}.go.kr/" for number in range(29)))
    assert len(desk.checkpoints.seen) == 2
    # Its owner is told what became of the addresses so far, and gets nothing that would have to be paid for.
    found = cancelled.value.found
    assert found is not None
    assert found.data == {}
    assert [entry["reason"] for entry in found.blocked_log] == ["PRIVATE_IP"]
    assert [entry["reason_code"] for entry in found.discard_log] == ["BLOCKED_BY_POLICY"]


def test_without_a_fetcher_the_pack_says_so() -> None:
    desk = Desk(None)  # type: ignore[arg-type]
    context = desk.context()
    with pytest.raises(PackError):
        PACK.execute({"urls": [OFFICIAL]}, type(context)(**{**context.__dict__, "services": {}}))


# --- the schema


@pytest.mark.parametrize(
    "inputs",
    [
        {},
        {"urls": []},
        {"urls": [OFFICIAL] * 31},
        {"urls": [OFFICIAL], "block_private_ip": False},
        {"urls": [OFFICIAL], "allow_https_only": False},
        {"urls": [OFFICIAL], "gates": {"access": False}},
        {"urls": [OFFICIAL], "fetch_timeout_sec": 11},
        {"urls": [OFFICIAL], "max_redirect_hops": 6},
        {"urls": [OFFICIAL], "follow": True},
        {"urls": [OFFICIAL], "gates": {"quality": {"include_tiers": ["official"]}}},
    ],
)
def test_the_schema_refuses(inputs: dict[str, Any]) -> None:
    assert list(Draft202012Validator(PACK.input_schema).iter_errors(inputs))


def test_the_schema_accepts_its_own_examples_and_the_switches_as_true() -> None:
    Draft202012Validator.check_schema(PACK.input_schema)
    validator = Draft202012Validator(PACK.input_schema)
    for example in PACK.input_schema["examples"]:
        validator.validate(example)
    validator.validate({"urls": [OFFICIAL], "block_private_ip": True, "allow_https_only": True})
