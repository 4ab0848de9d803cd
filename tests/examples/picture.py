"""Draws the picture of the ocr example. Done once and kept: another version of a font library would draw another."""

from pathlib import Path

from PIL import Image, ImageDraw

from tests.packs.ocr.corpus import BOLD, GOTHIC, font

_TITLE = "정기 점검 안내 Maintenance notice"
_LINES = (
    "점검 일시: 2026년 11월 21일 오전 2시부터 4시까지",
    "The payment service will not be available.",
    "문의: 고객센터 1588-0000",
)


def draw(path: Path) -> None:
    image = Image.new("L", (1240, 420), 255)
    sheet = ImageDraw.Draw(image)
    sheet.text((60, 50), _TITLE, font=font(BOLD, 48), fill=0)
    for number, line in enumerate(_LINES):
        sheet.text((60, 150 + 75 * number), line, font=font(GOTHIC, 34), fill=0)
    image.save(path, optimize=True)
