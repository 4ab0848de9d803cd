"""The confined side: `python -m packs.sandbox.child '{"parent": 1, "serve": "packs.url.reader_child", …}'`.

One request per line (and as many bytes after it as its reader asks for), answers one line each, until the pipe closes.
The module that serves has a function `answers(request, read)`; it is loaded inside the confinement.
"""

import importlib
import json
import sys
from pathlib import Path

from packs.sandbox.confinement import Limits, confine


def main() -> None:
    order = json.loads(sys.argv[1])
    readable = tuple(Path(path) for path in order["readable"])
    confine(order["parent"], Limits(**order["limits"]), readable=readable)
    answers = importlib.import_module(order["serve"]).answers
    _say({"ready": True})
    while line := sys.stdin.buffer.readline():
        for answer in answers(json.loads(line), sys.stdin.buffer.read):
            _say(answer)


def _say(answer: object) -> None:
    # What is no text (half a pair of surrogates) becomes a question mark rather than a dead reader.
    sys.stdout.buffer.write(json.dumps(answer, ensure_ascii=False).encode("utf-8", "replace") + b"\n")
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
