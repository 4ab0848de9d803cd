"""The engine's language models, part of this repository: a fresh machine needs nothing else."""

import hashlib
from pathlib import Path

MODELS = Path(__file__).parent
SHA256 = {
    "eng": "5dc5d8d640a212c9d6184921ba103b186f50e0fed9ee716c53e6b312b400d747",
    "kor": "ec1749377d49ac38fb3d3cd05dd5e2a53359d329f359762bc638a81132109992",
}
VERSION = "4.0.0_best_int"


def missing(languages: str) -> list[str]:
    """Those of "kor+eng" whose file is not there, or is not the one that was shipped."""
    return [name for name in languages.split("+") if not _is_whole(MODELS / f"{name}.traineddata", SHA256[name])]


def _is_whole(path: Path, wanted: str) -> bool:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest() == wanted
    except OSError:
        return False
