"""Prints the table of profiles for docs/packs-ocr.md: `python -m packs.ocr.table`."""

from dpp_project.money import Micros, format_usd
from dpp_project.prices import OCR_PAGE, OCR_PASS, PRICES
from packs.ocr.profiles import PROFILES, OcrProfile

_HEADER = (
    "profile",
    "for",
    "passes, in order",
    "read twice",
    "own scale",
    "crops",
    "PDF dpi",
    "limit a page",
    "price a page",
)


def profile_table() -> str:
    rows = [_HEADER, tuple("---" for _ in _HEADER), *(_row(profile) for profile in PROFILES.values())]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def page_price(profile: OcrProfile) -> Micros:
    return Micros(PRICES[OCR_PAGE] + PRICES[OCR_PASS] * profile.passes_charged)


def _row(profile: OcrProfile) -> tuple[str, ...]:
    return (
        profile.name,
        profile.purpose,
        ", ".join(profile.passes) if len(profile.passes) > 1 else "all sizes together",
        ", ".join(profile.second_reading) or "–",
        "yes" if profile.own_scale else "–",
        str(profile.crops),
        str(profile.pdf_dpi),
        f"{profile.page_timeout_sec} s",
        f"{format_usd(page_price(profile))} USD",
    )


if __name__ == "__main__":
    print(profile_table())
