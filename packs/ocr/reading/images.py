"""Pictures: PNG, JPEG, WEBP, TIFF. What a header claims is believed only when it is small enough to try."""

import io
import struct
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from PIL import ExifTags, Image, UnidentifiedImageError

from packs.ocr.bounds import ABSURD_PAGES, MAX_PIXELS, MAX_SIDE
from packs.ocr.failures import FailureReason, Unreadable
from packs.ocr.kinds import Kind

# Our own check comes before any decoding and is stricter than the library's.
Image.MAX_IMAGE_PIXELS = None

_PILLOW_NAMES = {Kind.PNG: "PNG", Kind.JPEG: "JPEG", Kind.WEBP: "WEBP", Kind.TIFF: "TIFF"}
# What a camera notes of how it was held, and what sets the picture upright.
_WAYS_UP = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}
# What the decoders raise over damage, besides what is meant for it.
_DAMAGE = (UnidentifiedImageError, OSError, SyntaxError, ValueError, EOFError, struct.error, KeyError, TypeError)


def count_frames(body: bytes, kind: Kind) -> int:
    if kind is Kind.TIFF:
        frames = sum(1 for _ in _directories(body))
    else:
        with _opened(body, kind) as image:
            frames = int(getattr(image, "n_frames", 1))
    if frames > ABSURD_PAGES:
        raise Unreadable(FailureReason.TOO_MANY_PAGES, f"The file holds more than {ABSURD_PAGES} pictures.")
    if frames < 1:
        raise Unreadable(FailureReason.BROKEN_FILE, "The file holds no picture.")
    return frames


def read_frame(body: bytes, kind: Kind, number: int) -> Image.Image:
    """One picture in greyscale, the right way up by its own note, on white where it is transparent."""
    with _opened(body, kind) as image:
        check_size(image.size)
        if number:
            image.seek(number)
            check_size(image.size)
        # A JPEG can be decoded in grey, at a third of the memory.
        image.draft("L", image.size)
        image.load()
        way_up = _WAYS_UP.get(image.getexif().get(ExifTags.Base.Orientation, 1))
        # Grey first: a turned copy in colour of the largest picture would not fit into the memory allowed.
        grey = _grey(image)
        return grey if way_up is None else grey.transpose(way_up)


@contextmanager
def _opened(body: bytes, kind: Kind) -> Iterator[Image.Image]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            # Only the one decoder that the content calls for: the library has dozens.
            with Image.open(io.BytesIO(body), formats=[_PILLOW_NAMES[kind]]) as image:
                check_size(image.size)
                yield image
    except _DAMAGE as error:
        raise Unreadable(FailureReason.BROKEN_FILE, f"The {kind.upper()} picture is damaged or incomplete.") from error


def check_size(size: tuple[int, int]) -> None:
    """Raises `Unreadable`. PDFium leaves a picture that is too large for it undrawn and says nothing."""
    width, height = size
    if width * height > MAX_PIXELS or max(width, height) > MAX_SIDE:
        detail = f"{width} × {height} pixels are more than the {MAX_PIXELS // 1_000_000} million that are read."
        raise Unreadable(FailureReason.TOO_MANY_PIXELS, detail)


def _grey(image: Image.Image) -> Image.Image:
    if image.mode in ("LA", "PA", "RGBA", "RGBa", "La") or "transparency" in image.info:
        # Channel by channel: a second copy in colour of a large page would not fit into the memory allowed.
        seen = image if image.mode == "RGBA" else image.convert("RGBA")
        paper = Image.new("L", seen.size, 255)
        paper.paste(seen.convert("L"), mask=seen.getchannel("A"))
        return paper
    if image.mode.startswith(("I", "F")):
        # 16 bits a pixel would be cut off at 255, not scaled.
        low, high = image.getextrema()
        assert isinstance(low, int | float)
        assert isinstance(high, int | float)
        span = max(high - low, 1)
        return image.convert("F").point(lambda value: value * (255 / span) - low * (255 / span)).convert("L")
    return image.convert("L")


def _directories(body: bytes) -> Iterator[int]:
    """Where each picture of a TIFF is described. Counting them with the library takes minutes for 100,000."""
    order = "<" if body[:2] == b"II" else ">"
    seen: set[int] = set()
    try:
        (at,) = struct.unpack_from(order + "I", body, 4)
        while at:
            if at in seen:
                raise Unreadable(FailureReason.BROKEN_FILE, "The TIFF's list of pictures runs in a circle.")
            seen.add(at)
            yield at
            if len(seen) > ABSURD_PAGES:
                return
            (entries,) = struct.unpack_from(order + "H", body, at)
            (at,) = struct.unpack_from(order + "I", body, at + 2 + 12 * entries)
    except struct.error as error:
        raise Unreadable(FailureReason.BROKEN_FILE, "The TIFF ends in the middle of its list of pictures.") from error
