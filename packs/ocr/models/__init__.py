"""The engines' models, part of this repository: a fresh machine needs nothing else."""

import hashlib
from pathlib import Path

MODELS = Path(__file__).parent
LANGUAGES = ("kor", "eng")
NETWORKS = ("text_detector", "line_recogniser")
SHA256 = {
    "eng": "5dc5d8d640a212c9d6184921ba103b186f50e0fed9ee716c53e6b312b400d747",
    "kor": "ec1749377d49ac38fb3d3cd05dd5e2a53359d329f359762bc638a81132109992",
    "line_recogniser": "6f327246b50388f3c176ae304bd95767ea6dc0c9ae92153ef8cbe210b3c14884",
    "text_detector": "193bab7a04fca699a6c82e6abb5b81bdb28177f0abd4062552b04908dafb19f8",
}
VERSION = "4.0.0_best_int, PP-OCRv6"
# Those that this process has looked at: reading 30 MB for every page would cost more than a line of text.
_whole: set[Path] = set()


def used(languages: str) -> tuple[str, ...]:
    """The models that read pages of "kor+eng". English is the recogniser's; its words are in the model of Tesseract."""
    return (*(("kor",) if "kor" in languages.split("+") else ()), "eng", *NETWORKS)


def missing(languages: str) -> list[str]:
    """Those whose file is not there, or is not the one that was shipped."""
    wanted = {name: _path(name) for name in used(languages)}
    _whole.update(path for name, path in wanted.items() if path not in _whole and _is_whole(path, SHA256[name]))
    return [name for name, path in wanted.items() if path not in _whole]


def _path(name: str) -> Path:
    return MODELS / (f"{name}.onnx" if name in NETWORKS else f"{name}.traineddata")


def _is_whole(path: Path, wanted: str) -> bool:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest() == wanted
    except OSError:
        return False
