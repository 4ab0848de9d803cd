"""The price list is whole, and the page shows it."""

from dpp_project.prices import FOR_REPORTS, PRICE_LIST
from packs.registry import PACKS
from tests.dpp_project.price_page import PAGE, price_page


def test_every_price_is_some_packs_and_every_pack_s_items_have_a_price() -> None:
    sold = {item for pack in PACKS.values() for item in pack.prices} | set(FOR_REPORTS)
    assert sold == set(PRICE_LIST)


def test_the_page_shows_the_list() -> None:
    assert PAGE.read_text() == price_page(), "run: python -m tests.dpp_project.price_page"
