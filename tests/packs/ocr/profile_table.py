"""Prints the table of profiles for docs/packs-ocr.md: `python -m tests.packs.ocr.profile_table`."""

from dpp_project.money import Micros, format_usd
from dpp_project.prices import OCR_PAGE, OCR_PASS, PRICES
from packs.ocr.profiles import PROFILES, OcrProfile

_HEADER = ("profile", "for", "lines read again", "lines sought in", "PDF dpi", "limit per page", "price per page")


def profile_table() -> str:
    rows = [_HEADER, tuple("---" for _ in _HEADER), *(_row(profile) for profile in PROFILES.values())]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def page_prices(profile: OcrProfile) -> tuple[Micros, Micros]:
    """Where no second pass runs, and at most."""
    return PRICES[OCR_PAGE], Micros(PRICES[OCR_PAGE] + PRICES[OCR_PASS] * profile.passes_charged)


def _row(profile: OcrProfile) -> tuple[str, ...]:
    return (
        profile.name,
        profile.purpose,
        f"at most {profile.crops}" if profile.crops else "–",
        f"{profile.detector_side:,} px",
        str(profile.pdf_dpi),
        f"{profile.page_timeout_sec} s",
        " to ".join(dict.fromkeys(format_usd(price) for price in page_prices(profile))) + " USD",
    )


if __name__ == "__main__":
    print(profile_table())
