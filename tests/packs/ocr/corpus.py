"""Pages whose text is known exactly, drawn by us: several fonts, sizes, layouts and kinds of damage.

Deterministic: the same class and number give the same pixels. Used by the tests and by `bench/ocr.py`.
"""

import functools
import io
import math
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from PIL import Image, ImageChops, ImageDraw, ImageFilter, ImageFont

from tests.packs.ocr import texts

FONTS = Path(__file__).parent / "fonts"
SANS, BOLD, SERIF = "corpussans.otf", "corpussansbold.otf", "corpusserif.otf"
GOTHIC, MONO = "corpusgothic.ttf", "corpusmono.ttf"
A4_AT_150 = (1240, 1754)
A4_AT_200 = (1654, 2339)

_Item = TypeVar("_Item")


Place = tuple[float, float, float, float]
"""Left, top, right, bottom, in pixels of the page."""


@dataclass(frozen=True)
class KnownLine:
    text: str
    place: Place


@dataclass(frozen=True)
class Page:
    name: str
    image: Image.Image
    lines: tuple[KnownLine, ...]
    """What a reader would copy out, in reading order, and where it stands."""

    @property
    def text(self) -> str:
        return "\n".join(line.text for line in self.lines)

    def png(self) -> bytes:
        return encoded(self.image, "PNG")


def encoded(image: Image.Image, kind: str, **options: object) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, kind, **options)
    return buffer.getvalue()


@functools.cache
def font(name: str, size: int) -> ImageFont.FreeTypeFont:
    # The basic layout needs no shaping library and draws the same everywhere.
    return ImageFont.truetype(str(FONTS / name), size, layout_engine=ImageFont.Layout.BASIC)


class Sheet:
    """A page while it is being written; remembers what was written on it, in order."""

    def __init__(self, size: tuple[int, int], paper: int = 255, ink: int = 0) -> None:
        self.image = Image.new("L", size, paper)
        self.draw = ImageDraw.Draw(self.image)
        self.ink = ink
        self.lines: list[KnownLine] = []

    def line(self, text: str, at: tuple[float, float], face: ImageFont.FreeTypeFont, ink: int | None = None) -> None:
        self.draw.text(at, text, font=face, fill=self.ink if ink is None else ink)
        self.lines.append(KnownLine(text, self.draw.textbbox(at, text, font=face)))

    def paragraph(
        self, text: str, left: float, top: float, width: float, face: ImageFont.FreeTypeFont, leading: float = 1.55
    ) -> float:
        """Broken at spaces into lines that fit; returns where the next paragraph may begin."""
        for broken in _wrapped(text, width, face):
            self.line(broken, (left, top), face)
            top += face.size * leading
        return top + face.size * 0.6

    def page(self, name: str, image: Image.Image | None = None, *, turned: float = 0, moved: int = 0) -> Page:
        """`image`: the sheet after some damage; `turned`: by so many degrees counter-clockwise, about its middle;
        `moved`: its lines may stand so many pixels elsewhere."""

        def place(line: KnownLine) -> Place:
            left, top, right, bottom = _turned(line.place, self.image.size, turned)
            return left - moved, top - moved, right + moved, bottom + moved

        lines = tuple(KnownLine(line.text, place(line)) for line in self.lines)
        return Page(name, self.image if image is None else image, lines)


def _turned(place: Place, size: tuple[int, int], degrees: float) -> Place:
    """The upright box around a box that was turned with its page."""
    cos, sin = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    middle = size[0] / 2, size[1] / 2
    corners = [(x - middle[0], y - middle[1]) for x in (place[0], place[2]) for y in (place[1], place[3])]
    across = [middle[0] + x * cos + y * sin for x, y in corners]
    down = [middle[1] - x * sin + y * cos for x, y in corners]
    return min(across), min(down), max(across), max(down)


def _wrapped(text: str, width: float, face: ImageFont.FreeTypeFont) -> Iterator[str]:
    line = ""
    for word in text.split(" "):
        longer = f"{line} {word}" if line else word
        if line and face.getlength(longer) > width:
            yield line
            longer = word
        line = longer
    yield line


def _some(source: Sequence[str], count: int, dice: random.Random) -> list[str]:
    return dice.sample(list(source), count)


def _prose(dice: random.Random, count: int) -> list[str]:
    """Korean, English and mixed sentences in a random order."""
    chosen = [*_some(texts.KOREAN, count // 2, dice), *_some(texts.ENGLISH, count - count // 2 - 1, dice)]
    chosen += _some(texts.MIXED, 1, dice)
    dice.shuffle(chosen)
    return chosen


def _letter(
    dice: random.Random, face: str, size: int, *, sheet: Sheet | None = None, paragraphs: int = 8, title: int = 40
) -> Sheet:
    sheet = sheet or Sheet(A4_AT_150)
    margin = sheet.image.width // 12
    top: float = margin
    top = sheet.paragraph(dice.choice(texts.TITLES), margin, top, sheet.image.width - 2 * margin, font(BOLD, title))
    for text in _prose(dice, paragraphs):
        top = sheet.paragraph(text, margin, top, sheet.image.width - 2 * margin, font(face, size))
    return sheet


def clean(dice: random.Random) -> Page:
    return _letter(dice, SANS, 26).page("clean")


def serif(dice: random.Random) -> Page:
    return _letter(dice, SERIF, 26).page("serif")


def monospace(dice: random.Random) -> Page:
    return _letter(dice, MONO, 26).page("monospace")


def small(dice: random.Random) -> Page:
    return _letter(dice, GOTHIC, 16, paragraphs=10, title=30).page("small")


def headlines(dice: random.Random) -> Page:
    """Very large titles over ordinary text: one scale does not fit both."""
    sheet = Sheet(A4_AT_200)
    top: float = 120
    for title in _some(texts.TITLES, 3, dice):
        top = sheet.paragraph(title, 110, top, 1440, font(BOLD, 120), leading=1.35)
        for text in _prose(dice, 3):
            top = sheet.paragraph(text, 110, top, 1440, font(GOTHIC, 30))
    return sheet.page("headlines")


def skew(dice: random.Random) -> Page:
    sheet = _letter(dice, GOTHIC, 24)
    angle = dice.choice((-6.0, -4.5, 4.0, 5.5))
    return sheet.page("skew", sheet.image.rotate(angle, Image.Resampling.BICUBIC, fillcolor=255), turned=angle)


def noise(dice: random.Random) -> Page:
    """A poor scan: grain over everything, and dust."""
    sheet = _letter(dice, GOTHIC, 26)
    return sheet.page("noise", _dusty(_grainy(sheet.image, dice, 36), dice, share=0.003))


def photo(dice: random.Random) -> Page:
    """A page photographed under a lamp: a shadow across it, a little out of focus."""
    sheet = _letter(dice, SANS, 26)
    shade = Image.radial_gradient("L").resize((sheet.image.width * 2, sheet.image.height * 2))
    shade = shade.crop((0, 0, sheet.image.width, sheet.image.height)).point(lambda value: 255 - int(value * 0.6))
    soft = sheet.image.filter(ImageFilter.GaussianBlur(1.1)).rotate(1.4, Image.Resampling.BICUBIC, fillcolor=255)
    lit = Image.composite(shade, Image.new("L", soft.size, 20), soft)
    return sheet.page("photo", _grainy(lit, dice, 12), turned=1.4)


def low_contrast(dice: random.Random) -> Page:
    sheet = _letter(dice, GOTHIC, 26, sheet=Sheet(A4_AT_150, paper=205, ink=150))
    return sheet.page("low_contrast", _grainy(sheet.image, dice, 5))


def two_columns(dice: random.Random) -> Page:
    sheet = Sheet(A4_AT_150)
    top = sheet.paragraph(dice.choice(texts.TITLES), 90, 90, 1060, font(BOLD, 42))
    for left in (90, 650):
        below = top
        for text in _prose(dice, 7):
            below = sheet.paragraph(text, left, below, 500, font(SERIF, 23))
    return sheet.page("two_columns")


def table(dice: random.Random) -> Page:
    """Ruled on all sides, read row by row."""
    sheet = Sheet((1240, 1000))
    sheet.paragraph(dice.choice(texts.TITLES), 90, 60, 1060, font(BOLD, 38))
    edges, top, height = (90, 440, 580, 850, 1150), 160, 62
    rows = [texts.TABLE_HEADER, *_shuffled(texts.TABLE_ROWS, dice)]
    for number, row in enumerate(rows):
        y = top + number * height
        for cell, left, right in zip(row, edges, edges[1:], strict=False):
            sheet.draw.rectangle((left, y, right, y + height), outline=0, width=2)
            sheet.draw.text((left + 16, y + 14), cell, font=font(GOTHIC, 26), fill=0)
        sheet.lines.append(KnownLine(" ".join(row), (edges[0], y, edges[-1], y + height)))
    sheet.paragraph(texts.KOREAN[dice.randrange(12)], 90, top + len(rows) * height + 40, 1060, font(GOTHIC, 26))
    return sheet.page("table")


def fine_print(dice: random.Random) -> Page:
    """An advertisement: a headline, a few lines, and conditions in very small type."""
    sheet = Sheet((1240, 900))
    top = sheet.paragraph(dice.choice(texts.TITLES), 80, 70, 1080, font(BOLD, 64))
    for text in _some(texts.KOREAN, 3, dice):
        top = sheet.paragraph(text, 80, top, 1080, font(SANS, 28))
    top = max(top + 20, 560)
    for text in _shuffled(texts.FINE_PRINT, dice):
        top = sheet.paragraph(text, 80, top, 1080, font(GOTHIC, 13), leading=1.5)
    return sheet.page("fine_print")


def screenshot(dice: random.Random) -> Page:
    return _screen(dice, paper=250, ink=30, side=235, name="screenshot")


def dark_screenshot(dice: random.Random) -> Page:
    return _screen(dice, paper=28, ink=225, side=45, name="dark_screenshot")


def _screen(dice: random.Random, *, paper: int, ink: int, side: int, name: str) -> Page:
    """A dialogue at 96 dpi: small letters, flat colours, a menu at the left."""
    sheet = Sheet((960, 600), paper, ink)
    sheet.draw.rectangle((0, 0, 220, 600), fill=side)
    for number, entry in enumerate(_shuffled(texts.MENU, dice)):
        sheet.line(entry, (24, 40 + number * 44), font(SANS, 15))
    top: float = 40
    top = sheet.paragraph(dice.choice(texts.TITLES), 260, top, 660, font(BOLD, 22))
    for text in (*_shuffled(texts.DIALOG, dice), *_some(texts.KOREAN, 3, dice), *_some(texts.ENGLISH, 2, dice)):
        top = sheet.paragraph(text, 260, top, 660, font(SANS, 15))
    return sheet.page(name)


def tight_leading(dice: random.Random) -> Page:
    """Lines that all but touch, as on terms and leaflets."""
    sheet = Sheet(A4_AT_150)
    top: float = 100
    for text in _prose(dice, 14):
        top = sheet.paragraph(text, 100, top, 1040, font(GOTHIC, 24), leading=1.08) - 12
    return sheet.page("tight_leading")


def thermal(dice: random.Random) -> Page:
    """A till's paper: narrow, grey, faded in bands."""
    sheet = _letter(dice, MONO, 24, sheet=Sheet((700, 1_500), paper=225, ink=70), paragraphs=5, title=30)
    width, height = sheet.image.size
    bands = Image.new("L", (1, 24))
    bands.putdata([dice.choice((0, 0, 25, 60)) for _ in range(24)])
    faded = ImageChops.add(sheet.image, bands.resize((width, height), Image.Resampling.BICUBIC))
    return sheet.page("thermal", _grainy(faded.filter(ImageFilter.GaussianBlur(0.7)), dice, 8))


def shadow(dice: random.Random) -> Page:
    """A hand's shadow with a hard edge across the page."""
    sheet = _letter(dice, SERIF, 26)
    shade = Image.new("L", sheet.image.size, 255)
    edge = sheet.image.width * dice.uniform(0.35, 0.6)
    corners = [(0, 0), (edge, 0), (edge * 1.3, sheet.image.height), (0, sheet.image.height)]
    ImageDraw.Draw(shade).polygon(corners, fill=105)
    lit = ImageChops.multiply(sheet.image, shade.filter(ImageFilter.GaussianBlur(9)))
    return sheet.page("shadow", _grainy(lit, dice, 7))


def perspective(dice: random.Random) -> Page:
    """Held askew: the far edge of the sheet is shorter, and a desk is around it."""
    sheet = _letter(dice, SANS, 27)
    width, height = sheet.image.size
    near, far = 0.02 * width, 0.06 * width
    corners = (-far, -far, -near, height + near, width + near, height + near, width + far, -far)
    seen = sheet.image.transform(
        sheet.image.size, Image.Transform.QUAD, corners, Image.Resampling.BICUBIC, fillcolor=120
    )
    return sheet.page("perspective", _grainy(seen, dice, 7), moved=round(far))


def crumpled(dice: random.Random) -> Page:
    """Folded and pressed flat again: creases that bend the light and, a little, the lines."""
    sheet = _letter(dice, SERIF, 27)
    width, height = sheet.image.size
    heights = [dice.randrange(90, 166) for _ in range(9 * 12)]
    relief = Image.new("L", (9, 12))
    relief.putdata(heights)
    bumps = relief.resize((width, height), Image.Resampling.BICUBIC)
    # Each strip is moved up or down by what the paper's relief says there.
    bent = Image.new("L", (width, height), 255)
    for left in range(0, width, 8):
        down = (heights[6 * 9 + left * 9 // width] - 128) // 12
        bent.paste(sheet.image.crop((left, 0, left + 8, height)), (left, down))
    creased = bent.copy()
    for _ in range(7):
        ends = [(dice.randrange(width), 0), (dice.randrange(width), height)]
        ImageDraw.Draw(creased).line(ends, fill=185, width=2)
    lit = _plus(ImageChops.darker(bent, creased.filter(ImageFilter.GaussianBlur(1.2))), bumps)
    return sheet.page("crumpled", _grainy(lit, dice, 6), moved=6)


def stamped(dice: random.Random) -> Page:
    """Round stamps over the text."""
    sheet = _letter(dice, GOTHIC, 26)
    ink = Image.new("L", sheet.image.size, 255)
    draw = ImageDraw.Draw(ink)
    for _ in range(3):
        x, y = dice.randrange(200, sheet.image.width - 300), dice.randrange(200, sheet.image.height - 300)
        draw.ellipse((x, y, x + 170, y + 170), outline=150, width=6)
        draw.ellipse((x + 22, y + 22, x + 148, y + 148), outline=160, width=3)
    return sheet.page("stamped", ImageChops.multiply(sheet.image, ink))


def _shuffled(source: Sequence[_Item], dice: random.Random) -> list[_Item]:
    return dice.sample(list(source), len(source))


def _grainy(image: Image.Image, dice: random.Random, strength: int) -> Image.Image:
    # 256 levels of a bell curve, drawn from our own generator: the library's own noise cannot be repeated.
    levels = bytes(min(255, max(0, round(dice.gauss(128, strength)))) for _ in range(1 << 16))
    size = image.width * image.height
    offsets = (dice.randrange(len(levels)) for _ in range(size // 4096 + 1))
    grain = b"".join((levels[start:] + levels)[:4096] for start in offsets)[:size]
    layer = Image.frombytes("L", image.size, grain)
    return _plus(image, layer)


def _plus(image: Image.Image, layer: Image.Image) -> Image.Image:
    return ImageChops.add(image, layer, 1, -128)


def _dusty(image: Image.Image, dice: random.Random, share: float) -> Image.Image:
    """Single pixels and pairs gone black or white."""
    pixels = image.load()
    assert pixels is not None
    for _ in range(int(image.width * image.height * share)):
        x, y = dice.randrange(image.width - 1), dice.randrange(image.height)
        pixels[x, y] = value = dice.choice((0, 255))
        if dice.random() < 0.3:
            pixels[x + 1, y] = value
    return image


CLASSES: dict[str, Callable[[random.Random], Page]] = {
    maker.__name__: maker
    for maker in (
        clean,
        serif,
        monospace,
        small,
        headlines,
        skew,
        noise,
        photo,
        low_contrast,
        two_columns,
        table,
        fine_print,
        screenshot,
        dark_screenshot,
        tight_leading,
        thermal,
        shadow,
        perspective,
        crumpled,
        stamped,
    )
}


def page(name: str, number: int = 0) -> Page:
    return CLASSES[name](random.Random(f"{name} {number}"))
