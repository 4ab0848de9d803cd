"""What the confined process does with a file: opens it, then reads its pages one by one."""

from collections.abc import Callable, Iterator
from typing import Any

from packs.ocr.failures import FailureReason, Unreadable
from packs.ocr.reading.file import OpenFile

_open_file: OpenFile | None = None


def answers(request: dict[str, Any], read: Callable[[int], bytes]) -> Iterator[dict[str, Any]]:
    global _open_file
    if request["op"] == "open":
        _open_file = OpenFile(read(request["bytes"]))
    if _open_file is None:
        raise AssertionError("a page is asked for only after its file")
    try:
        if request["op"] == "open":
            yield _open_file.contents(request["pages"])
        else:
            yield from _open_file.page(request["page"], request["profile"], request["languages"])
    except Unreadable as unreadable:
        yield {"failure": unreadable.reason, "detail": unreadable.detail}
    except MemoryError:
        yield {"failure": FailureReason.MEMORY_LIMIT, "detail": "The file needs more memory than a file may have."}
    except Exception:  # whatever a stranger's file makes a library raise, the next file must still be read
        yield {"failure": FailureReason.BROKEN_FILE, "detail": "The file could not be read."}
