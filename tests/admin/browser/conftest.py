"""A real Chromium before the API as it is served. A missing browser fails the tests with its remedy."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.admin.browser.webdriver import Browser
from tests.admin.users import person
from tests.processes import ApiProcess

PASSWORD = "correct-horse-battery-staple"
PICTURES = Path(__file__).resolve().parents[3] / "docs" / "img"


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    browser = Browser()
    yield browser
    browser.close()


@pytest.fixture
def operator(chromium: Browser, live_api: ApiProcess, nobody_yet: None) -> Browser:
    """Olga is operator and finance in one: logged in by hand."""
    person("olga", "operator", "finance", password=PASSWORD)
    chromium.open(f"{live_api.url}/admin/logout/")  # forget whoever the test before was
    chromium.script("document.cookie.split(';').forEach(c => document.cookie = c + ';max-age=0')")
    chromium.open(f"{live_api.url}/admin/")
    chromium.write("#id_username", "olga")
    chromium.write("#id_password", PASSWORD)
    chromium.click("input[type=submit]")
    chromium.wait_for_text("Overview", "h1")
    return chromium
