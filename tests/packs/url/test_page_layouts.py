"""Titles, dates and walls of pages as the usual systems write them: Korean boards and portals, blogs, documentation."""

import time

import pytest

from packs.url.page import Page
from packs.url.reader import READ_CPU_SEC
from packs.url.reading import read_page

KOREAN = (
    "<p>저수지 관리소는 북쪽 수문 네 곳을 장마 전에 바꾸겠다고 밝혔다. 점검에서 낡은 이음부가 여러 곳 확인됐다. "
    "공사에는 약 6주가 걸리며 그동안 마을에는 급수차가 다닌다.</p>"
    "<p>관리소 관계자는 봄 이후 수압이 3분의 1가량 떨어졌다고 설명했다. 농민들은 수확기를 고려해 달라고 요청했다.</p>"
)
ENGLISH = (
    "<p>The board said that four sluices in the north will be replaced before the rains. Inspectors "
    "found worn joints in "
    "several places. The work takes about six weeks, and tankers will bring water to the villages.</p>"
    "<p>Pressure has fallen by a third since spring. Farmers asked for a timetable that respects the harvest.</p>"
)


def read(body: str, head: str = "", *, language: str = "ko") -> Page:
    source = f"<!doctype html><html lang='{language}'><head>{head}</head><body>{body}</body></html>"
    return read_page(source.encode(), "text/html; charset=utf-8")


TITLES = {
    "board": (
        "<title>공지사항 상세 | 알림마당 | 저수지관리소</title>",
        f"<h1><a href='/'>저수지관리소</a></h1><h2>공지사항</h2><h3 class='view_title'>수문 교체 안내</h3>{KOREAN}",
        "수문 교체 안내",
    ),
    "table": (
        "<title>고시공고 | 들판시청</title>",
        f"<table><tr><th>제목</th><td>하천 점용 고시</td></tr></table><div>{KOREAN}</div>",
        "하천 점용 고시",
    ),
    "site instead of title": (
        "<title>보도자료 - 뉴스 - 물관리부</title><meta property='og:title' content='물관리부'>"
        "<meta property='og:site_name' content='물관리부'>",
        f"<div class='view_head'><h2>노후 수문 정비계획</h2></div>{KOREAN}",
        "노후 수문 정비계획",
    ),
    "list behind it": (
        "<title>휴관을 알려 드립니다 > 공지사항 | 들판도서관</title>",
        f"<h1>휴관을 알려 드립니다 > 공지사항</h1>{KOREAN}",
        "휴관을 알려 드립니다",
    ),
    "documentation": (
        "<title>Usage &#8212; sluice 2.1 documentation</title>",
        f"<h1>Usage<a class='headerlink' href='#usage'>¶</a></h1>{ENGLISH}",
        "Usage",
    ),
    "short heading": ("<title>Install | Sluice</title>", f"<h1>Install</h1>{ENGLISH}", "Install"),
    "second heading": ("<title>급수조례 해설 - 법령정보</title>", f"<h2>급수조례 해설</h2>{KOREAN}", "급수조례 해설"),
    "site first": (
        "<title>들판 노트 | 수문 이야기</title>",
        f"<h1><a href='https://fields.example/'>들판 노트</a></h1><h2>수문 이야기</h2>{KOREAN}",
        "들판 노트 | 수문 이야기",
    ),
    "front page": (
        "<title>Field Notes</title><meta property='og:site_name' content='Field Notes'>",
        f"<h2 class='title'>A post</h2>{ENGLISH}",
        "Field Notes",
    ),
}


@pytest.mark.parametrize("name", TITLES)
def test_a_title_is_the_texts_own(name: str) -> None:
    head, body, title = TITLES[name]
    assert read(body, head).title == title


DATES = {
    "entered and changed": (
        "<em>수정</em><span>2024.05.18. 오후 2:40</span><em>입력</em><span>2024.05.17. 오전 9:12</span>",
        "",
        ("2024-05-17", "2024-05-18"),
    ),
    "cell": ("<table><tr><th>등록일</th><td>2024-02-14</td></tr></table>", "", ("2024-02-14", None)),
    "two digits": ("<strong><span>작성일</span> 24-03-05 10:22</strong>", "", ("2024-03-05", None)),
    "only a change": (
        "<footer>© 2010. Last updated on Mar 03, 2024. Built by hand.</footer>",
        "",
        (None, "2024-03-03"),
    ),
    "library": (
        "",
        "<meta name='dcterms.created' content='2023-09-14T10:00Z'><meta name='dcterms.modified' content='2024-02-20'>",
        ("2023-09-14", "2024-02-20"),
    ),
    "preprint": (
        "<div>[Submitted on 20 May 2023 (<a>v1</a>), last revised 2 Jan 2024 (this version, v3)]</div>",
        "<meta name='citation_date' content='2023/05/20'><meta name='citation_online_date' content='2024/01/02'>",
        ("2023-05-20", "2024-01-02"),
    ),
    "month alone": ("", "<meta name='citation_publication_date' content='2024/06'>", (None, None)),
    "prose": ("<p>The standard, last published on 12 March 2019, allows 6 bar.</p>", "", (None, None)),
    "one date": ("", "<meta property='article:published_time' content='2024-01-09T12:00:00Z'>", ("2024-01-09", None)),
    "declared before shown": (
        "<span>입력 2026-01-01</span>",
        '<script type="application/ld+json">{"@type": "NewsArticle", "datePublished": "2024-05-05T05:05:05Z"}</script>',
        ("2024-05-05", None),
    ),
    "no such day": ("<p>등록일 2024-02-31</p>", "", (None, None)),
}


@pytest.mark.parametrize("name", DATES)
def test_dates_are_those_that_the_page_states(name: str) -> None:
    body, head, dates = DATES[name]
    page = read(f"<h1>수문 교체</h1>{body}{KOREAN}", head)
    assert (page.published, page.modified) == dates


OPEN = {
    "login for comments": f"{KOREAN}<section>로그인 후 댓글을 작성하실 수 있습니다.</section>",
    "menu for subscribers": f"<nav>유료회원 안내 회원전용 구독자 전용</nav><article>{KOREAN}</article>",
    "form against robots": f"{KOREAN}<form>자동등록방지 숫자를 입력하세요 <textarea></textarea></form>",
    "banner for cookies": f"<div><h2>We value your privacy</h2><button>Accept all</button></div><main>{ENGLISH}</main>",
    "report on subscribers": f"{KOREAN}<p>유료 구독자가 늘었다. 구독자 전용 행사와 콘텐츠 묶음이 효과를 냈다.</p>",
    "report on cookies": (
        "<main><p>Browsers stop sending cookies to others next year. Engineers asked for a delay, and groups "
        "complained "
        "about lost revenue.</p><p>Small sites expect few changes. Half of four hundred publishers measure "
        "visits by other "
        "means already, a survey found.</p></main><button>Accept all</button>"
    ),
    "script": f"{ENGLISH}<script>var wall = 'Subscribe to continue reading this article'</script>",
}


@pytest.mark.parametrize("name", OPEN)
def test_what_stands_in_the_margin_closes_no_page(name: str) -> None:
    assert read(f"<h1>수문 교체</h1>{OPEN[name]}").barrier is None


@pytest.mark.parametrize("kind", ["WebPageElement", "Event"])
def test_only_what_is_read_can_be_locked(kind: str) -> None:
    locked = f'{{"@graph": [{{"@type": "NewsArticle"}}, {{"@type": "{kind}", "isAccessibleForFree": false}}]}}'
    head = f'<script type="application/ld+json">{locked}</script>'
    assert read(ENGLISH, head).barrier is None
    assert read(ENGLISH, head.replace(kind, "WebPage")).barrier == "PAYWALL"


CLOSED = {
    "story for subscribers": (f"{ENGLISH}<div>To read the full story, subscribe or sign in.</div>", "PAYWALL"),
    "기사": ("<p>수문을 바꾼다.</p><div>이 기사는 유료 구독 회원만 읽을 수 있습니다.</div>", "PAYWALL"),
    "reste": ("<p>Onze fuites.</p><div>Il vous reste 78 % de cet article à lire.</div>", "PAYWALL"),
    "카페": ("<p>카페 멤버만 볼 수 있는 글입니다.</p><a>로그인</a>", "LOGIN_REQUIRED"),
    "press and hold": ("<h1>Before we continue</h1><p>Press &amp; Hold to confirm you are a human.</p>", "BOT_WALL"),
    "denied": ("<h1>Access Denied</h1>You don't have permission to access this on this server.", "BOT_WALL"),
    "script alone": ("<p>Please wait</p><script>window._cf_chl_opt={}</script>", "BOT_WALL"),
    "보안": ("<p>과도한 접근 요청으로 이용이 제한되었습니다. 보안문자를 입력해 주세요.</p>", "BOT_WALL"),
    "family of brands": (
        "<h1>Part of a family</h1><p>When you use our sites, we use cookies to provide them to you. With "
        "your consent our "
        "partners store information on a device. You can withdraw your consent in the privacy settings at "
        "any time. Cookies "
        "are kept for a year.</p><button>Accept all</button><button>Reject all</button>",
        "CONSENT_WALL",
    ),
}


@pytest.mark.parametrize("name", CLOSED)
def test_a_wall_is_known_by_what_it_says(name: str) -> None:
    body, barrier = CLOSED[name]
    assert read(body, language="en").barrier == barrier


def test_a_page_behind_the_same_service_is_no_check_for_robots() -> None:
    script = "<script>a.src='/cdn-cgi/challenge-platform/scripts/jsd/main.js'</script>"
    assert read(f"<p>The office opens at nine and closes at five, on Saturdays at noon.</p>{script}").barrier is None


def test_a_title_of_very_many_parts_does_not_take_the_readers_time() -> None:
    began = time.process_time()
    assert read(ENGLISH, f"<title>{' | part' * 50_000}</title>").text
    assert time.process_time() - began < READ_CPU_SEC / 2
