"""Character error rates of every profile, beside the bare engine with its default settings, on the same images in the
same run: `make bench-ocr`. Writes its tables into docs/packs-ocr.md; fails where a profile is worse than the bare
engine on any class, blanks counted or not, or where a line of text is gone and no mark stands in its place.

`python -m bench.ocr [--pages N] [--profiles P1,P2A] [class …]`: a part of it, printed only.
"""

import argparse
import io
import re
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from PIL import Image

from bench import ocr_real
from packs.ocr.models import MODELS
from packs.ocr.models import VERSION as MODEL_VERSION
from packs.ocr.profiles import PROFILES
from packs.ocr.profiles import VERSION as PROFILE_VERSION
from packs.ocr.reading.boxes import Box
from packs.ocr.reading.engine import engine_version
from packs.ocr.reading.read_page import Block, read_image
from tests.packs.ocr import accuracy
from tests.packs.ocr.corpus import CLASSES, Page, page

DOC = Path(__file__).parent.parent / "docs" / "packs-ocr.md"
BARE = "bare engine"
LANGUAGES = "kor+eng"
# The pipeline was made looking at pages 0 to 3 of each class; what is published is measured on others.
FIRST_UNSEEN = 4


@dataclass
class Figures:
    """Of one reader on one class; lists have one entry a page."""

    letters: list[float] = field(default_factory=list)
    spaces: list[float] = field(default_factory=list)
    cpu_sec: list[float] = field(default_factory=list)
    lost: int = 0
    dropped: int = 0

    def add(self, known: Page, blocks: list[Block], cpu_sec: float) -> None:
        reading = "\n".join(block.text for block in blocks)
        self.letters.append(accuracy.error_rate(known.text, reading))
        self.spaces.append(accuracy.error_rate_with_spaces(known.text, reading))
        self.cpu_sec.append(cpu_sec)
        self.lost += len(accuracy.lost_lines(known.text, reading))
        self.dropped += len(accuracy.dropped_lines(known.lines, blocks))


def mean(values: list[float]) -> float:
    return sum(values) / len(values)


def readers(profiles: list[str]) -> dict[str, Callable[[Page], list[Block]]]:
    import tesserocr  # type: ignore[import-untyped]

    bare = tesserocr.PyTessBaseAPI(path=str(MODELS), lang=LANGUAGES)

    def read_bare(known: Page) -> list[Block]:
        # As a file, which is how anybody would give it: a picture in memory carries another resolution with it.
        bare.SetImage(Image.open(io.BytesIO(known.png())))
        return [Block(str(bare.GetUTF8Text()), 1.0, Box(0, 0, *known.image.size), BARE)]

    def with_profile(name: str) -> Callable[[Page], list[Block]]:
        def read(known: Page) -> list[Block]:
            return read_image(known.image, PROFILES[name], LANGUAGES).blocks

        return read

    return {BARE: read_bare, **{name: with_profile(name) for name in profiles}}


def measure(classes: list[str], profiles: list[str], pages: int) -> dict[str, dict[str, Figures]]:
    found: dict[str, dict[str, Figures]] = {}
    reading = readers(profiles)
    for name in classes:
        found[name] = {reader: Figures() for reader in (BARE, *profiles)}
        for number in range(FIRST_UNSEEN, FIRST_UNSEEN + pages):
            known = page(name, number)
            for reader, read in reading.items():
                began = time.process_time()
                blocks = read(known)
                found[name][reader].add(known, blocks, time.process_time() - began)
        print(name, *(f"{reader} {mean(got.letters):.2%}" for reader, got in found[name].items()), sep="  ", flush=True)
    return found


def table(found: dict[str, dict[str, Figures]], value: Callable[[Figures], str]) -> str:
    names = list(next(iter(found.values())))
    rows = [("class", *names), tuple("---" for _ in range(len(names) + 1))]
    rows += [(name, *(value(figures) for figures in each.values())) for name, each in found.items()]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def report(found: dict[str, dict[str, Figures]], pages: int) -> str:
    return "\n\n".join(
        (
            f"{engine_version()}, models {MODEL_VERSION}, profiles {PROFILE_VERSION}, {pages} pages a class, "
            "none of them used in tuning.",
            "Character error rate, blanks not counted:",
            table(found, lambda figures: f"{mean(figures.letters):.2%}"),
            "With spaces and line breaks counted as one blank:",
            table(found, lambda figures: f"{mean(figures.spaces):.2%}"),
            "Lines of which less than half was read (of those, dropped silently: no mark stands in their place):",
            table(found, lambda figures: f"{figures.lost} ({figures.dropped})"),
            "Processor seconds a page:",
            table(found, lambda figures: f"{mean(figures.cpu_sec):.1f}"),
        )
    )


def write(text: str, part: str = "accuracy") -> None:
    before = DOC.read_text(encoding="utf-8")
    replaced = re.sub(
        f"(?s)<!-- {part}:begin -->\n.*?\n<!-- {part}:end -->",
        lambda _: f"<!-- {part}:begin -->\n{text}\n<!-- {part}:end -->",
        before,
    )
    DOC.write_text(replaced, encoding="utf-8")


def shortcomings(found: dict[str, dict[str, Figures]]) -> list[str]:
    return [
        f"{reader} on {name}: {mean(figures.letters):.2%} (bare {mean(each[BARE].letters):.2%}), with blanks "
        f"{mean(figures.spaces):.2%} (bare {mean(each[BARE].spaces):.2%}), {figures.dropped} lines dropped silently"
        for name, each in found.items()
        for reader, figures in each.items()
        if reader != BARE and (_is_worse(figures, each[BARE]) or figures.dropped)
    ]


def _is_worse(figures: Figures, bare: Figures) -> bool:
    return mean(figures.letters) > mean(bare.letters) or mean(figures.spaces) > mean(bare.spaces)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("classes", nargs="*", default=[], help="all of them when none is named")
    parser.add_argument("--pages", type=int, default=4)
    parser.add_argument("--profiles", default=",".join(PROFILES))
    parser.add_argument("--real", type=Path, help="a folder of pages with truth.json")
    parser.add_argument("--into", default="real", help="the part of the document that their table goes into")
    asked = parser.parse_args()
    if asked.real is not None:
        table_of_sets = ocr_real.tables(ocr_real.measure(asked.real, asked.profiles.split(","), LANGUAGES))
        text = f"Word recall (processor seconds per page), profiles {PROFILE_VERSION}:\n\n{table_of_sets}"
        print(text)
        write(text, asked.into)
        return
    found = measure(asked.classes or list(CLASSES), asked.profiles.split(","), asked.pages)
    text = report(found, asked.pages)
    print(text)
    if not asked.classes and asked.profiles == ",".join(PROFILES):
        write(text)
    worse = shortcomings(found)
    if worse:
        sys.exit("\n".join(["Worse than the bare engine, or dropping lines:", *worse]))


if __name__ == "__main__":
    main()
