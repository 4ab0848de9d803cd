"""A result as a report people read: one document model, written as Markdown and as Word.

Called by the worker once a pack is done. Pure: the same data, title and time give the same bytes.
"""

from collections.abc import Sequence
from datetime import datetime

from packs.artifacts.document import Document
from packs.artifacts.markdown import to_markdown
from packs.artifacts.report import ReportMeta, build_report
from packs.artifacts.word import to_docx
from packs.base import Artifact, JsonObject

MARKDOWN_NAME = "report.md"
DOCX_NAME = "report.docx"
MARKDOWN_MIME = "text/markdown; charset=utf-8"
DOCX_MIME = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"

__all__ = ["Document", "ReportMeta", "build_report", "render", "to_docx", "to_markdown"]


def render(
    pack_type: str,
    data: JsonObject,
    *,
    markdown: bool,
    docx: bool,
    title: str,
    created_at: datetime,
    bill: Sequence[JsonObject] = (),
) -> tuple[Artifact, ...]:
    """The files that were asked for, Markdown first. `title` names the run; `bill` has the lines of its cost so far."""
    if not (markdown or docx):
        return ()
    document = build_report(pack_type, data, ReportMeta(title=title, created_at=created_at, bill=tuple(bill)))
    files: list[Artifact] = []
    if markdown:
        files.append(Artifact(MARKDOWN_NAME, MARKDOWN_MIME, to_markdown(document).encode()))
    if docx:
        files.append(Artifact(DOCX_NAME, DOCX_MIME, to_docx(document)))
    return tuple(files)
