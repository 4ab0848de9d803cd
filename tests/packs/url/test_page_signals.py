"""What a page shows of itself decides where no list knows the site; titles are those a reader sees."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from bench.packs.url import host_counts
from packs.fetch.url import parse_url
from packs.url.page_signals import Signal
from packs.url.reader import ReaderProcess
from packs.url.reading import read_page
from packs.url.reliability import TIER_PRECISION
from packs.url.tiers import DOMAINS, TIERS, Basis, ranking_of, tier_of
from tests.packs.url.articles import html

SITE = "https://www.acme.example.com/page"
TEXT = "".join(
    f"<p>The council looked at report {number} on the new bridge and asked for figures.</p>" for number in range(8)
)
NEWS = json.dumps(
    {
        "@type": "NewsArticle",
        "headline": "The bridge opens in May",
        "author": {"@type": "Person", "name": "Kim Minji"},
        "datePublished": "2025-03-05",
        "publisher": {"@type": "NewsMediaOrganization", "name": "Harbour Courier"},
    }
)


def ranked(body: str, head: str = "", *, url: str = SITE, published: str | None = "2025-03-05") -> tuple[str, Basis]:
    page = read_page(html("The bridge opens in May", body, head=head, published=published).encode(), "text/html")
    ranking = ranking_of(parse_url(url), page.signals)
    return ranking.tier.name, ranking.basis


def json_ld(text: str) -> str:
    return f'<script type="application/ld+json">{text}</script>'


SHOP = (
    "<p>다이어트 보조제 한정 특가! 지금 구매하시면 1+1 사은품을 드립니다. 무료배송, 재구매율 1위.</p>" * 4
    + "<p>정가 59,000원, 오늘만 39,000원. 3개월분 99,000원.</p>"
    + '<button>장바구니 담기</button><a href="/cart">장바구니</a>'
)


def test_a_shop_is_known_by_its_price_and_its_cart() -> None:
    assert ranked(SHOP) == ("promotional", Basis.PAGE)
    sold = json_ld('{"@type": "Product", "name": "Bridge model", "offers": {"price": "20"}}')
    assert ranked(TEXT + "<button>Add to cart</button>", sold) == ("promotional", Basis.PAGE)


def test_a_report_on_prices_is_no_shop() -> None:
    report = TEXT + "<p>The toll is $3, with a discount of 20% off for residents; a coupon costs $2.50, a year $90.</p>"
    assert ranked(report) == ("unlisted", Basis.NOTHING)
    assert ranked(report, json_ld(NEWS))[0] == "press"


@pytest.mark.parametrize(
    "mark",
    [
        "<p>Sponsored content</p>" + TEXT,
        TEXT + "<p>이 글은 업체로부터 소정의 원고료를 받아 작성하였습니다.</p>",
        TEXT + "<p>We may earn a commission if you buy through our links.</p>",
    ],
)
def test_what_was_paid_for_is_advertising_also_in_a_newspaper(mark: str) -> None:
    assert ranked(mark, url="https://www.reuters.com/x") == ("promotional", Basis.PAGE)


def test_a_text_about_advertising_was_not_paid_for() -> None:
    about = "<p>The court ruled that sponsored content must be marked, and that an advertorial is advertising.</p>" * 3
    assert ranked(TEXT + about + TEXT, url="https://www.reuters.com/x") == ("press", Basis.LIST)


def test_author_date_and_desk_together_make_a_report() -> None:
    assert ranked(TEXT, json_ld(NEWS)) == ("press", Basis.PAGE)
    assert ranked(TEXT, json_ld(NEWS), url="https://news.acme.example.com/blog/1") == ("press", Basis.PAGE)
    nobody = json_ld(json.dumps({key: value for key, value in json.loads(NEWS).items() if key != "author"}))
    assert ranked(TEXT, nobody) == ("unlisted", Basis.NOTHING)


@pytest.mark.parametrize(
    ("head", "url", "tier"),
    [
        ('<meta property="og:site_name" content="한국교량산업협회">', "https://www.bridge.or.kr/x", "association"),
        ('<meta property="og:site_name" content="한국교량안전공단">', "https://www.bridge.or.kr/x", "public"),
        ('<meta property="og:site_name" content="한국교량안전공단">', "https://www.bridge.example.com/x", "unlisted"),
        ('<meta name="generator" content="Discourse 3.2">', SITE, "community"),
        (json_ld('{"@type": "BlogPosting", "headline": "x"}'), SITE, "company_blog"),
        (json_ld('{"@type": "BlogPosting", "headline": "x"}'), "https://www.theguardian.com/blog/1", "press"),
    ],
)
def test_the_publishers_name_tells_what_no_list_knows(head: str, url: str, tier: str) -> None:
    assert ranked(TEXT, head, url=url)[0] == tier


@pytest.mark.parametrize(
    "broken",
    ['{"@type": 5}', "[1, 2]", '{"@type": ["Product", null], "publisher": []}', "{", '{"publisher": {"name": 3}}'],
)
def test_a_broken_declaration_says_nothing(broken: str) -> None:
    assert ranked(TEXT, json_ld(broken))[0] == "unlisted"


@pytest.mark.parametrize(
    ("tab", "heading", "head", "title"),
    [
        ("The bridge opens in May | Harbour Courier", "The bridge opens in May", "", "The bridge opens in May"),
        ("Harbour Courier - The bridge opens in May", "The bridge opens in May", "", "The bridge opens in May"),
        (
            "The bridge opens in May - Harbour Courier",
            "",
            '<meta property="og:site_name" content="Harbour Courier">',
            "The bridge opens in May",
        ),
        ("The bridge opens in May", "Harbour Courier", "", "The bridge opens in May"),
        ("Well-known facts - a list", "", "", "Well-known facts - a list"),
        ("다리 5월 개통 :: 항구신문", "다리 5월 개통", "", "다리 5월 개통"),
    ],
)
def test_a_title_is_exactly_the_pages(tab: str, heading: str, head: str, title: str) -> None:
    shown = f"<h1>{heading}</h1>" if heading else ""
    head = f"<head><title>{tab}</title>{head}</head>"
    source = f"<!doctype html><html>{head}<body>{shown}<article>{TEXT}</article></body></html>"
    assert read_page(source.encode(), "text/html").title == title


def test_a_page_says_nothing_of_itself_in_plain_text() -> None:
    assert not read_page(b"Buy now! " * 20, "text/plain").signals


def test_signals_cross_from_the_reading_process() -> None:
    with ReaderProcess() as reader:
        assert Signal.SHOP in reader.read(html("Diet", SHOP).encode(), "text/html", time_left_sec=20).signals


def test_hosts_have_the_tier_a_careful_reader_gives_them() -> None:
    cases = _host_cases("cases/url_hosts.json")
    right, wrong = host_counts(cases)
    assert right >= 0.95 * len(cases), wrong


def test_hosts_of_another_author_are_kept_or_discarded_as_labelled() -> None:
    """Whether a central bank is `official` or `public` is a matter of words, and readers differ; both are kept."""
    cases = _host_cases("held_out/url_hosts.json")
    _, wrong = host_counts(cases)
    differ = [line for line in wrong if not line.endswith(("public, not official", "official, not public"))]
    assert len(differ) <= 0.05 * len(cases), differ
    kept = {tier.name for tier in TIERS if tier.kept}
    assert all((tier_of(parse_url(case["url"])).name in kept) == (case["tier"] in kept) for case in cases)


def test_the_lists_are_as_precise_as_a_result_says() -> None:
    """On hosts of an author who had not seen the lists, `official` and `public` as one kind."""
    ranked = [(ranking_of(parse_url(case["url"])), case["tier"]) for case in _host_cases("held_out/url_hosts.json")]
    listed = [(_kind(ranking.tier.name), _kind(label)) for ranking, label in ranked if ranking.basis is Basis.LIST]
    assert len(listed) >= 100
    assert sum(given == label for given, label in listed) / len(listed) >= TIER_PRECISION[Basis.LIST]


def _kind(tier: str) -> str:
    return "public" if tier == "official" else tier


def _host_cases(name: str) -> list[dict[str, Any]]:
    text = (Path(__file__).parents[3] / "bench" / "packs" / name).read_text(encoding="utf-8")
    cases: list[dict[str, Any]] = json.loads(text)["cases"]
    return cases


@pytest.mark.parametrize(
    ("url", "tier"),
    [
        ("https://www2.gov.xy.ca/rules", "official"),
        ("https://www.city.nowhere.lg.jp/", "official"),
        ("https://www.state.zz.us/tax", "official"),
        ("https://northerncollege.org/", "research"),
        ("https://www.springfielduniversity.net/", "research"),
        ("https://www.springfieldherald.com/2025/x", "press"),
        ("https://www.nowhereilbo.co.kr/news/1", "press"),
        ("https://www.widgetassociation.org/", "association"),
        ("https://www.dosenverband.de/", "association"),
        ("https://www.kzqa.or.kr/", "association"),
        ("https://acme-widgets.com/en/docs/start", "vendor_docs"),
        ("https://learn.acme-widgets.com/", "vendor_docs"),
        ("https://news.acme-widgets.com/", "unlisted"),
        ("https://sometimes.example.com/", "unlisted"),
        ("https://outpost.example.com/", "unlisted"),
        ("https://www.acme-widgets.or.kr/", "unlisted"),
    ],
)
def test_a_site_that_no_list_knows_is_told_by_its_name(url: str, tier: str) -> None:
    found = ranking_of(parse_url(url))
    assert (found.tier.name, found.basis in (Basis.NAME, Basis.NOTHING)) == (tier, True)


def test_of_korean_names_built_like_an_associations_most_are_one() -> None:
    """What the rule for `k…a.or.kr` rests on, measured on the lists."""
    built_so = [tier.name for domain, tier in DOMAINS.items() if re.fullmatch(r"k[a-z]{1,4}a\.or\.kr", domain)]
    assert len(built_so) > 30
    assert built_so.count("association") / len(built_so) > 0.7
