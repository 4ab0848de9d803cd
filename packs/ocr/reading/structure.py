"""What a page is made of: headings, paragraphs, lists, tables with their cells, form fields and annotations."""

from dataclasses import dataclass

PARAGRAPH, HEADING, LIST_ITEM, TABLE = "paragraph", "heading", "list_item", "table"
FORM_FIELD, ANNOTATION = "form_field", "annotation"


@dataclass(frozen=True)
class Cell:
    row: int
    column: int
    text: str
    row_span: int = 1
    column_span: int = 1
