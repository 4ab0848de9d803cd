"""The eval pack on public fact-checking pairs: `python -m bench.packs.fact_checking FILE [COUNT]`.

FILE is `vitaminc_fact_verification/task.json` of the package bigbench 1.0.0 on PyPI: 54,668 English claims, each with a
sentence of an encyclopedia, its title, and whether the claim is true by it, false, or neither. Half of the titles were
set aside before the first look: their pairs are measured here and were never read. The file is not in the repository.
"""

import json
import random
import re
import sys
from pathlib import Path
from typing import Any

from packs.evaluate import assess

_LABELS = {"True": "supported", "False": "contradicted", "Neither": "neither"}
_BRACKETS = (("-LRB-", " ("), ("-RRB-", ") "), ("-LSB-", "["), ("-RSB-", "]"), ("``", '"'), ("''", '"'))
_DEFAULT_COUNT = 6_000


def _written(text: str) -> str:
    """The text as a person writes it; the file separates marks from words."""
    for coded, plain in _BRACKETS:
        text = text.replace(coded, plain)
    text = re.sub(r"\s+", " ", text)
    text = re.sub(r" ([,.;:!?%)\]])", r"\1", text)
    text = re.sub(r"([(\[$£€]) ", r"\1", text)
    text = re.sub(r" ('s|n't|'re|'ve|'ll|'d|'m)\b", r"\1", text)
    return re.sub(r"(\d) (st|nd|rd|th)\b", r"\1\2", text).strip()


def pairs(path: Path) -> list[dict[str, str]]:
    rows, seen = [], set()
    for example in json.loads(path.read_text(encoding="utf-8"))["examples"]:
        evidence, _, claim = example["input"].rpartition("\nClaim: ")
        match = re.match(r"(.{1,80}?): (.*)", evidence, re.DOTALL)
        title, text = (match[1], match[2]) if match else ("", evidence)
        if (text, claim) in seen:
            continue
        seen.add((text, claim))
        label = _LABELS[max(example["target_scores"], key=example["target_scores"].get)]
        source = _written(text).lstrip(", ")
        rows.append({"title": _written(title), "source": source, "claim": _written(claim), "label": label})
    return rows


def untouched(rows: list[dict[str, str]]) -> list[dict[str, str]]:
    """The pairs of the titles that were set aside, in a fixed order."""
    order = random.Random(7)
    titles = sorted({row["title"] for row in rows})
    order.shuffle(titles)
    tuned = set(titles[: len(titles) // 2])
    kept = [row for row in rows if row["title"] not in tuned]
    used = [row for row in rows if row["title"] in tuned]
    order.shuffle(used)
    order.shuffle(kept)
    return kept


def _said(row: dict[str, str]) -> str:
    source: dict[str, Any] = {"id": "1", "title": row["title"], "text": row["source"]}
    read = assess([{"text": row["claim"], "source_ids": ["1"]}], [source], None)["interpretation"]
    return str(read[0]["status"]) if read else ""


def main() -> None:
    count = int(sys.argv[2]) if len(sys.argv) > 2 else _DEFAULT_COUNT
    rows = untouched(pairs(Path(sys.argv[1])))[-count:]
    said = [(row["label"], _said(row)) for row in rows]
    for status in ("supported", "contradicted"):
        right = sum(label == verdict == status for label, verdict in said)
        called = sum(verdict == status for _, verdict in said)
        labelled = sum(label == status for label, _ in said)
        print(f"{status}: precision {right}/{called}, recall {right}/{labelled}")
    wrong = sum(label == "contradicted" and verdict == "supported" for label, verdict in said)
    print(f"contradicted called supported: {wrong}/{sum(label == 'contradicted' for label, _ in said)}")


if __name__ == "__main__":
    main()
