"""Pages that nobody here drew, from a folder with transcripts: how many words are read, how many pages are silently
wrong, how well marks tell right words from wrong ones, processor seconds a page.

The folder has a `truth.json`: `{file: {set, text}}`. Of a PDF, `name.pdf#3` is its fourth page, read as a picture.
"""

import json
import re
import sys
import time
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from PIL import Image

from packs.ocr.profiles import PROFILES, OcrProfile
from packs.ocr.reading import pdfs
from packs.ocr.reading.marks import DOUBTFUL_MARK, UNREADABLE_MARK
from packs.ocr.reading.read_page import read_image

BARE = "bare engine"
# A page of which less was read, and that has no warning, claims what is not so.
LEAST_READ = 0.3
# A word that stands in the transcript with other blanks; shorter ones stand anywhere by chance. A Korean syllable is
# two or three letters.
LEAST_PARTED, LEAST_PARTED_KOREAN = 3, 2
_HANGUL = re.compile("[가-힣]")
_SAME_MARKS = str.maketrans({"’": "'", "‘": "'", "–": "-", "—": "-", "‐": "-", "⁄": "/"})


@dataclass(frozen=True)
class Reading:
    text: str
    has_warning: bool
    seconds: float


@dataclass(frozen=True)
class PageFigures:
    recall: float
    is_silent: bool
    right: int
    right_marked: int
    wrong: int
    wrong_unmarked: int
    parted: int
    """Letters right, blanks not: neither right nor wrong."""
    seconds: float


def measure(folder: Path, profiles: list[str], languages: str) -> dict[str, dict[str, list[PageFigures]]]:
    """By set and reader."""
    truth: dict[str, dict[str, str]] = json.loads((folder / "truth.json").read_text(encoding="utf-8"))
    readers = {BARE: _bare(languages), **{name: _with_profile(PROFILES[name], languages) for name in profiles}}
    found: dict[str, dict[str, list[PageFigures]]] = defaultdict(lambda: defaultdict(list))
    for name, known in truth.items():
        for reader, read in readers.items():
            figures = page_figures(known["text"], read(folder, name))
            found[known["set"]][reader].append(figures)
            print(f"{name:24} {reader:12} {_one_line(figures)}", file=sys.stderr, flush=True)
    return found


def _bare(languages: str) -> Callable[[Path, str], Reading]:
    import tesserocr  # type: ignore[import-untyped]

    from packs.ocr.models import MODELS

    api = tesserocr.PyTessBaseAPI(path=str(MODELS), lang=languages)

    def read(folder: Path, name: str) -> Reading:
        picture = _picture(folder, name, PROFILES["P1"].pdf_dpi)
        began = time.process_time()
        api.SetImage(picture)
        return Reading(str(api.GetUTF8Text()), True, time.process_time() - began)

    return read


def _with_profile(profile: OcrProfile, languages: str) -> Callable[[Path, str], Reading]:
    def read(folder: Path, name: str) -> Reading:
        picture = _picture(folder, name, profile.pdf_dpi)
        began = time.process_time()
        page = read_image(picture, profile, languages)
        text = "\n".join(block.text for block in page.blocks)
        return Reading(text, bool(page.warnings), time.process_time() - began)

    return read


def _picture(folder: Path, name: str, dpi: int) -> Image.Image:
    file, _, number = name.partition("#")
    if not number:
        return Image.open(folder / file).convert("L")
    with pdfs.opened((folder / file).read_bytes()) as document:
        drawn, _ = pdfs.draw(document[int(number)], dpi)
        return drawn


def page_figures(known: str, reading: Reading) -> PageFigures:
    wanted = Counter(word for word, _ in _words(known))
    letters = "".join(_plain(known).split())
    got: Counter[str] = Counter()
    counts: Counter[tuple[str, bool]] = Counter()
    for word, is_marked in _words(reading.text):
        got[word] += 1
        is_right = got[word] <= wanted[word]
        least = LEAST_PARTED_KOREAN if _HANGUL.search(word) else LEAST_PARTED
        is_parted = not is_right and len(word) >= least and word in letters
        counts["right" if is_right else "parted" if is_parted else "wrong", is_marked] += 1
    recall = (got & wanted).total() / max(1, wanted.total())
    return PageFigures(
        recall,
        recall < LEAST_READ and not reading.has_warning,
        right=counts["right", False] + counts["right", True],
        right_marked=counts["right", True],
        wrong=counts["wrong", False] + counts["wrong", True],
        wrong_unmarked=counts["wrong", False],
        parted=counts["parted", False] + counts["parted", True],
        seconds=reading.seconds,
    )


def _words(text: str) -> Iterator[tuple[str, bool]]:
    for part in text.replace(UNREADABLE_MARK, " ").split():
        plain = _plain(part.replace(DOUBTFUL_MARK, ""))
        if plain:
            yield plain, DOUBTFUL_MARK in part


def _plain(word: str) -> str:
    """Which of several quotes and dashes is printed does not matter."""
    return re.sub(r"^\W+|\W+$", "", unicodedata.normalize("NFKC", word).lower().translate(_SAME_MARKS))


def _one_line(page: PageFigures) -> str:
    silent = "  SILENT" if page.is_silent else ""
    return (
        f"recall {page.recall:.2f}  {page.seconds:4.1f} s  wrong {page.wrong} (unmarked {page.wrong_unmarked})  "
        f"right {page.right} (marked {page.right_marked})  parted {page.parted}{silent}"
    )


def tables(found: dict[str, dict[str, list[PageFigures]]]) -> str:
    names = list(next(iter(found.values())))
    lines = ["| pages | " + " | ".join(names) + " |", "| --- |" + " --- |" * len(names)]
    for kind, each in found.items():
        cells = [f"{_mean(p.recall for p in each[n]):.2f} ({_mean(p.seconds for p in each[n]):.1f} s)" for n in names]
        lines.append(f"| {kind} ({len(each[BARE])}) | " + " | ".join(cells) + " |")
    lines.append("")
    for name in names[1:]:
        pages = [page for each in found.values() for page in each[name]]
        wrong, right = sum(page.wrong for page in pages), sum(page.right for page in pages)
        lines.append(
            f"{name}: {sum(page.is_silent for page in pages)} pages silently wrong; of {wrong} wrong words "
            f"{sum(page.wrong_unmarked for page in pages) / max(1, wrong):.1%} carry no mark, of {right} right ones "
            f"{sum(page.right_marked for page in pages) / max(1, right):.1%} carry one."
        )
    return "\n".join(lines)


def _mean(values: Iterator[float]) -> float:
    listed = list(values)
    return sum(listed) / max(1, len(listed))
