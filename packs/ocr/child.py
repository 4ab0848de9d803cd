"""The reading process. One request a line (and, after `open`, the file), answers a line each, until the pipe closes.

Started by `process.py` with an environment that holds no secrets. It confines itself before it loads a decoder.
"""

import json
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from packs.ocr.confinement import confine
from packs.ocr.failures import Reason, Unreadable

if TYPE_CHECKING:
    from packs.ocr.reading.file import OpenFile


def main() -> None:
    confine(int(sys.argv[1]))
    # Loaded inside the limits, and only here: the worker itself never loads a decoder.
    from packs.ocr.reading.file import OpenFile

    sys.stdout.buffer.write(b"ready\n")
    sys.stdout.buffer.flush()
    held: OpenFile | None = None
    while header := sys.stdin.buffer.readline():
        asked = json.loads(header)
        if asked["op"] == "open":
            held = OpenFile(sys.stdin.buffer.read(asked["bytes"]))
        for answer in _answers(held, asked):
            sys.stdout.buffer.write(json.dumps(answer, ensure_ascii=False).encode("utf-8", "replace") + b"\n")
            sys.stdout.buffer.flush()


def _answers(held: "OpenFile | None", asked: dict[str, Any]) -> Iterator[dict[str, Any]]:
    if held is None:
        raise AssertionError("a page is asked for only after its file")
    try:
        if asked["op"] == "open":
            yield held.contents(asked["pages"])
        else:
            yield from held.page(asked["page"], asked["profile"], asked["languages"])
    except Unreadable as unreadable:
        yield {"failure": unreadable.reason, "detail": unreadable.detail}
    except MemoryError:
        yield {"failure": Reason.MEMORY_LIMIT, "detail": "The file needs more memory than a file may have."}
    except Exception:  # whatever a stranger's file makes a library raise, the next file must still be read
        yield {"failure": Reason.BROKEN_FILE, "detail": "The file could not be read."}


if __name__ == "__main__":
    main()
