"""Hostile files, each small to send and large, slow, broken or deceitful to open."""

import io
import struct
import zlib
from collections.abc import Callable

from PIL import Image

from packs.ocr.failures import FailureReason
from tests.packs.ocr import documents
from tests.packs.ocr.documents import lines, one_page, pdf, stream


def chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def png(width: int, height: int, *, before_data: bytes = b"", data: bytes | None = None) -> bytes:
    """One bit a pixel."""
    packed = zlib.compress(bytes((width + 7) // 8 + 1) * min(height, 64)) if data is None else data
    header = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + before_data + chunk(b"IDAT", packed) + chunk(b"IEND", b"")


def pixel_bomb() -> bytes:
    return png(50_000, 50_000)


def wide_bomb() -> bytes:
    return png(200_000, 100)


def animated_frames() -> bytes:
    return png(8, 8, before_data=chunk(b"acTL", struct.pack(">II", 100_000, 0)) + _frame_control())


def _frame_control() -> bytes:
    return chunk(b"fcTL", struct.pack(">IIIIIHHBB", 0, 8, 8, 0, 0, 1, 1, 0, 0))


def tiff(frames: int, *, loop: bool = False) -> bytes:
    """Every frame the same picture of 8 × 8, described anew each time."""
    body = bytearray(b"II*\x00" + struct.pack("<I", 16) + b"\xff" * 8)
    tags = ((256, 8), (257, 8), (258, 1), (259, 1), (262, 1), (273, 8), (278, 8), (279, 8))
    entries = b"".join(struct.pack("<HHII", tag, 3, 1, value) for tag, value in tags)
    for number in range(frames):
        at = len(body)
        is_last = number == frames - 1
        following = (16 if loop else 0) if is_last else at + 6 + len(entries)
        body += struct.pack("<H", len(tags)) + entries + struct.pack("<I", following)
    return bytes(body)


def chained_filters() -> bytes:
    """A page's content, packed four times over: a few kilobytes that grow to 600 MiB."""
    packer = zlib.compressobj(9)
    drawing = b"0 0 m 1 1 l S " * 74_899
    first = packer.compress(drawing) + packer.flush(zlib.Z_FULL_FLUSH)
    # After a full flush the packer remembers nothing: the same megabyte becomes the same few bytes again.
    repeated = packer.compress(drawing) + packer.flush(zlib.Z_FULL_FLUSH)
    packed = first + repeated * 599 + packer.flush()
    for _ in range(3):
        packed = zlib.compress(packed, 9)
    return one_page(stream(packed, b"/Filter [/FlateDecode /FlateDecode /FlateDecode /FlateDecode]"))


def picture_bomb() -> bytes:
    """A picture inside a page: 60,000 × 60,000 in grey, 3.6 GB."""
    packed = zlib.compress(zlib.compress(bytes(5_000_000), 9), 9)
    image = stream(
        packed,
        b"/Type /XObject /Subtype /Image /Width 60000 /Height 60000 /ColorSpace /DeviceGray /BitsPerComponent 8",
        b"/Filter [/FlateDecode /FlateDecode]",
    )
    return one_page(stream(b"q 500 0 0 500 50 50 cm /Im1 Do Q"), resources=b"/XObject << /Im1 6 0 R >>", more=(image,))


def nested_forms() -> bytes:
    """Ten drawings of ten drawings of …, ten levels deep: ten thousand million to draw."""
    forms = tuple(
        stream(
            b"/X Do " * 10 if level < 9 else b"0 0 m 9 9 l S",
            b"/Type /XObject /Subtype /Form /BBox [0 0 600 900]",
            b"/Resources << /XObject << /X %d 0 R >> >>" % (7 + level) if level < 9 else b"",
        )
        for level in range(10)
    )
    return one_page(stream(b"/X Do"), resources=b"/XObject << /X 6 0 R >>", more=forms)


def many_pages() -> bytes:
    return pdf(
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Count 100000 /Kids [%s] >>" % (b"3 0 R " * 100_000),
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 100 100] >>",
    )


def page_tree_loop() -> bytes:
    return pdf(
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Count 5 /Kids [3 0 R 2 0 R] /Parent 3 0 R >>",
        b"<< /Type /Pages /Count 5 /Kids [2 0 R 3 0 R] /Parent 2 0 R >>",
    )


def giant_media_box() -> bytes:
    return one_page(stream(b"0 0 m 100 100 l S"), box=b"0 0 14000000 14000000")


def password() -> bytes:
    secret = b"<" + b"5a" * 32 + b">"
    return pdf(
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] >>",
        b"<< /Filter /Standard /V 1 /R 2 /O %s /U %s /P -4 >>" % (secret, secret),
        trailer=b"/Encrypt 4 0 R /ID [<00><00>]",
    )


def picture_and_pdf() -> bytes:
    return _small_png() + documents.text_pdf("A second document in the same file")


def page_and_pdf() -> bytes:
    return b"<html><script>alert(1)</script></html>\n" + documents.text_pdf("Hidden behind a web page")


def _small_png() -> bytes:
    buffer = io.BytesIO()
    Image.new("L", (40, 40), 255).save(buffer, "PNG")
    return buffer.getvalue()


def _noise() -> Image.Image:
    return Image.effect_noise((400, 400), 80)


def truncated(kind: str) -> bytes:
    buffer = io.BytesIO()
    _noise().save(buffer, kind)
    return buffer.getvalue()[: len(buffer.getvalue()) // 2]


def truncated_pdf() -> bytes:
    whole = one_page(stream(zlib.compress(lines("Cut off in the middle") * 50), b"/Filter /FlateDecode"))
    return whole[: len(whole) // 3]


UNOPENED = {
    FailureReason.TIME_LIMIT,
    FailureReason.MEMORY_LIMIT,
    FailureReason.READER_CRASHED,
    FailureReason.BROKEN_FILE,
}

ZOO: dict[str, tuple[Callable[[], bytes], set[FailureReason]]] = {
    "pixel bomb": (pixel_bomb, {FailureReason.TOO_MANY_PIXELS}),
    "one very long row": (wide_bomb, {FailureReason.TOO_MANY_PIXELS}),
    "100,000 frames, TIFF": (lambda: tiff(100_000), {FailureReason.TOO_MANY_PAGES}),
    "100,000 frames, animated PNG": (animated_frames, {FailureReason.TOO_MANY_PAGES}),
    "frames in a circle": (lambda: tiff(3, loop=True), {FailureReason.BROKEN_FILE}),
    "chained filters": (chained_filters, UNOPENED),
    "picture bomb in a PDF": (picture_bomb, {FailureReason.TOO_MANY_PIXELS}),
    "nested drawings": (nested_forms, UNOPENED),
    "100,000 pages": (many_pages, {FailureReason.TOO_MANY_PAGES}),
    "page tree loop": (page_tree_loop, UNOPENED),
    "giant media box": (giant_media_box, {FailureReason.PAGE_TOO_LARGE}),
    "password": (password, {FailureReason.ENCRYPTED}),
    "picture and PDF at once": (picture_and_pdf, {FailureReason.AMBIGUOUS_TYPE}),
    "web page before a PDF": (page_and_pdf, {FailureReason.AMBIGUOUS_TYPE}),
    "truncated PNG": (lambda: truncated("PNG"), {FailureReason.BROKEN_FILE}),
    "truncated JPEG": (lambda: truncated("JPEG"), {FailureReason.BROKEN_FILE}),
    "truncated WEBP": (lambda: truncated("WEBP"), {FailureReason.BROKEN_FILE}),
    "truncated TIFF": (lambda: truncated("TIFF"), {FailureReason.BROKEN_FILE}),
    "truncated PDF": (truncated_pdf, {FailureReason.BROKEN_FILE}),
    "a GIF": (lambda: b"GIF89a" + bytes(40), {FailureReason.UNSUPPORTED_TYPE}),
    "an archive": (lambda: b"PK\x03\x04" + bytes(40), {FailureReason.UNSUPPORTED_TYPE}),
    "plain text": (lambda: b"just words", {FailureReason.UNSUPPORTED_TYPE}),
}
