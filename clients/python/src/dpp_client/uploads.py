"""Files that are uploaded: their bytes, how they are called, and of which type they are."""

import mimetypes
from pathlib import Path

from dpp_client.errors import NotAFile

_MORE_TYPES = {".webp": "image/webp"}


def read_file(file: str | Path | bytes, name: str | None, mime: str | None) -> tuple[bytes, str, str]:
    """Bytes, name, media type. What is not given is taken from the path."""
    if isinstance(file, bytes):
        if not mime:
            raise NotAFile("Bytes need `mime`, such as application/pdf.")
        return file, name or "file", mime
    path = Path(file)
    kind = mime or _MORE_TYPES.get(path.suffix.lower()) or mimetypes.guess_type(path.name)[0]
    if not kind:
        raise NotAFile(f"The type of {path.name} cannot be told from its name: give `mime`.")
    try:
        return path.read_bytes(), name or path.name, kind
    except OSError as error:
        raise NotAFile(f"{path} cannot be read: {error.strerror}.") from error
