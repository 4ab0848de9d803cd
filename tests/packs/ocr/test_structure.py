"""Headings, columns, tables, fields: what a page is made of, from PDF files written by hand and drawn pages."""

import numpy as np
from PIL import Image

from dpp_project.prices import OCR_TEXT_PAGE
from packs.ocr.key_values import key_values
from packs.ocr.markdown import NAME, page_markdown
from packs.ocr.reading.boxes import Box
from packs.ocr.reading.material import material_of
from packs.ocr.reading.order import layout_of
from packs.ocr.reading.tables import cells_of
from tests.packs.ocr import documents
from tests.packs.ocr.corpus import page
from tests.packs.ocr.desk import Desk

LEFT = (
    "The first column tells of the",
    "results of the year, and of",
    "what the board thinks of them",
    "in some detail.",
)
RIGHT = (
    "The second column goes its",
    "own way and speaks about",
    "customers in many countries,",
    "and of their needs.",
)
ROWS = (("Item", "Quantity", "Price"), ("Apples", "12", "3.40"), ("Pears", "7", "2.10"), ("Plums", "140", "11.95"))


def shown(text: str, left: int, top: int, size: int = 10) -> bytes:
    return b"BT /F1 %d Tf %d %d Td (%s) Tj ET " % (size, left, 842 - top, text.encode())


def report() -> bytes:
    """A title, two columns told row by row, a ruled table."""
    content = shown("Annual Report 2026", 72, 72, 22) + shown("1. Results", 72, 107, 15)
    for number, (left, right) in enumerate(zip(LEFT, RIGHT, strict=True)):
        content += shown(left, 72, 130 + 13 * number) + shown(right, 320, 130 + 13 * number)
    content += shown("2. Figures", 72, 215, 15)
    for number, row in enumerate(ROWS):
        content += b"".join(
            shown(text, left, 240 + 18 * number) for text, left in zip(row, (80, 230, 380), strict=True)
        )
    content += b"".join(b"72 %d m 500 %d l S " % (842 - y, 842 - y) for y in range(228, 301, 18))
    content += b"".join(b"%d 614 m %d 542 l S " % (x, x) for x in (72, 222, 372, 500))
    return documents.one_page(documents.stream(content))


def test_a_text_page_tells_headings_columns_and_cells() -> None:
    result = Desk().read(report())
    [text] = result.data["texts"]
    blocks = text["blocks"]

    assert text["source_type"] == "TEXT"
    assert [(block["kind"], block.get("level")) for block in blocks if block["kind"] == "heading"] == [
        ("heading", 1),
        ("heading", 2),
        ("heading", 2),
    ]
    assert [block["text"] for block in blocks if block["kind"] == "paragraph"] == ["\n".join(LEFT), "\n".join(RIGHT)]
    [table] = [block for block in blocks if block["kind"] == "table"]
    assert [(cell["row"], cell["column"], cell["text"]) for cell in table["cells"]] == [
        (row, column, said) for row, cells in enumerate(ROWS) for column, said in enumerate(cells)
    ]
    assert table["text"].splitlines()[1] == "Apples 12 3.40"


def test_the_whole_document_is_one_markdown_file() -> None:
    [artifact] = Desk().read(report()).artifacts
    assert artifact.name == NAME
    told = artifact.body.decode()
    assert told.startswith("# Annual Report 2026\n\n## 1. Results\n\nThe first column tells of the results of the year")
    assert "| Item | Quantity | Price |\n|---|---|---|\n| Apples | 12 | 3.40 |" in told


def test_a_picture_without_text_is_no_document() -> None:
    assert Desk().read(documents.one_page(documents.stream(b""))).artifacts == ()


def test_fields_and_notes_of_a_form_are_read() -> None:
    field = (
        b"<< /Type /Annot /Subtype /Widget /FT /Tx /T (Name) /V (Kim Minji) /Rect [150 700 300 720] /P 3 0 R /F 4 >>"
    )
    note = b"<< /Type /Annot /Subtype /FreeText /Contents (Checked by hand) /Rect [150 600 300 620] /P 3 0 R /F 4 >>"
    body = documents.pdf(
        b"<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [6 0 R] >> >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Annots [6 0 R 7 0 R] "
        b"/Resources << /Font << /F1 5 0 R >> >> >>",
        documents.stream(documents.lines("Application for a place at the table")),
        documents.FONT,
        field,
        note,
    )
    [text] = Desk().read(body).data["texts"]
    told = {block["kind"]: block["text"] for block in text["blocks"]}
    assert told["form_field"] == "Name: Kim Minji"
    assert told["annotation"] == "Checked by hand"
    assert {"key": "Name", "value": "Kim Minji"}.items() <= text["key_values"][0].items()


def test_cells_of_a_picture_share_columns_and_may_span_several() -> None:
    def row(top: int, *cells: tuple[int, int, str]) -> list[tuple[Box, str]]:
        return [(Box(left, top, right, top + 20), said) for left, right, said in cells]

    cells = cells_of(
        [
            row(0, (0, 60, "품목"), (100, 150, "수량"), (200, 260, "금액")),
            row(30, (0, 50, "사과"), (110, 130, "3"), (200, 260, "9,000")),
            row(60, (0, 140, "합계"), (200, 260, "9,000")),
        ]
    )
    assert [(cell.row, cell.column, cell.column_span) for cell in cells[6:]] == [(2, 0, 2), (2, 2, 1)]


def test_lines_of_prose_are_no_table() -> None:
    assert cells_of([[(Box(0, 30 * at, 300, 30 * at + 20), "a line")] for at in range(5)]) == ()


def block(text: str) -> dict[str, object]:
    return {"kind": "paragraph", "text": text, "bbox": [0, 0, 1, 1]}


def test_pairs_are_told_as_they_stand() -> None:
    pairs = key_values(
        [block("TOTAL 20.00\n합계 12,300원\n인수자: 이소민\nhttps://example.com\n12:30 open\nplain prose")]
    )
    assert [(pair["key"], pair["value"]) for pair in pairs] == [
        ("TOTAL", "20.00"),
        ("합계", "12,300원"),
        ("인수자", "이소민"),
    ]


def test_markdown_joins_broken_words_and_escapes_its_own_signs() -> None:
    assert page_markdown([block("inter-\nnational trade"), block("# not a heading")]) == (
        "international trade\n\n\\# not a heading"
    )


def test_what_is_cut_away_from_a_page_is_not_told() -> None:
    content = shown("Everybody sees this line of the page", 72, 72) + shown("Nobody sees this one", 72, 400)
    body = documents.one_page(documents.stream(content), box=b"0 0 595 842] /CropBox [50 700 500 800")
    [text] = Desk().read(body).data["texts"]
    assert text["text_blocks"] == ["Everybody sees this line of the page"]
    assert text["blocks"][0]["bbox"][0] < 30


def test_a_pdf_with_bytes_before_it_opens() -> None:
    body = b"Content-Type: application/pdf\r\n\r\n" + documents.text_pdf("As it left the mail server")
    assert Desk().read(body).data["text_blocks"] == ["As it left the mail server"]


CITIES = (("City", "2023", "2024"), ("Busan", "1,204", "1,310"), ("Daegu", "88", "91"), ("Ulsan", "530", "498"))
PROSE = "Some prose stands before the table and behind it"


def level_rule(left: int, right: int, top: int) -> bytes:
    return b"%d %d m %d %d l S " % (left, 842 - top, right, 842 - top)


def rows_of(cells: list[dict[str, object]]) -> list[list[object]]:
    rows: dict[object, list[object]] = {}
    for cell in cells:
        rows.setdefault(cell["row"], []).append(cell["text"])
    return list(rows.values())


def table_of(content: bytes) -> list[dict[str, object]]:
    body = documents.one_page(documents.stream(shown(PROSE, 72, 60) + content + shown(PROSE, 72, 400)))
    [text] = Desk().read(body).data["texts"]
    [table] = [block for block in text["blocks"] if block["kind"] == "table"]
    assert [block["text"] for block in text["blocks"] if block["kind"] == "paragraph"] == [PROSE, PROSE]
    cells: list[dict[str, object]] = table["cells"]
    return cells


def cities(*, pitch: int = 16, columns: tuple[int, ...] = (80, 130, 180)) -> bytes:
    return b"".join(
        shown(said, left, 120 + pitch * number)
        for number, row in enumerate(CITIES)
        for said, left in zip(row, columns, strict=True)
    )


def test_a_table_without_any_rule_is_found_by_its_columns() -> None:
    assert rows_of(table_of(cities())) == [list(row) for row in CITIES]


def test_rows_that_stand_far_apart_are_one_table() -> None:
    assert rows_of(table_of(cities(pitch=26))) == [list(row) for row in CITIES]


def test_a_table_with_level_rules_only_keeps_its_head_above_the_first() -> None:
    rules = b"".join(level_rule(72, 230, top) for top in (124, 140, 156, 172))
    assert rows_of(table_of(cities() + rules)) == [list(row) for row in CITIES]


def test_a_cell_reaches_over_others_where_no_rule_is_drawn() -> None:
    texts = [("Goods", 80, 120), ("Prices in won", 170, 120), ("before", 160, 138), ("after", 240, 138)]
    texts += [("Tea", 80, 156), ("900", 160, 156), ("950", 240, 156)]
    content = b"".join(shown(said, left, top) for said, left, top in texts)
    content += (
        level_rule(72, 300, 108) + level_rule(150, 300, 126) + level_rule(72, 300, 144) + level_rule(72, 300, 162)
    )
    content += b"".join(b"%d %d m %d 680 l S " % (x, 842 - top, x) for x, top in ((72, 108), (150, 108), (230, 126)))
    content += b"300 734 m 300 680 l S "
    cells = table_of(content)
    spans = {cell["text"]: (cell["row_span"], cell["column_span"]) for cell in cells}
    assert spans["Goods"] == (2, 1)
    assert spans["Prices in won"] == (1, 2)
    assert spans["950"] == (1, 1)
    assert len(cells) == 7


def test_every_other_row_shaded_is_one_table() -> None:
    shades = b"".join(
        b"0.9 g %d %d 60 16 re f 0 g " % (left, 842 - top - 4) for top in (120, 152) for left in (72, 132, 192)
    )
    assert rows_of(table_of(shades + cities(columns=(76, 140, 200)))) == [list(row) for row in CITIES]


def test_a_list_with_far_marks_is_no_table() -> None:
    marks = b"".join(
        b"BT /F1 10 Tf 72 %d Td (-) Tj 40 0 Td (Item number %d of the list) Tj ET " % (700 - 16 * n, n)
        for n in range(4)
    )
    [text] = Desk().read(documents.one_page(documents.stream(marks))).data["texts"]
    assert [block["kind"] for block in text["blocks"]] == ["list_item"] * 4


def test_large_type_in_many_lines_is_no_heading() -> None:
    small = b"".join(
        shown("Ordinary text of the page that is set in the usual size", 72, 300 + 14 * n) for n in range(9)
    )
    large = b"".join(shown(f"Line {n} of a lead in larger type", 72, 80 + 18 * n, 13) for n in range(6))
    [text] = Desk().read(documents.one_page(documents.stream(large + small))).data["texts"]
    assert {block["kind"] for block in text["blocks"]} == {"paragraph"}


def test_large_items_of_a_list_are_no_headings() -> None:
    items = b"".join(shown(f"\\267 {n} payments", 72, 120 + 20 * n, 14) for n in range(3))
    body = documents.one_page(documents.stream(shown("Payments", 72, 80, 14) + items + shown(PROSE * 2, 72, 300)))
    [text] = Desk().read(body).data["texts"]
    assert [block["text"] for block in text["blocks"] if block["kind"] == "heading"] == ["Payments"]


def test_markdown_writes_a_cell_that_spans_others_as_html() -> None:
    cells = [
        {"row": 0, "column": 0, "row_span": 1, "column_span": 2, "text": "A & B"},
        {"row": 1, "column": 0, "row_span": 1, "column_span": 1, "text": "1"},
        {"row": 1, "column": 1, "row_span": 1, "column_span": 1, "text": "2"},
    ]
    assert page_markdown([{"kind": "table", "text": "", "cells": cells}]) == (
        '<table>\n<tr><td colspan="2">A &amp; B</td></tr>\n<tr><td>1</td><td>2</td></tr>\n</table>'
    )


def test_columns_with_a_narrow_gutter_are_read_one_after_the_other() -> None:
    left = [Box(100, 40 * n, 600 if n % 3 else 400, 40 * n + 32) for n in range(8)]
    right = [Box(614, 40 * n, 1100 if n % 3 else 900, 40 * n + 32) for n in range(8)]
    layout = layout_of([box for pair in zip(left, right, strict=True) for box in pair])
    assert layout.columns == 2
    assert [number % 2 for block in layout.blocks for row in block for number in row] == [0] * 8 + [1] * 8


def test_a_column_of_numbers_belongs_to_its_rows() -> None:
    names = [Box(30, 25 * n + 3 * (n % 2), 200 + 10 * n, 25 * n + 20) for n in range(6)]
    amounts = [Box(500, 25 * n + 12 * (n % 2), 590, 25 * n + 12 * (n % 2) + 17) for n in range(6)]
    assert layout_of([*names, *amounts]).columns == 2
    assert layout_of([*names, *amounts], range(6, 12)).columns == 1


WEB_PAGE = """<!doctype html><html><head><title>Terms</title><style>p {color: red}</style></head><body>
<h1>이용약관</h1><p>제1조  이 약관은
<b>서비스</b>의 이용을 정한다.<br>둘째 줄</p><script>alert(1)</script><p style="display: none">unseen</p>
<ul><li>First <a href="/x">point</a></li><li>Second</li></ul>
<table><tr><th rowspan=2>Plan</th><th colspan=2>Price</th></tr><tr><td>won</td><td>usd</td></tr>
<tr><td>A &amp; B</td><td>9,900</td><td>7</td></tr></table></body></html>"""


def test_a_web_page_given_as_a_file_is_read_as_text() -> None:
    result = Desk().read(WEB_PAGE.encode("cp949"))
    [text] = result.data["texts"]
    assert text["source_type"] == "HTML"
    assert result.data["files"][0]["kind"] == "html"
    told = [(block["kind"], block["text"]) for block in text["blocks"]]
    assert told == [
        ("heading", "이용약관"),
        ("paragraph", "제1조 이 약관은 서비스의 이용을 정한다.\n둘째 줄"),
        ("list_item", "First point"),
        ("list_item", "Second"),
        ("table", "Plan Price\nwon usd\nA & B 9,900 7"),
    ]
    cells = text["blocks"][-1]["cells"]
    assert [
        (cell["text"], cell["row"], cell["column"], cell["row_span"], cell["column_span"]) for cell in cells[:4]
    ] == [
        ("Plan", 0, 0, 2, 1),
        ("Price", 0, 1, 1, 2),
        ("won", 1, 1, 1, 1),
        ("usd", 1, 2, 1, 1),
    ]


def test_a_web_page_cannot_claim_more_cells_than_anybody_reads() -> None:
    row = "<tr>" + "<td colspan=99999 rowspan=999>x</td>" * 50 + "</tr>"
    [text] = Desk().read(f"<html><body><table>{row * 60}</table></body></html>".encode()).data["texts"]
    assert len(text["blocks"][0]["cells"]) == 3_000


def test_a_web_page_is_charged_as_text() -> None:
    desk = Desk()
    desk.read(WEB_PAGE.encode())
    assert desk.meter.bought == {OCR_TEXT_PAGE: 1}


def test_preflight_tells_a_screen_from_a_scan_and_a_photograph() -> None:
    screen = page("screenshot").image
    dice = np.random.default_rng(7)
    paper = np.asarray(page("clean").image, dtype=float)
    scan = np.clip(paper - 12 + dice.normal(0, 4, paper.shape), 0, 255)
    photo = scan * np.linspace(0.35, 1, paper.shape[1])[None]
    told = [material_of(Image.fromarray(each.astype(np.uint8))) for each in (np.asarray(screen), scan, photo)]
    assert told == ["screenshot", "scan", "photo"]
    assert material_of(page("clean").image.point(lambda value: 255 if value > 128 else 0)) == "scan"


def test_a_scanned_form_tells_its_fields_too() -> None:
    field = (
        b"<< /Type /Annot /Subtype /Widget /FT /Tx /T (Name) /V (Kim Minji) /Rect [150 700 300 720] /P 3 0 R /F 4 >>"
    )
    body = documents.pdf(
        b"<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [5 0 R] >> >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Annots [5 0 R] /Resources << >> >>",
        documents.stream(b"10 10 50 50 re f"),
        field,
    )
    [text] = Desk().read(body).data["texts"]
    assert text["source_type"] == "OCR"
    assert ("form_field", "Name: Kim Minji") in [(block["kind"], block["text"]) for block in text["blocks"]]
