"""docs/security.md: what it names is there, and what it says of keys finds keys."""

import re
import zlib

import pytest

from runs.access.key_text import is_well_formed, new_text
from tests.services import CLONE

PAGE = (CLONE / "docs" / "security.md").read_text()
# As the page describes them.
DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


@pytest.mark.parametrize("path", sorted(set(re.findall(r"`(tests/[\w/.]+)`", PAGE))))
def test_a_test_that_is_said_to_show_something_is_there(path: str) -> None:
    found = CLONE / path
    assert found.is_file() or list(found.glob("**/test_*.py"))


@pytest.mark.parametrize("target", sorted(set(re.findall(r"`make ([\w-]+)`", PAGE))))
def test_a_target_that_is_said_to_show_something_is_there(target: str) -> None:
    assert re.search(rf"^{target}:", (CLONE / "Makefile").read_text(), re.MULTILINE)


@pytest.mark.parametrize("name", sorted(set(re.findall(r"`(DPP_\w+)", PAGE))))
def test_a_setting_that_is_named_is_on_the_page_of_settings(name: str) -> None:
    assert f"`{name}`" in (CLONE / "docs" / "operations.md").read_text()


def test_a_scanner_that_follows_the_page_finds_keys_and_nothing_else() -> None:
    (pattern,) = re.findall(r"^```\n(.+)\n```$", PAGE, re.MULTILINE)
    for _ in range(200):
        key = new_text()
        (found,) = re.findall(pattern, f"export DPP_API_KEY='{key}'  # {key[:20]} {key}x")
        assert found == key
        assert checksum(key[7:34]) == key[34:]
        assert not is_well_formed(key[:34] + checksum(key[7:34] + "0"))


def checksum(text: str) -> str:
    number, written = zlib.crc32(text.encode()), ""
    while number:
        number, digit = divmod(number, 62)
        written = DIGITS[digit] + written
    return written.rjust(6, "0")
