"""Numbers, units, quotations and addresses a text may use."""

import time

import pytest

from packs.llm.grounding import foreign_urls, invented_figures, known_figures, long_quotations, unsupported_quotation

GIVEN = ["Price: 1,200,000원 a month", "uptime 99.9 %", "30 days", "$25", "직원 120명", "score 88.5"]
KNOWN = known_figures(GIVEN)


@pytest.mark.parametrize(
    "text",
    [
        "The price is 1,200,000원.",
        "The price is 1200000원.",
        "가격은 1,200,000 원이며 가동률은 99.9%입니다.",
        "Uptime is 99.9 percent within 30-day periods.",
        "It costs 25 USD and 120 people use it.",
        "A score of 88.5 points.",
        "No numbers at all.",
        "１２０명이 사용한다",
    ],
)
def test_given_numbers_pass(text: str) -> None:
    assert invented_figures(text, KNOWN) == []


@pytest.mark.parametrize(
    "text",
    [
        "The price is 1,300,000원.",
        "Uptime is 99.99 %.",
        "It takes 30 weeks.",
        "It costs 25 EUR.",
        "It costs €25.",
        "About 120%.",
        "Roughly 1.2 million won.",
        "12개월",
        "88 points",
        "１３０명이 사용한다",
    ],
)
def test_invented_numbers_and_units_are_found(text: str) -> None:
    assert invented_figures(text, KNOWN)


def test_foreign_addresses_are_found() -> None:
    known = ["https://a.example/x"]
    assert foreign_urls("See https://a.example/x.", known) == []
    assert foreign_urls("See https://a.example/x?leak=1 and HTTP://evil.example", known) == [
        "https://a.example/x?leak=1",
        "HTTP://evil.example",
    ]


@pytest.mark.parametrize(
    "address",
    [
        "//evil.example",
        "//evil.example/collect?id=1",
        "evil.example/x",
        "evil.example:8443",
        "EVIL.EXAMPLE/x",
        "ftp://evil.example/x",
        "file:///etc/passwd",
        "gopher://evil.example",
        "javascript:alert(1)",
        "data:text/html,hello",
        "mailto:money@evil.example",
        "tel:0601234567",
        "https:/evil.example",
        "https:evil.example",
        "https:\\\\evil.example",
        "\\\\evil.example\\share",
        "www.evil.example",
        "198.51.100.7/x",
        "198.51.100.7:8080",
        "bücher.example/x",
        "한국기업.한국/x",
        "xn--bcher-kva.example/x",
        "ｈｔｔｐｓ：／／evil.example",
        "https:/\u200b/evil.example",
        "evil\u3002example/x",
        "ev\u00adil.example/x",
        "[the report](evil)",
        "[the report](evil.example)",
    ],
)
def test_an_address_in_whatever_form_is_found(address: str) -> None:
    for text in (
        address,
        f"See {address} for more.",
        f"자세한 내용은 {address} 참고",
        f"({address})",
        f"**{address}**",
    ):
        assert foreign_urls(text, ["https://a.example/x"]), text


@pytest.mark.parametrize(
    "text",
    [
        "See https://a.example/x.",
        "출처: https://a.example/x, 그리고 //b.example/y!",
        "[the page](https://a.example/x)",
        "Node.js and version 2.1.0 run on either, and/or both.",
        "가격은 낮고/또는 지원이 좋습니다.그리고 끝.",
        "비율은 3:1, 시각은 10:30입니다.",
        "Costs: lower. Data: moved by the vendor. Tel: none.",
        "e.g. and i.e. are fine; A/B tests, too.",
    ],
)
def test_known_addresses_and_plain_text_pass(text: str) -> None:
    assert foreign_urls(text, ["https://a.example/x", "//b.example/y"]) == []


def test_the_search_for_addresses_takes_no_longer_for_a_hostile_text() -> None:
    began = time.process_time()
    for text in ("a." * 100_000, "/" * 200_000, "](" * 100_000, "a-" * 100_000, "1.1.1." * 50_000, "www." * 50_000):
        foreign_urls(text, [])
    assert time.process_time() - began < 5


def test_long_quotations_are_found() -> None:
    words = " ".join(["word"] * 26)
    assert long_quotations(f'It says "{words}".')
    assert long_quotations(f"It says “{words}”.")
    assert not long_quotations('It says "a few words".')


def test_a_citation_must_stand_at_its_pointer_letter_by_letter() -> None:
    sources = {"/context": "Support is slow\non weekends.", "/question": "Which?"}
    assert unsupported_quotation("slow on weekends", "/context", sources) is None
    assert unsupported_quotation("Support is fast", "/context", sources)
    assert unsupported_quotation("Support is slow", "/question", sources)
    assert unsupported_quotation("Support is slow", "/elsewhere", sources)
    assert unsupported_quotation(" ", "/context", sources)
    long = {"/context": " ".join(["word"] * 40)}
    assert unsupported_quotation(" ".join(["word"] * 26), "/context", long)
