"""The files of a run as the worker holds them: bytes that are never looked into here."""

from dataclasses import dataclass


@dataclass(frozen=True, eq=False)
class File:
    source: str
    """Where it stands in the inputs (`images/0`), or the name the caller gave it."""
    body: bytes
    sha256: str
