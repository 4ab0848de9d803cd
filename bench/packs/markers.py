"""Parts of a documentation page that programs write: between `<!-- name:begin -->` and `<!-- name:end -->`."""

import re
from pathlib import Path


def _pattern(name: str) -> re.Pattern[str]:
    return re.compile(f"(<!-- {name}:begin -->\n)(.*?)(<!-- {name}:end -->)", re.DOTALL)


def read_between(page: Path, name: str) -> str | None:
    match = _pattern(name).search(page.read_text(encoding="utf-8"))
    return None if match is None else match[2].rstrip("\n")


def write_between(page: Path, name: str, text: str) -> bool:
    """Whether the page has that part."""
    before = page.read_text(encoding="utf-8")
    pattern = _pattern(name)
    if pattern.search(before) is None:
        return False
    page.write_text(pattern.sub(lambda match: match[1] + text.rstrip("\n") + "\n" + match[3], before), encoding="utf-8")
    return True
