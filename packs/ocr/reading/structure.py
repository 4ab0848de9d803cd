"""What a page is made of: headings, paragraphs, lists, tables with their cells, form fields and annotations."""

import re
from dataclasses import dataclass

PARAGRAPH, HEADING, LIST_ITEM, TABLE = "paragraph", "heading", "list_item", "table"
FORM_FIELD, ANNOTATION = "form_field", "annotation"
# What a cell of figures holds: `1,250.00`, `(3.5%)`, `2024-10-31`.
NUMBER = re.compile(r"[\W\d]*\d[\W\d]*")


@dataclass(frozen=True)
class Cell:
    row: int
    column: int
    text: str
    row_span: int = 1
    column_span: int = 1
