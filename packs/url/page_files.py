"""The files a url run leaves: the kept addresses as text, and, on request, each kept page as Markdown."""

import re

from packs.base import Artifact
from packs.fetch.url import parse_url
from packs.url.run_state import Kept
from packs.url.schema import PageFiles

KEPT_URLS = "kept_urls.txt"
MAX_EXCERPT_CHARS = 1_000
"""As much as `results[].text_excerpt` shows."""
_TEXT_MIME = "text/plain; charset=utf-8"
_MARKDOWN_MIME = "text/markdown; charset=utf-8"


def page_files(kept: list[Kept], wanted: PageFiles) -> tuple[Artifact, ...]:
    if not kept:
        return ()
    urls = "".join(f"{page.candidate.url}\n" for page in kept)
    listed = Artifact(KEPT_URLS, _TEXT_MIME, urls.encode())
    if wanted is PageFiles.NONE:
        return (listed,)
    return (listed, *(_page_file(number, page, wanted) for number, page in enumerate(kept, 1)))


def _page_file(number: int, kept: Kept, wanted: PageFiles) -> Artifact:
    page, url = kept.candidate.page, kept.candidate.url
    text = (page.markdown or page.text).removeprefix(f"# {page.title}\n").lstrip()
    is_cut = page.cut
    if wanted is PageFiles.EXCERPT and len(text) > MAX_EXCERPT_CHARS:
        text, is_cut = text[:MAX_EXCERPT_CHARS].rstrip() + " …", True
    head = [
        f"# {page.title or url}",
        "",
        f"Source: <{url}>",
        f"Fetched: {kept.candidate.document.fetched_at.isoformat()}",
    ]
    head += [f"Published: {page.published}"] if page.published else []
    head += ["Truncated: only the beginning stands here."] if is_cut else []
    body = "\n".join([*head, "", text, ""]).encode("utf-8", "replace")
    return Artifact(f"page-{number:02d}-{_slug(url)}.md", _MARKDOWN_MIME, body)


def _slug(url: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", parse_url(url).host.name).strip("-")[:60]
