"""What a url run leaves besides its data: files, and the times of its log entries."""

import re
import time
from datetime import datetime, timedelta
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from packs.decision import PACK as DECISION
from packs.fetch.policy import refuse_literal
from packs.url.page_files import KEPT_URLS, MAX_EXCERPT_CHARS
from packs.url.reading import MAX_TEXT_CHARS, read_page
from packs.url.result import EXCERPT_CHARS
from tests.packs.fetch.zoo import Handler, Zoo, page
from tests.packs.url.articles import QUESTION, html, korean
from tests.packs.url.desk import NOW, Desk

OFFICIAL = "https://www.me.go.kr/notice"
RICH = html(
    "Bridge report",
    "<h2>Costs</h2><p>The bridge costs a third more than planned, says the council of the harbour town.</p>"
    "<ul><li>Steel became dearer by a fifth within a year</li><li>The ground was softer than the survey said</li></ul>"
    '<p>The <a href="https://www.oecd.org/steel">steel report</a> explains the rise of prices in more detail.</p>'
    "<table><tr><th>Year</th><th>Cost</th></tr><tr><td>2024</td><td>31 million</td></tr></table>"
    + "".join(
        f"<p>Work on pier {pier} goes on through the winter, and the council hears it.</p>" for pier in range(30)
    ),
)


def test_the_kept_addresses_are_a_text_file(zoo: Zoo, desk: Desk) -> None:
    zoo.site("www.me.go.kr", page(korean()))
    zoo.site("www.kdi.re.kr", page(korean("수소차")))
    result = desk.run("https://www.kdi.re.kr/1", OFFICIAL, question=QUESTION)
    (listed,) = result.artifacts
    assert (listed.name, listed.body.decode()) == (KEPT_URLS, f"{OFFICIAL}\nhttps://www.kdi.re.kr/1\n")


def test_a_run_that_keeps_nothing_leaves_no_file(zoo: Zoo, desk: Desk) -> None:
    zoo.site("www.me.go.kr", page("", status=404))
    assert desk.run(OFFICIAL).artifacts == ()


@pytest.mark.parametrize(("wanted", "longest"), [("excerpt", MAX_EXCERPT_CHARS + 300), ("full", MAX_TEXT_CHARS)])
def test_a_kept_page_is_clean_markdown_on_request(zoo: Zoo, desk: Desk, wanted: str, longest: int) -> None:
    zoo.site("www.oecd.org", page(RICH))
    _, file = desk.run("https://www.oecd.org/bridge", page_files=wanted).artifacts
    text = file.body.decode()
    assert file.name == "page-01-www-oecd-org.md"
    assert text.startswith("# Bridge report\n\nSource: <https://www.oecd.org/bridge>\n")
    assert text.count("# Bridge report") == 1
    assert "## Costs" in text
    assert "- Steel became dearer" in text
    assert "[steel report](https://www.oecd.org/steel)" in text
    assert len(text) <= longest
    assert ("Truncated:" in text) is (wanted == "excerpt")
    assert "Home" not in text
    assert "Copyright" not in text


def test_tables_are_tables_in_markdown() -> None:
    assert re.search(r"\| *2024 *\| *31 million *\|", read_page(RICH.encode(), "text/html", markdown=True).markdown)


def test_excerpts_are_as_long_in_files_as_in_the_data() -> None:
    assert MAX_EXCERPT_CHARS == EXCERPT_CHARS


def test_a_log_entry_has_the_time_at_which_it_happened(zoo: Zoo, desk: Desk) -> None:
    def slow(handler: Handler) -> Handler:
        def late(*asked: Any) -> None:
            time.sleep(0.5)
            handler(*asked)

        return late

    zoo.site("a.go.kr", slow(page("", status=404)))
    at_once, late = desk.run("https://127.0.0.1/", "https://a.go.kr/").discard_log
    assert all(re.fullmatch(r"2026-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", entry["ts"]) for entry in (at_once, late))
    first, second = (datetime.fromisoformat(entry["ts"]) for entry in (at_once, late))
    assert NOW - timedelta(milliseconds=1) <= first < second - timedelta(seconds=0.4)


def test_a_name_that_cannot_exist_is_not_called_private() -> None:
    refused = {url: refuse_literal(f"https://{url}/") for url in ("nowhere.invalid", "nowhere", "printer.local")}
    details = {url: refusal.detail for url, refusal in refused.items() if refusal is not None}
    assert "private" not in details["nowhere.invalid"] + details["nowhere"]
    assert "private" in details["printer.local"]


@pytest.mark.parametrize(
    ("url", "fits"),
    [
        ("https://www.me.go.kr/notice?a=1#b", True),
        ("HTTPS://www.me.go.kr", True),
        ("http://www.me.go.kr/", False),
        ("https://user:secret@www.me.go.kr/", False),
        ("https://www.me.go.kr/a b", False),
        ("ftp://www.me.go.kr/", False),
        ("https://", False),
    ],
)
def test_the_decision_packs_schema_refuses_what_the_server_refuses(url: str, fits: bool) -> None:
    validator = Draft202012Validator(DECISION.input_schema)
    assert validator.is_valid({"question": "Which?", "evidence_urls": [url]}) is fits
    assert (refuse_literal(url) is None) is fits
