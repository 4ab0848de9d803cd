"""One bar of a chart as a PNG. No text in it: names and values stand beside it, in the document's own font."""

import functools
import io

from PIL import Image, ImageDraw

WIDTH, HEIGHT = 720, 40
_TRACK, _MARK = (232, 236, 244), (200, 207, 222)
_FULL, _FADED = (46, 94, 170), (168, 178, 196)
_QUARTERS = 4


@functools.lru_cache(maxsize=256)
def drawn_bar(part: float, *, faded: bool = False) -> bytes:
    """`part` of the width is filled; thin marks stand at every quarter. The same arguments give the same bytes."""
    picture = Image.new("RGB", (WIDTH, HEIGHT), _TRACK)
    draw = ImageDraw.Draw(picture)
    for quarter in range(1, _QUARTERS):
        x = WIDTH * quarter // _QUARTERS
        draw.line((x, 0, x, HEIGHT), fill=_MARK, width=2)
    filled = round(min(max(part, 0.0), 1.0) * WIDTH)
    if filled:
        draw.rectangle((0, 4, filled - 1, HEIGHT - 5), fill=_FADED if faded else _FULL)
    written = io.BytesIO()
    picture.save(written, format="PNG", optimize=False, compress_level=9)
    return written.getvalue()
