"""Why a file or a page brought no text. One clear entry each; `detail` is shown to the owner of the run."""

from enum import StrEnum


class FailureReason(StrEnum):
    # the input
    BAD_BASE64 = "BAD_BASE64"
    EMPTY_FILE = "EMPTY_FILE"
    FILE_TOO_LARGE = "FILE_TOO_LARGE"
    TOTAL_TOO_LARGE = "TOTAL_TOO_LARGE"
    FETCH_BLOCKED = "FETCH_BLOCKED"
    FETCH_FAILED = "FETCH_FAILED"
    OBJECT_NOT_FOUND = "OBJECT_NOT_FOUND"
    STORAGE_UNAVAILABLE = "STORAGE_UNAVAILABLE"
    NOT_AVAILABLE = "NOT_AVAILABLE"
    # the file
    UNSUPPORTED_TYPE = "UNSUPPORTED_TYPE"
    AMBIGUOUS_TYPE = "AMBIGUOUS_TYPE"
    BROKEN_FILE = "BROKEN_FILE"
    ENCRYPTED = "ENCRYPTED"
    TOO_MANY_PIXELS = "TOO_MANY_PIXELS"
    TOO_MANY_PAGES = "TOO_MANY_PAGES"
    PAGE_TOO_LARGE = "PAGE_TOO_LARGE"
    # the reading process
    TIME_LIMIT = "TIME_LIMIT"
    PAGE_TIME_LIMIT = "PAGE_TIME_LIMIT"
    MEMORY_LIMIT = "MEMORY_LIMIT"
    READER_CRASHED = "READER_CRASHED"
    MODEL_MISSING = "MODEL_MISSING"
    RESULT_TOO_LARGE = "RESULT_TOO_LARGE"
    # the run
    MAX_PAGES_REACHED = "MAX_PAGES_REACHED"
    BUDGET_CAP_REACHED = "BUDGET_CAP_REACHED"
    DEADLINE_REACHED = "DEADLINE_REACHED"


GIVE_UP = frozenset(
    {FailureReason.TIME_LIMIT, FailureReason.MEMORY_LIMIT, FailureReason.READER_CRASHED, FailureReason.MODEL_MISSING}
)
"""What one page has done, the file's other pages would do again: they are not tried."""


class Unreadable(Exception):
    """A file or a page that cannot be read."""

    def __init__(self, reason: FailureReason, detail: str) -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason = reason
        self.detail = detail
