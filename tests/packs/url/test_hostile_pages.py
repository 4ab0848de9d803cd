"""Pages made to harm the run they are read in: they cost themselves, never their neighbours."""

import subprocess
import sys

import pytest

from dpp_project.canonical import canonical_bytes
from packs.url.reader import LIMITS, ReaderProcess
from packs.url.reading import MAX_PDF_PAGES, MAX_TEXT_CHARS
from tests.packs.fetch.zoo import Zoo, page
from tests.packs.ocr.documents import text_pages
from tests.packs.url.articles import html, korean
from tests.packs.url.desk import Desk

GOOD, HOSTILE = "https://www.me.go.kr/notice", "https://www.oecd.org/hostile.txt"
# Half a pair in UTF-7, the same as an escape sequence; letters otherwise.
HALF_A_PAIR = "The subsidy for electric vehicles +2AA- changed \\ud800 in the spring of the year.\n" * 3


@pytest.mark.parametrize(
    "charset", ["utf-7", "unicode_escape", "raw_unicode_escape", "idna", "punycode", "undefined", "rot13"]
)
def test_a_charset_that_is_not_of_the_web_is_not_believed(zoo: Zoo, desk: Desk, charset: str) -> None:
    zoo.site("www.oecd.org", page(HALF_A_PAIR, content_type=f"text/plain; charset={charset}"))
    zoo.site("www.me.go.kr", page(korean()))
    result = desk.run(HOSTILE, GOOD)
    assert canonical_bytes(result.data)
    assert {entry["url"] for entry in result.data["keep"]} == {GOOD, HOSTILE}
    assert result.data["results"][0]["text_excerpt"] == HALF_A_PAIR.strip()


def test_no_half_of_a_pair_leaves_the_reading_process() -> None:
    body = "<html><title>Title &#xd800;</title><p>" + "환경부 &#xdfff; " * 20
    with ReaderProcess() as reader:
        page = reader.read(body.encode(), "text/html", time_left_sec=20)
    assert canonical_bytes([page.title, page.text])


LINE = "The subsidy for electric vehicles changed in the spring of the year.\n"


@pytest.mark.parametrize(
    ("body", "cut"),
    [
        (LINE * (MAX_TEXT_CHARS // len(LINE)), False),
        (LINE * (MAX_TEXT_CHARS // len(LINE) + 1), True),
        (LINE + " " * 3 * MAX_TEXT_CHARS, False),
        (LINE + " " * 3 * MAX_TEXT_CHARS + LINE, True),
        (html("Subsidy", f"<p>{LINE * (MAX_TEXT_CHARS // len(LINE) + 1)}</p>"), True),
        (text_pages(*[LINE.strip()] * MAX_PDF_PAGES), False),
        (text_pages(*[LINE.strip()] * (MAX_PDF_PAGES + 1)), True),
    ],
    ids=["all of it", "a line more", "blanks", "a line after blanks", "html", "all pages", "a page more"],
)
def test_a_document_longer_than_is_read_is_kept_and_says_so(zoo: Zoo, desk: Desk, body: str | bytes, cut: bool) -> None:
    zoo.site("www.me.go.kr", page(body, content_type="text/plain"))
    data = desk.run(GOOD).data
    assert [entry["truncated"] for entry in data["results"]] == [cut]
    assert [entry.get("truncated", False) for entry in data["keep"]] == [cut]


A_READER_HAS_AT_LEAST = 50 * 1_048_576

# In a process of its own, since the kernel tells only the largest of all children a process has had.
READS_A_BOMB = """
import resource, sys
from packs.sandbox.templates import end_templates
from packs.url.page import Unreadable
from packs.url.reader import ReaderProcess
from tests.packs.ocr.zoo import ZOO
from tests.packs.url.articles import english

with ReaderProcess() as reader:
    try:
        reader.read(ZOO[sys.argv[1]][0](), "application/pdf", time_left_sec=30)
    except Unreadable:
        print("unreadable")
    print(reader.read(english().encode(), "text/html", time_left_sec=30).language)
# The kernel tells of a reader when its template has ended.
end_templates()
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


@pytest.mark.parametrize("bomb", ["chained filters", "nested drawings"])
def test_a_document_that_unpacks_without_end_takes_bounded_memory(bomb: str) -> None:
    told = subprocess.run([sys.executable, "-c", READS_A_BOMB, bomb], capture_output=True, text=True, check=True)
    outcome, next_language, most_resident_kib = told.stdout.split()
    assert (outcome, next_language) == ("unreadable", "en")
    assert int(most_resident_kib) * 1_024 >= A_READER_HAS_AT_LEAST
    assert int(most_resident_kib) * 1_024 <= LIMITS.memory_bytes <= 512 * 1_048_576
