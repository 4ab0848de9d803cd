"""The front page and the guides: for people with a browser, and as Markdown for programs."""

import re

import pytest
from django.test import Client

from runs.api.guides import guides
from tests.processes import CLONE

_BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
_STYLE = {"/guides/style.css"}
_SERVICE = {"/docs/", "/v1/openapi.json", "/readyz", "/admin/", "/llms.txt", "/"}


def _schemas() -> set[str]:
    return {f"/guides/schemas/{path.name}" for path in (CLONE / "docs" / "schemas").glob("*.json")}


def test_the_front_page_leads_everywhere(api: Client) -> None:
    page = api.get("/", headers={"Accept": _BROWSER})
    text = page.content.decode()
    assert (page.status_code, page.headers["Content-Type"]) == (200, "text/html; charset=utf-8")
    assert "<h1" in text
    links = set(re.findall(r'href="([^"]+)"', text))
    assert links >= _SERVICE
    assert {f"/guides/{path.stem}" for path in (CLONE / "docs").glob("*.md")} <= links
    assert "default-src 'none'" in page.headers["Content-Security-Policy"]


def test_every_guide_is_a_page_whose_links_lead_somewhere(api: Client) -> None:
    known = {found.address for found in guides().values()}
    assert len(known) == len(list((CLONE / "docs").rglob("*.md")))
    images = set()
    for address in known:
        page = api.get(address, headers={"Accept": _BROWSER})
        assert page.status_code == 200, address
        text = page.content.decode()
        for link in re.findall(r'(?:href|src)="([^"#]+)', text):
            if link.endswith((".png", ".svg")) and link.startswith("/guides/"):
                images.add(link)
            else:
                assert link in known | _SERVICE | _STYLE | _schemas() or "//" in link or link == "/docs", (
                    address,
                    link,
                )
        assert "<!-- shows" not in text
    assert images
    for image in images | {"/guides/style.css"}:
        assert api.get(image).status_code == 200, image


@pytest.mark.parametrize("path", ["/guides/api.md", "/guides/api"])
def test_a_guide_is_markdown_for_whoever_asks_for_it(api: Client, path: str) -> None:
    answer = api.get(path, headers={"Accept": "text/markdown"})
    assert answer.headers["Content-Type"] == "text/markdown; charset=utf-8"
    assert answer.headers["Vary"] == "Accept"
    assert answer.content.decode() == (CLONE / "docs/api.md").read_text()
    assert api.get(path.removesuffix(".md"), headers={"Accept": "*/*"}).headers["Content-Type"].startswith("text/html")


def test_llms_txt_is_the_front_page_as_markdown(api: Client) -> None:
    text = api.get("/llms.txt").content.decode()
    assert text.startswith("# Decision Pack Platform\n\n> ")
    assert "(/guides/agents)" in text
    assert api.get("/", headers={"Accept": "text/markdown"}).content.decode() == text
    assert all(found.about for found in guides().values() if "/" not in found.name)


@pytest.mark.parametrize(
    "name", ["nothing", "../README", "..%2f..%2fmanage.py", "img/../../README.md", "img/x.png", ""]
)
def test_no_other_file_is_a_guide(api: Client, name: str) -> None:
    assert api.get(f"/guides/{name}").status_code == 404


def test_nothing_is_written_through_a_page(api: Client) -> None:
    for path in ("/", "/llms.txt", "/guides/api", "/docs/"):
        assert api.post(path).status_code == 405


def test_the_reference_works_with_and_without_the_slash(api: Client) -> None:
    assert api.get("/docs/").content == api.get("/docs").content
