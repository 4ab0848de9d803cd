"""The parts of the pack that need no site: reading in a process of its own, quotations, terms, tiers,
spellings."""

import os
import re
import signal
import time
from typing import Any

import pytest

from dpp_project.profile import PROFILE
from packs.fetch.url import parse_url
from packs.url.duplicates import Seen
from packs.url.normalise import normalised
from packs.url.page import Page, Unreadable
from packs.url.quotes import MAX_QUOTE_CHARS, MAX_WINDOWS, _longest_from, evidence_quote, gist, word_count
from packs.url.reader import ReaderProcess
from packs.url.relevance import Passages
from packs.url.terms import terms_of
from packs.url.tiers import tier_of
from tests.packs.url.articles import english


def quoted(page: Page, question: str = "") -> str:
    return evidence_quote(page, passages_of(page, question))


def passages_of(page: Page, question: str = "") -> Passages:
    return Passages(page.title, page.text, terms_of(question))


def test_a_page_made_to_stall_the_reader_costs_its_time_and_no_more() -> None:
    """Given a page that takes a parser a quarter of a minute, Expect it to be given up and the next one to
    be read."""
    stalling = b"<html><body><article>" + b"<p>word <b>bold</b> text text text</p>" * 40_000
    with ReaderProcess(read_cpu_sec=1.0) as reader:
        reader.read(english().encode(), "text/html", time_left_sec=20)
        began = time.monotonic()
        with pytest.raises(Unreadable):
            reader.read(stalling, "text/html", time_left_sec=20)
        # Counted is the processor's time, so a busy machine may take several times the second.
        assert time.monotonic() - began < 12
        assert "Subsidy" in reader.read(english().encode(), "text/html", time_left_sec=20).title


def test_the_reader_survives_what_crashes_it() -> None:
    with ReaderProcess() as reader:
        reader.read(english().encode(), "text/html", time_left_sec=20)
        child = reader._process.pid
        assert child is not None
        os.kill(child, signal.SIGKILL)
        with pytest.raises(Unreadable):
            reader.read(english().encode(), "text/html", time_left_sec=20)
        assert reader.read(english().encode(), "text/html", time_left_sec=20).language == "en"


@pytest.mark.parametrize(
    "body",
    [b"", b"\0" * 100, b"<html></html>", b"%PDF-1.4\n" + b"\xff" * 5_000, b"<" * 100_000, b"<div>" * 100_000],
)
def test_what_holds_no_text_is_unreadable(body: bytes) -> None:
    with ReaderProcess() as reader, pytest.raises(Unreadable):
        reader.read(body, "text/html", time_left_sec=20)


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("One two three. " + "word " * 60 + "subsidy for electric cars here and there. End.", "electric subsidy"),
        ("state-of-the-art " * 40, "art"),
        ("这是一个没有空格的很长的句子" * 40, ""),
        ("보조금은 올해 크게 바뀌었다. " * 3, "보조금"),
        ("A. B. C.", "nothing"),
        ("3.14 is pi. Version 2.0.1 of the subsidy rule came into force.", "subsidy"),
    ],
)
def test_a_quotation_is_short_and_word_for_word(text: str, question: str) -> None:
    page = Page("Title", text, None, None, None)
    quote = quoted(page, question)
    assert quote
    assert quote in text
    assert word_count(quote) <= 25
    assert len(quote) <= MAX_QUOTE_CHARS
    assert word_count(gist(page, passages_of(page, question))) <= 25 + 1


def test_the_quotation_is_the_sentence_that_answers() -> None:
    text = "Cats are small animals that sleep. The subsidy for electric cars rose to 300 dollars. Dogs bark at night."
    page = Page("t", text, None, "en", None)
    assert quoted(page, "How did the electric car subsidy change?").startswith("The subsidy")


def test_a_gist_does_not_say_the_same_twice() -> None:
    """Given a page that prints its lead above the text and in it, Expect the lead once, and what answers beside it."""
    lead = "The council replaces four sluices."
    text = f"{lead}\nNobody was hurt in the storm of last week.\n{lead} The four sluices cost 27 million won."
    page = Page("t", text, None, "en", None)
    assert gist(page, passages_of(page, "council sluices cost")).count(lead) == 1


def test_a_headline_is_not_quoted_as_evidence() -> None:
    title = "What the subsidy reform changed for buyers"
    said = "After the reform the full amount is reserved for cars with a range of at least 440 kilometres."
    assert quoted(Page(title, f"{title}\n{said}", None, "en", None), "subsidy reform") == said
    assert quoted(Page(title, f"{title}\n{said}", None, "en", None)) == said
    assert quoted(Page(title, title, None, "en", None)) == title


class CountedSlices(list[re.Match[str]]):
    """Counts the elements that slices of it copy."""

    copied = 0

    def __getitem__(self, asked: Any) -> Any:
        found = super().__getitem__(asked)
        self.copied += len(found) if isinstance(asked, slice) else 0
        return found


def test_one_window_costs_the_same_however_long_the_sentence_is() -> None:
    text = "a " * 5_000
    words = CountedSlices(re.finditer(r"\S+", text))
    assert word_count(text[slice(*_longest_from(words, 0))]) == PROFILE.quote_max_words
    assert words.copied <= PROFILE.quote_max_words


def test_a_sentence_without_end_is_looked_at_in_its_beginning_only() -> None:
    within, beyond = "word " * (MAX_WINDOWS - 1) + "subsidy ", "word " * MAX_WINDOWS * 2 + "subsidy " + "word " * 50
    assert "subsidy" in quoted(Page("t", within + "word " * 50, None, "en", None), "subsidy")
    assert quoted(Page("t", beyond, None, "en", None), "subsidy").startswith("word word")
    assert "subsidy" not in quoted(Page("t", beyond, None, "en", None), "subsidy")


@pytest.mark.parametrize(
    ("url", "tier"),
    [
        ("https://www.law.go.kr/", "official"),
        ("https://kostat.go.kr/", "public"),
        ("https://www.federalreserve.gov/x", "public"),
        ("https://www.nist.gov/x", "standards"),
        ("https://arxiv.org/abs/1", "research"),
        ("https://cs.snu.ac.kr/", "research"),
        ("https://www.yna.co.kr/view/1", "press"),
        ("https://n.news.naver.com/article/001/0001", "press"),
        ("https://blog.naver.com/x", "company_blog"),
        ("https://someone.tistory.com/1", "company_blog"),
        ("https://blog.acme.example.com/", "company_blog"),
        ("https://acme.example.com/blog/post", "company_blog"),
        ("https://gall.dcinside.com/x", "community"),
        ("https://www.coupang.com/x", "promotional"),
        ("https://go.kr.evil.example.com/", "unlisted"),
        ("https://notgo.kr/", "unlisted"),
        ("https://docs.aws.amazon.com/lambda/", "vendor_docs"),
        ("https://docs.acme.example.com/", "vendor_docs"),
        ("https://www.fki.or.kr/", "association"),
        ("https://www.hani.co.kr/blog/1", "press"),
    ],
)
def test_a_source_is_known_by_its_domain(url: str, tier: str) -> None:
    assert tier_of(parse_url(url)).name == tier


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("https://a.example.com/x/", "http://A.example.com:80/x?utm_campaign=1#y", True),
        ("https://a.example.com/?b=2&a=1&fbclid=x", "https://a.example.com/?a=1&b=2", True),
        ("https://a.example.com/x", "https://a.example.com/y", False),
        ("https://a.example.com/?id=1", "https://a.example.com/?id=2", False),
        ("https://a.example.com/X", "https://a.example.com/x", False),
    ],
)
def test_one_page_has_one_spelling(one: str, other: str, same: bool) -> None:
    assert (normalised(parse_url(one)) == normalised(parse_url(other))) is same


def test_a_report_with_another_byline_is_the_same_report() -> None:
    seen = Seen()
    report = " ".join(f"sentence number {number} of the report says something" for number in range(60))
    seen.add("https://a.example.com/", report)
    assert seen.twin_of("By our staff. " + report) == "https://a.example.com/"
    assert seen.twin_of(report[: len(report) // 2]) is None
    assert seen.twin_of("something else entirely") is None
