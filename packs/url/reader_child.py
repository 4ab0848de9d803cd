"""The reading process: one document in, one line of JSON out, until the pipe closes.

It limits itself before it looks at anything: memory, processor time, no files written. Started by `reader.py`
with an environment that holds no secrets.
"""

import json
import resource
import sys

from packs.url.page import Unreadable
from packs.url.reading import as_json, read_page

# Of address space, which bounds what is resident too. A large page takes 150 MiB, a bomb whatever it gets.
MAX_MEMORY_BYTES = 512 * 1_048_576
MAX_CPU_SEC = 100


def main() -> None:
    _limit(resource.RLIMIT_AS, MAX_MEMORY_BYTES)
    _limit(resource.RLIMIT_CPU, MAX_CPU_SEC)
    _limit(resource.RLIMIT_FSIZE, 0)
    _limit(resource.RLIMIT_CORE, 0)
    while header := sys.stdin.buffer.readline():
        asked = json.loads(header)
        body = sys.stdin.buffer.read(asked["bytes"])
        sys.stdout.buffer.write(_answer(body, asked["content_type"]) + b"\n")
        sys.stdout.buffer.flush()


def _answer(body: bytes, content_type: str) -> bytes:
    try:
        return as_json(read_page(body, content_type))
    except Unreadable as unreadable:
        detail = str(unreadable)
    except Exception:  # whatever a stranger's file makes a library raise, the next file must still be read
        detail = "The document could not be read."
    return json.dumps({"unreadable": detail}).encode()


def _limit(kind: int, most: int) -> None:
    _, hard = resource.getrlimit(kind)
    resource.setrlimit(kind, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))


if __name__ == "__main__":
    main()
