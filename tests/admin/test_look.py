"""The admin's colours, light and dark: every text can be read on what it stands on (WCAG AA, 4.5 to 1)."""

import re

import pytest

from tests.processes import CLONE

CSS = (CLONE / "runs" / "static" / "operate" / "operate.css").read_text()
# What Django's own sheets say and ours leaves alone.
DJANGO_LIGHT = {"--body-fg": "#333", "--body-quiet-color": "#666", "--button-fg": "#fff"}
DJANGO_DARK = {"--body-fg": "#eeeeee", "--body-quiet-color": "#d0d0d0"}
PAGES = ("--card-bg", "--page-bg", "--darkened-bg")
TONES = ("good", "bad", "busy", "wait", "plain")


def variables(selector: str) -> dict[str, str]:
    """The custom properties of the rule that begins so."""
    rule = CSS[CSS.index(selector) + len(selector) :].partition("}")[0]
    return dict(re.findall(r"(--[\w-]+): (#\w+)", rule))


LIGHT = {**DJANGO_LIGHT, **variables(':root, html[data-theme="light"] {')}
DARK = {**LIGHT, **DJANGO_DARK, **variables('html[data-theme="dark"] {')}


def test_dark_by_choice_and_dark_by_the_system_are_the_same() -> None:
    assert variables(':root:not([data-theme="light"]) {') == variables('html[data-theme="dark"] {')


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_texts_can_be_read(theme: dict[str, str]) -> None:
    pairs = [
        *((f"--{tone}", f"--{tone}-bg") for tone in TONES),
        *((f"--{tone}", "--card-bg") for tone in ("good", "bad")),
        *((link, page) for link in ("--link-fg", "--link-hover-color", "--link-selected-fg") for page in PAGES),
        *(("--body-fg", page) for page in PAGES),
        ("--body-fg", "--wait-bg"),
        ("--link-fg", "--busy-bg"),
        ("--body-quiet-color", "--card-bg"),
        ("--card-bg", "--bad"),
        ("--button-fg", "--button-bg"),
        ("--button-fg", "--button-hover-bg"),
        ("--header-color", "--header-bg"),
    ]
    poor = {pair: round(contrast(theme[pair[0]], theme[pair[1]]), 2) for pair in pairs}

    assert {pair: found for pair, found in poor.items() if found < 4.5} == {}


def contrast(one: str, other: str) -> float:
    lighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: str) -> float:
    digits = colour.removeprefix("#")
    digits = "".join(digit * 2 for digit in digits) if len(digits) == 3 else digits
    shares = [int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4)]
    red, green, blue = (share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in shares)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
