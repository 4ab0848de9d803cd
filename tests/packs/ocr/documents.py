"""PDF files written by hand, so that each holds exactly what a test is about."""

import io
import zlib

from PIL import Image

FONT = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"


def pdf(*objects: bytes, trailer: bytes = b"") -> bytes:
    """Object 1 is the catalogue; the table of offsets is right."""
    body = bytearray(b"%PDF-1.7\n")
    offsets = []
    for number, content in enumerate(objects, 1):
        offsets.append(len(body))
        body += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    start = len(body)
    body += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    body += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    body += b"trailer\n<< /Size %d /Root 1 0 R %s >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, trailer, start)
    return bytes(body)


def stream(content: bytes, *entries: bytes) -> bytes:
    return b"<< /Length %d %s >>\nstream\n%s\nendstream" % (len(content), b" ".join(entries), content)


def one_page(
    content: bytes,
    *,
    resources: bytes = b"",
    box: bytes = b"0 0 595 842",
    catalogue: bytes = b"",
    more: tuple[bytes, ...] = (),
) -> bytes:
    """Objects from 6 on are `more`."""
    return pdf(
        b"<< /Type /Catalog /Pages 2 0 R %s >>" % catalogue,
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [%s] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> %s >> >>"
        % (box, resources),
        content,
        FONT,
        *more,
    )


def lines(*texts: str, mode: int = 0) -> bytes:
    """A content stream: one line of text each, 24 points apart."""
    shown = b"".join(b"(%s) Tj T* " % text.encode("latin-1") for text in texts)
    return b"BT /F1 14 Tf %d Tr 24 TL 72 760 Td %s ET" % (mode, shown)


def text_pdf(*texts: str, catalogue: bytes = b"", more: tuple[bytes, ...] = ()) -> bytes:
    return one_page(stream(lines(*texts)), catalogue=catalogue, more=more)


def text_pages(*texts: str) -> bytes:
    """A page for each text."""
    kids = b" ".join(b"%d 0 R" % (4 + 2 * number) for number in range(len(texts)))
    page = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> %s >>"
    pages = [
        (page % (b"/Contents %d 0 R" % (5 + 2 * number)), stream(lines(text))) for number, text in enumerate(texts)
    ]
    return pdf(
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [%s] /Count %d >>" % (kids, len(texts)),
        FONT,
        *(part for pair in pages for part in pair),
    )


def picture(image: Image.Image) -> bytes:
    """An image object, compressed once."""
    pixels = image.convert("L")
    size = b"/Width %d /Height %d" % pixels.size
    kind = b"/Type /XObject /Subtype /Image /ColorSpace /DeviceGray /BitsPerComponent 8 /Filter /FlateDecode"
    return stream(zlib.compress(pixels.tobytes()), size, kind)


def mixed_pdf(image: Image.Image, *texts: str, mode: int = 0) -> bytes:
    """Text at the top, a picture below it, 450 points wide."""
    height = 450 * image.height // image.width
    drawn = b" q 450 0 0 %d 72 %d cm /Im1 Do Q" % (height, 650 - height)
    resources = b"/XObject << /Im1 6 0 R >>"
    return one_page(stream(lines(*texts, mode=mode) + drawn), resources=resources, more=(picture(image),))


def scanned_pdf(*images: Image.Image) -> bytes:
    buffer = io.BytesIO()
    images[0].save(buffer, "PDF", save_all=True, append_images=list(images[1:]), resolution=150)
    return buffer.getvalue()


def respelled_pdf(spelling: dict[str, int], *texts: str) -> bytes:
    """A text page whose font says of these letters that they are other characters than the ones it draws."""
    others = b" ".join(b"<%02x> <%04x>" % (ord(letter), told) for letter, told in spelling.items())
    table = (
        b"/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /Respelled def "
        b"1 begincodespacerange <00> <ff> endcodespacerange 1 beginbfrange <20> <7e> <0020> endbfrange "
        b"%d beginbfchar %s endbfchar endcmap end end" % (len(spelling), others)
    )
    font = FONT.removesuffix(b">>") + b"/ToUnicode 6 0 R >>"
    return one_page(stream(lines(*texts)), more=(stream(table),)).replace(FONT, font)
