"""Numbers, units, quotations and addresses a text may use."""

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
