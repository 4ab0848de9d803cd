"""The front page, and the guides: docs/*.md as pages for people and as Markdown for programs.

Everything is a file of this repository, read and rendered once per process. Nothing comes from elsewhere.
"""

import functools
import posixpath
import re
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from urllib.parse import urlsplit

from django.conf import settings
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe
from markdown_it import MarkdownIt
from markdown_it.token import Token

_MARKDOWN = "text/markdown; charset=utf-8"
_CACHED = "public, max-age=300"
_POLICY = "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'"
_IMAGES = {".png": "image/png", ".svg": "image/svg+xml"}

_NAME = "Decision Pack Platform"
_ABOUT = (
    "DPP sells decision packs to software agents: ocr, url, decision, compliance, eval. An agent submits a run with a "
    "spending limit, over REST or MCP; the money is held, the pack is executed, the result is a signed JSON document, "
    "and the money is settled exactly once."
)
# By group: who reads it first. A page that is not named here stands under the last one.
_GROUPS = {
    "For agents and their authors": (
        "agents",
        "api",
        "mcp",
        "errors",
        "events",
        "webhooks",
        "prices",
        "packs",
        "transcripts",
    ),
    "Packs": ("packs-decision", "packs-ocr", "packs-url", "packs-compliance", "packs-eval"),
    "Trust": ("reliability", "security", "sandbox", "performance", "capacity"),
    "For operators and contributors": (),
}

_STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.6 system-ui, sans-serif; max-width: 60rem; margin: 0 auto; padding: 1rem 1.25rem 4rem; }
nav { border-bottom: 1px solid #8886; padding-bottom: .5rem; margin-bottom: 1.5rem; }
nav a { margin-right: 1rem; }
pre { overflow-x: auto; padding: .75rem 1rem; background: #8881; border-radius: .4rem; }
code { font-size: .92em; }
table { border-collapse: collapse; display: block; overflow-x: auto; }
th, td { border: 1px solid #8885; padding: .3rem .6rem; text-align: left; vertical-align: top; }
img { max-width: 100%; }
"""

_NAVIGATION = (("/", "DPP"), ("/guides/api", "Guide"), ("/docs/", "API reference"), ("/readyz", "State"))


@dataclass(frozen=True)
class Guide:
    name: str
    """As in its address: the path below docs/, without its ending."""
    text: str

    @property
    def title(self) -> str:
        return self.text.partition("\n")[0].lstrip("# ").strip() or self.name

    @property
    def about(self) -> str:
        """Its first sentence."""
        paragraphs = (part.strip() for part in self.text.split("\n\n")[1:])
        first = next((part for part in paragraphs if part[:1].isalnum() or part[:1] in "`*["), "")
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", " ".join(first.split()))
        return re.split(r"(?<=[.:])\s", plain)[0].rstrip(":")

    @property
    def address(self) -> str:
        return f"/guides/{self.name}"


@functools.cache
def guides() -> dict[str, Guide]:
    """By name. Empty where the documents were not installed."""
    root = settings.BASE_DIR / "docs"
    found = sorted(root.rglob("*.md")) if root.is_dir() else []
    names = [path.relative_to(root).with_suffix("").as_posix() for path in found]
    return {name: Guide(name, path.read_text(encoding="utf-8")) for name, path in zip(names, found, strict=True)}


@require_safe
def front_page(request: HttpRequest) -> HttpResponse:
    """What this is, and where everything is."""
    if _wants_markdown(request):
        return _markdown(_index())
    return _page(_NAME, _rendered(_index(), "index"))


@require_safe
def llms_txt(request: HttpRequest) -> HttpResponse:
    """The same for programs that look for it here (llmstxt.org)."""
    return _answer(_index(), "text/plain; charset=utf-8")


@require_safe
def guide(request: HttpRequest, name: str) -> HttpResponse | FileResponse:
    if name == "style.css":
        return _answer(_STYLE, "text/css; charset=utf-8")
    if posixpath.splitext(name)[1] in _IMAGES:
        return _image(name)
    if name.endswith(".json"):
        return _schema(name)
    found = guides().get(name.removesuffix(".md"))
    if found is None:
        raise Http404
    if name.endswith(".md") or _wants_markdown(request):
        return _markdown(found.text)
    return _page(found.title, _rendered(found.text, found.name))


def _wants_markdown(request: HttpRequest) -> bool:
    """A browser prefers HTML; whoever names Markdown and does not prefer HTML gets it as it was written."""
    return request.get_preferred_type(["text/html", "text/markdown"]) == "text/markdown"


@functools.cache
def _index() -> str:
    lines = [f"# {_NAME}", "", f"> {_ABOUT}", ""]
    left = {name: found for name, found in guides().items() if "/" not in name}
    *groups, last = _GROUPS
    for group in groups:
        lines += _section(group, [left.pop(name) for name in _GROUPS[group] if name in left])
    lines += _section(last, list(left.values()))
    lines += _section(
        "One run of each pack", [found for name, found in guides().items() if name.startswith("examples/")]
    )
    lines += [
        "## This service",
        "",
        "- [API reference](/docs/): every call, to be tried in the browser",
        "- [OpenAPI 3.1](/v1/openapi.json): the same for programs",
        "- [State of the service](/readyz): whether everything it needs answers",
        "- [Admin](/admin/): for those who run it",
        "- [llms.txt](/llms.txt): this page for language models; every guide is Markdown with `.md` at its end",
    ]
    return "\n".join(lines) + "\n"


def _section(title: str, listed: list[Guide]) -> list[str]:
    if not listed:
        return []
    return [f"## {title}", "", *(f"- [{found.title}]({found.address}): {found.about}" for found in listed), ""]


_PARSER = MarkdownIt("commonmark", {"html": False}).enable("table")


@functools.lru_cache(maxsize=256)
def _rendered(text: str, name: str) -> str:
    # Comments in the documents speak to the tests.
    tokens = _PARSER.parse(re.sub(r"<!--.*?-->\n?", "", text, flags=re.DOTALL))
    _number_headings(tokens)
    for token in tokens:
        for child in token.children or ():
            attribute = {"link_open": "href", "image": "src"}.get(child.type)
            if attribute is not None:
                child.attrs[attribute] = _address(str(child.attrs[attribute]), name)
    return str(_PARSER.renderer.render(tokens, _PARSER.options, {}))


def _number_headings(tokens: list[Token]) -> None:
    """So that links into a page lead there, by the names that code hosts give to headings."""
    for token, inside in pairwise(tokens):
        if token.type == "heading_open":
            words = re.sub(r"[^\w\- ]", "", inside.content.lower())
            token.attrs["id"] = words.replace(" ", "-")


def _address(link: str, name: str) -> str:
    """Of a link in a document: other documents are pages here, other files of the repository are not."""
    parts = urlsplit(link)
    if parts.scheme or link.startswith(("/", "#")):
        return link
    target = posixpath.normpath(posixpath.join("docs", posixpath.dirname(name), parts.path))
    inside = target.removeprefix("docs/")
    fragment = f"#{parts.fragment}" if parts.fragment else ""
    if inside.removesuffix(".md") in guides():
        return f"/guides/{inside.removesuffix('.md')}{fragment}"
    is_served = posixpath.splitext(inside)[1] in _IMAGES or inside.startswith("schemas/")
    return f"/guides/{inside}" if is_served else "/"


def _page(title: str, body: str) -> HttpResponse:
    navigation = " ".join(f'<a href="{address}">{text}</a>' for address, text in _NAVIGATION)
    page = (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n"
        '<link rel="stylesheet" href="/guides/style.css">\n</head>\n'
        f"<body>\n<nav>{navigation}</nav>\n<main>\n{body}</main>\n</body>\n</html>\n"
    )
    response = _answer(page, "text/html; charset=utf-8")
    response["Content-Security-Policy"] = _POLICY
    return response


def _markdown(text: str) -> HttpResponse:
    return _answer(text, _MARKDOWN)


def _answer(text: str, content_type: str) -> HttpResponse:
    return HttpResponse(text, content_type=content_type, headers={"Cache-Control": _CACHED, "Vary": "Accept"})


def _schema(name: str) -> FileResponse:
    root = settings.BASE_DIR / "docs"
    if name not in {found.relative_to(root).as_posix() for found in (root / "schemas").glob("*.json")}:
        raise Http404
    response = FileResponse((root / name).open("rb"), content_type="application/schema+json")
    response["Cache-Control"] = _CACHED
    return response


def _image(name: str) -> FileResponse:
    root = settings.BASE_DIR / "docs"
    path = root / name
    listed = {found.relative_to(root).as_posix() for found in (root / "img").glob("*")} | {
        found.relative_to(root).as_posix() for found in (root / "examples").glob("*.png")
    }
    if name not in listed:
        raise Http404
    response = FileResponse(path.open("rb"), content_type=_IMAGES[path.suffix])
    response["Cache-Control"] = _CACHED
    return response
