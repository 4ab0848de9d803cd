"""What a page shows of the kind of source it is: a shop's price and cart, an advertiser's mark, a desk that answers.

Runs in the reading process. Each signal is something the page states about itself, never the wording of its opinion.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from typing import Any

from lxml import html


class Signal(StrEnum):
    SHOP = "shop"
    """Sells what it writes about: a price and a cart, or a page of offers."""
    ADVERTORIAL = "advertorial"
    """Says that somebody paid for it."""
    FORUM = "forum"
    ASSOCIATION = "association"
    """Is published by an association of members."""
    PUBLIC_BODY = "public_body"
    """Is published by what is named like a public agency."""
    BLOG_POST = "blog_post"
    NEWS_ARTICLE = "news_article"
    AUTHOR = "author"
    DATE = "date"
    ORGANISATION = "organisation"


# A page is a shop's from this many points on.
SHOP_POINTS = 3
_MAX_PARTS = 4_000
_MARK_CHARS = 400

_SOLD_TYPES = frozenset({"product", "productgroup", "offer", "aggregateoffer", "individualproduct"})
_NEWS_TYPES = frozenset({"newsarticle", "reportagenewsarticle", "analysisnewsarticle", "backgroundnewsarticle"})
_FORUM_TYPES = frozenset({"discussionforumposting", "qapage"})
_FORUM_GENERATOR = re.compile(
    r"phpbb|vbulletin|discourse|xenforo|flarum|nodebb|mybb|invision|smf|gnuboard", re.IGNORECASE
)
_CART = re.compile(
    r"add(?:ed)? to (?:cart|bag|basket)|buy (?:it )?now|order now|shop now|proceed to checkout|"
    r"장바구니(?:에)? ?(?:담기|넣기)?|바로 ?구매|구매하기|주문하기|지금 ?구매|"
    r"in den (?:warenkorb|einkaufswagen)|jetzt (?:kaufen|bestellen)|ajouter au panier|acheter maintenant|"
    r"añadir (?:al carrito|a la cesta)|comprar ahora|aggiungi al carrello|カートに入れる|今すぐ購入",
    re.IGNORECASE,
)
_CART_LINK = re.compile(r"/(?:cart|basket|checkout|warenkorb|panier|carrito|order/cart)(?:[/?.]|$)", re.IGNORECASE)
_SALE_WORDS = (
    re.compile(
        r"할인|특가|세일|\b(?:sale|discount|deal)s?\b|\d+ ?% ?(?:off|할인)|rabatt|soldes|promo(?:tion)?\b", re.I
    ),
    re.compile(r"쿠폰|적립금?|coupon|voucher|gutschein|bon d'achat", re.IGNORECASE),
    re.compile(r"무료 ?배송|당일 ?(?:배송|출고)|free (?:shipping|delivery)|versandkostenfrei|livraison gratuite", re.I),
    re.compile(r"한정 ?(?:수량|판매|특가)|마감 ?임박|선착순|limited (?:time|stock)|while stocks last|nur noch", re.I),
    re.compile(r"1 ?\+ ?1|사은품|증정|buy one|free gift|gratis dazu", re.IGNORECASE),
    re.compile(
        r"만족도|후기 ?이벤트|재구매|bestseller|best[- ]selling|money[- ]back|환불 ?보장|satisfaction guarante", re.I
    ),
    re.compile(r"상담 ?신청|무료 ?상담|구매 ?문의|order today|call now|jetzt sichern", re.IGNORECASE),
)
_PRICE = re.compile(r"(?:[₩$€£]\s?\d[\d,.]*|\d[\d,.]*\s?(?:원|만원|USD|EUR|KRW|달러|€)(?![가-힣]{2}))")
_ADVERTORIAL = re.compile(
    r"^\W{0,3}(?:advertorial|sponsored (?:content|post|article|by)|paid (?:post|content|partnership)|"
    r"partner content|promoted (?:content|by)|advertisement feature|brandvoice|anzeige|werbung|publireportage|"
    r"contenu sponsorisé|contenido patrocinado|협찬|광고|기사형 ?광고|유료 ?광고|애드버토리얼|pr ?記事|広告)(?:\W|$)|"
    r"소정의 ?(?:원고료|수수료|대가|제작비)|(?:제공|협찬|지원) ?받(?:아|고) ?(?:솔직하게 )?(?:작성|쓴|제작)|"
    r"파트너스 활동의 일환|유료 ?광고(?:를|가)? ?포함|일정액의 수수료를 제공|"
    r"(?:was|is) (?:written and )?(?:paid for|sponsored|produced) (?:and provided )?by|"
    r"(?:we|i) (?:may )?(?:earn|receive) (?:a |an )?(?:small )?(?:affiliate )?commissions?",
    re.IGNORECASE,
)
_ASSOCIATION = re.compile(
    r"(?:협회|연합회|중앙회|협의회|상공회의소|경영자총협회|조합|조합연합회)$|"
    r"\b(?:trade |industry )?(?:association|federation|chamber of commerce|alliance of|trade body)\b|"
    r"(?:verband|vereinigung|fédération|confédération|associazione|asociación|föreningen)",
    re.IGNORECASE,
)
_PUBLIC_BODY = re.compile(r"(?:공단|공사|진흥원|평가원|관리원|정보원|안전원|보호원|개발원|인증원|거래소|위원회|재단)$")
_BLOG_NAME = re.compile(r"\bblog\b|블로그", re.IGNORECASE)


def signals_of(
    tree: html.HtmlElement, text: str, things: Iterable[Mapping[str, Any]], *, author: str | None, published: str | None
) -> frozenset[Signal]:
    """`things`: what the page declares to be about (JSON-LD)."""
    declared = list(things)
    types = {kind for thing in declared for kind in _types(thing)}
    names = list(organisations(tree, declared))
    found = {
        Signal.NEWS_ARTICLE: bool(types & _NEWS_TYPES),
        Signal.BLOG_POST: "blogposting" in types or any(_BLOG_NAME.search(name) for name in names),
        Signal.FORUM: bool(types & _FORUM_TYPES) or bool(_FORUM_GENERATOR.search(_meta(tree, "generator"))),
        Signal.ADVERTORIAL: "advertisercontentarticle" in types or _is_paid_for(text),
        Signal.ASSOCIATION: any(_ASSOCIATION.search(name) for name in names),
        Signal.PUBLIC_BODY: any(_PUBLIC_BODY.search(name) for name in names),
        Signal.AUTHOR: bool(author) or any(_is_named(thing.get("author")) for thing in declared),
        Signal.DATE: bool(published),
        Signal.ORGANISATION: bool(names),
    }
    is_report = found[Signal.NEWS_ARTICLE] and found[Signal.AUTHOR] and found[Signal.DATE]
    found[Signal.SHOP] = _shop_points(tree, text, types) - (2 if is_report else 0) >= SHOP_POINTS
    return frozenset(signal for signal, is_there in found.items() if is_there)


def _shop_points(tree: html.HtmlElement, text: str, types: set[str]) -> int:
    """A declared product or price, a cart, and words of sale. A report on prices has some of the words and no cart."""
    is_sold = bool(types & _SOLD_TYPES) or _meta(tree, "og:type").startswith("product")
    has_price = bool(
        tree.xpath("//meta[@property='product:price:amount' or @itemprop='price'] | //*[@itemprop='price']")
    ) or (len(_PRICE.findall(text[:20_000])) >= 3)
    shown = text[:20_000] + "\n" + "\n".join(_short_parts(tree))
    kinds_of_sale = sum(bool(words.search(shown)) for words in _SALE_WORDS)
    has_sale = 2 if kinds_of_sale >= 4 else 1 if kinds_of_sale >= 2 else 0
    return 2 * is_sold + has_price + 2 * _has_cart(tree) + has_sale


def _has_cart(tree: html.HtmlElement) -> bool:
    if any(_CART.search(part) for part in _short_parts(tree)):
        return True
    return any(_CART_LINK.search(str(target)) for target in tree.xpath("//form/@action | //a/@href")[:_MAX_PARTS])


def _short_parts(tree: html.HtmlElement) -> Iterator[str]:
    """What stands on buttons and links."""
    for part in tree.xpath("//button | //a | //input[@type='submit' or @type='button']")[:_MAX_PARTS]:
        label = " ".join(part.text_content().split()) or str(part.get("value") or "")
        if label and len(label) <= 40:
            yield label


def _is_paid_for(text: str) -> bool:
    """Such marks stand before the text or after it."""
    lines = text.splitlines()
    edges = [*_within(lines, _MARK_CHARS), *_within(reversed(lines), _MARK_CHARS)]
    return any(_ADVERTORIAL.search(line) for line in edges)


def _within(lines: Iterable[str], chars: int) -> Iterator[str]:
    for line in lines:
        yield line[:chars]
        chars -= len(line)
        if chars <= 0:
            return


def organisations(tree: html.HtmlElement, declared: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Names of who publishes the page."""
    for thing in declared:
        publisher = thing.get("publisher")
        if isinstance(publisher, dict) and isinstance(publisher.get("name"), str):
            yield publisher["name"].strip()
        if any(kind.endswith("organization") for kind in _types(thing)) and isinstance(thing.get("name"), str):
            yield thing["name"].strip()
    for name in (_meta(tree, "og:site_name"), _meta(tree, "application-name"), _meta(tree, "publisher")):
        if name:
            yield name


def _is_named(author: Any) -> bool:
    people = author if isinstance(author, list) else [author]
    return any(isinstance(person, dict) and bool(person.get("name")) for person in people)


def _types(thing: Mapping[str, Any]) -> Iterator[str]:
    kinds = thing.get("@type")
    for kind in kinds if isinstance(kinds, list) else [kinds]:
        if isinstance(kind, str):
            yield kind.rpartition("/")[2].lower()


def _meta(tree: html.HtmlElement, name: str) -> str:
    return " ".join(str(tree.xpath("string(//meta[@property=$name or @name=$name]/@content)", name=name)).split())[:200]
