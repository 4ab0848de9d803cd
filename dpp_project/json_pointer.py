"""JSON Pointers (RFC 6901): where in a document something is."""

from collections.abc import Iterable

# A name can be a megabyte long; a pointer is read by people and agents.
_LONGEST_NAME = 100


def pointer(path: Iterable[str | int]) -> str:
    """`["inputs", "a/b", 0]` -> `/inputs/a~1b/0`."""
    return "".join(f"/{escape(str(part)[:_LONGEST_NAME])}" for part in path)


def escape(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")


def names_in(pointer: str) -> list[str]:
    """`/inputs/a~1b/0` -> `["inputs", "a/b", "0"]`."""
    return [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]
