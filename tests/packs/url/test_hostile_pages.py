"""Pages made to harm the run they are read in: they cost themselves, never their neighbours."""

import json

import pytest

from dpp_project.canonical import canonical_bytes
from packs.url.page import Page
from packs.url.reading import as_json
from tests.packs.fetch.zoo import Zoo, page
from tests.packs.url.articles import korean
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
    answer = json.loads(as_json(Page("Title \ud800", "환경부 \udfff", None, None, None)))
    assert (answer["title"], answer["text"]) == ("Title ?", "환경부 ?")
