"""Writes `packs/claims/words/part_of_speech.json.gz` from the trained model of textblob-aptagger 0.2.0.

`python -m bench.packs.part_of_speech trontagger-0.1.0.pickle`. The model is an averaged perceptron over words, endings
and neighbouring tags, trained on newspaper text by Matthew Honnibal (MIT licence, `words/part_of_speech.LICENSE`).
Only plain dictionaries, sets and numbers are accepted from the file.
"""

import gzip
import io
import json
import pickle
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

OUT = Path("packs/claims/words/part_of_speech.json.gz")
_PLAIN = {("__builtin__", "set"): set, ("builtins", "set"): set, ("collections", "defaultdict"): defaultdict}
_LEAST_WEIGHT = 0.05


class _PlainUnpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        return _PLAIN[module, name]


def main() -> None:
    raw = Path(sys.argv[1]).read_bytes()
    weights, known, classes = _PlainUnpickler(io.BytesIO(raw), encoding="latin-1").load()
    tags = sorted(classes)
    kept: dict[str, list[float]] = {}
    for feature, by_tag in weights.items():
        row: list[float] = []
        for tag, weight in sorted(by_tag.items()):
            if abs(weight) >= _LEAST_WEIGHT:
                row += [tags.index(tag), round(weight, 2)]
        if row:
            kept[feature] = row
    model = {"tags": tags, "known": {word: tags.index(tag) for word, tag in known.items()}, "weights": kept}
    text = json.dumps(model, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    OUT.write_bytes(gzip.compress(text.encode(), mtime=0))


if __name__ == "__main__":
    main()
