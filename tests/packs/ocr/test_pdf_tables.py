"""Tables as offices draw them: cells with air between them, heads that alone have rules, captions that stand close."""

from itertools import pairwise

from packs.ocr.reading.boxes import Box
from packs.ocr.reading.gutters import parted_at_gutters
from packs.ocr.reading.pdfs import TextLine
from packs.ocr.reading.ruled_tables import Grid, cells_in, grids_of
from packs.ocr.reading.slivers import without_slivers
from packs.ocr.reading.text_tables import columns_of
from tests.packs.ocr import documents
from tests.packs.ocr.desk import Desk
from tests.packs.ocr.test_structure import level_rule, rows_of, shown, table_of

COUNTIES = (("Lake", "16", "8"), ("Monroe", "59", "25"), ("Wayne", "1,094", "240"), ("Otsego", "17", "9"))


def counties(top: int = 150, columns: tuple[int, ...] = (80, 180, 280)) -> bytes:
    return b"".join(
        shown(said, left, top + 16 * number)
        for number, row in enumerate(COUNTIES)
        for said, left in zip(row, columns, strict=True)
    )


def frame(left: int, top: int, right: int, bottom: int) -> bytes:
    return b"%d %d %d %d re S " % (left, 842 - bottom, right - left, bottom - top)


def test_a_shade_inside_of_a_cell_makes_no_rows_and_columns() -> None:
    edges = (74, 170, 266, 330)
    frames = b"".join(
        frame(left + inset, 138 + 20 * row + inset, right - inset, 158 + 20 * row - inset)
        for row in range(4)
        for left, right in pairwise(edges)
        for inset in (0, 5)
    )
    texts = b"".join(
        shown(said, left, 152 + 20 * number)
        for number, row in enumerate(COUNTIES)
        for said, left in zip(row, (82, 180, 280), strict=True)
    )
    assert rows_of(table_of(frames + texts)) == [list(row) for row in COUNTIES]


def test_a_narrow_column_with_words_is_a_column() -> None:
    grid = Grid((0, 20, 40), (0, 60, 70, 130))
    beside = Box(10, 5, 50, 15)
    assert without_slivers(grid, [beside], size=10).columns == (0, 65, 130)
    assert without_slivers(grid, [beside, Box(61, 5, 69, 15)], size=10).columns == (0, 60, 70, 130)


def test_rules_around_the_head_alone_leave_the_body_its_rows() -> None:
    head = shown("County", 80, 128) + shown("Total", 180, 128) + shown("Abuse", 280, 128)
    rules = level_rule(72, 330, 115) + level_rule(72, 330, 134) + level_rule(72, 330, 136 + 16 * 6)
    note = shown("Counties without any case at all", 80, 150 + 16 * 4)
    told = rows_of(table_of(head + counties() + note + rules))
    assert told[:-1] == [["County", "Total", "Abuse"], *(list(row) for row in COUNTIES)]
    assert told[-1] == ["Counties without any case at all"]


def test_a_body_goes_on_below_the_last_rule() -> None:
    head = shown("County", 80, 128) + shown("Total", 180, 128) + shown("Abuse", 280, 128)
    rules = level_rule(72, 330, 90) + level_rule(72, 330, 115) + level_rule(72, 330, 134)
    cells = table_of(head + counties() + rules)
    assert rows_of(cells) == [["County", "Total", "Abuse"], *(list(row) for row in COUNTIES)]


def test_a_headline_amid_the_columns_does_not_join_them() -> None:
    rows = [[(Box(80 + 60 * at, top, 100 + 60 * at, top + 8), "12") for at in range(5)] for top in range(20, 100, 10)]
    headline = [(Box(150, 10, 225, 18), "Thousands")]
    wide = [
        [(Box(0, top, 98, top + 8), "Contributions"), (Box(140, top, 160, top + 8), "7")] for top in range(100, 140, 10)
    ]
    assert len(columns_of([headline, *rows, *wide], size=9)) == 5


def test_a_blank_strip_does_not_part_a_table() -> None:
    def rules(left: int, right: int) -> tuple[list[Box], list[Box]]:
        level = [Box(left, y, right, y) for y in (0, 20, 40)]
        return level, [Box(x, 0, x, 40) for x in (left, (left + right) // 2, right)]

    (level, upright), (beside, upright_beside) = rules(0, 100), rules(109, 209)
    [grid] = grids_of(level + beside, upright + upright_beside)
    assert grid.box == Box(0, 0, 209, 40)

    far, upright_far = rules(150, 250)
    assert len(grids_of(level + far, upright + upright_far)) == 2


def test_numbers_under_numbers_are_two_rows_though_no_rule_parts_them() -> None:
    level = (Box(0, 0, 100, 0), Box(0, 40, 100, 40))
    upright = tuple(Box(x, 0, x, 40) for x in (0, 60, 80, 100))
    grid = Grid((0, 20, 40), (0, 60, 80, 100), (*level, *upright))
    words = [(Box(5, 5, 40, 15), "Acute"), (Box(62, 5, 70, 15), "1.9"), (Box(5, 25, 40, 35), "Chronic")]
    told = {(cell.row, cell.column): cell.text for cell in cells_in(grid, [*words, (Box(62, 25, 70, 35), "2.1")])}
    assert (told[0, 0], told[1, 0], told[0, 1], told[1, 1]) == ("Acute", "Chronic", "1.9", "2.1")

    together = {cell.text for cell in cells_in(grid, [*words, (Box(62, 25, 70, 35), "none")])}
    assert "Acute Chronic" in together


def test_rules_through_words_make_no_table() -> None:
    words = b"".join(shown("Words that go on from side to side", 80, 150 + 16 * number) for number in range(5))
    drawing = b"".join(b"%d 720 m %d 600 l S " % (x, x) for x in (95, 120, 150, 190)) + level_rule(72, 330, 130)
    body = documents.one_page(documents.stream(words + drawing + level_rule(72, 330, 200) + level_rule(72, 330, 160)))
    [text] = Desk().read(body).data["texts"]
    assert {block["kind"] for block in text["blocks"]} == {"paragraph"}


def test_columns_that_the_file_joins_are_parted_where_others_begin() -> None:
    def line(*words: tuple[int, int]) -> TextLine:
        boxes = tuple((Box(left, 10, right, 18), "word") for left, right in words)
        return TextLine("word " * len(words), Box(words[0][0], 10, words[-1][1], 18), 10.0, words=boxes)

    column = [line((200, 220), (223, 260))] * 4
    joined = line((50, 90), (94, 185), (200, 240))
    assert [each.box.left for each in parted_at_gutters([joined, *column])] == [50, 200, 200, 200, 200, 200]
    assert [each.box.left for each in parted_at_gutters([joined, *column[:3]])] == [50, 200, 200, 200]

    near = line((50, 90), (94, 195), (200, 240))
    assert len(parted_at_gutters([near, *column])) == 5
