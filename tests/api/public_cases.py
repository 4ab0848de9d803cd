"""The public case collections under data/: documents that JSON parsers stumble over, and strings that programs do."""

import json
from pathlib import Path

_DATA = Path(__file__).resolve().parent / "data"


def documents(kind: str) -> dict[str, bytes]:
    """`n` are not JSON, `y` are, and about `i` the specification leaves the choice to the parser."""
    found = {path.stem: path.read_bytes() for path in (_DATA / "json_parsing_suite").glob(f"{kind}_*.json")}
    assert found, f"no documents of kind {kind}"
    return found


NAUGHTY: list[str] = json.loads((_DATA / "naughty_strings.json").read_bytes())
