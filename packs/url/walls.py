"""What stands between a reader and the text: a paywall, a login, a check for robots, a question for consent.

A page may say so of itself, in its declarations or in words. Words count only where they are about this text, or where
no text was read: every second site has a menu for subscribers, a login for comments and a banner for cookies.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from lxml import etree, html

from packs.cache.validation import CHALLENGE
from packs.text.sentences import sentence_spans

# A page that is long enough to be an article is no wall, whatever stands in its margin.
LONG_TEXT_CHARS = 1_500
# From here on an article was read. Scripts that write a syllable as one character say more in as many.
ARTICLE_TEXT_CHARS = 200
_DENSE = re.compile("[가-힣ぁ-ヿ一-鿿]")
_SHOWN_CHARS = 20_000
# A wall says at its beginning what it is.
_OPENING_CHARS = 300
# What locks the rest stands behind the part that is shown, or beside it.
_CLOSING_CHARS = 120
_CONSENT_SHARE = 0.5

_SHOWN = etree.XPath(
    "//text()[normalize-space() and not(parent::script or parent::style or parent::template)"
    " and not(ancestor::form[.//textarea])]"
)
_BUTTONS = etree.XPath("//button | //a | //input[@type='submit' or @type='button']")
_READ_TYPE = re.compile(r"(?:article|posting|page|creativework|report|review|chapter|book|recipe|howto)$")

# That this very text is for others.
_LOCKED_TEXT = re.compile(
    r"subscri(?:be|ption)[^.!?]{0,40} to (?:continue|keep) reading|subscribe (?:now )?to continue|"
    r"(?:read|see|view|unlock|access|continue)(?: reading)? (?:the )?(?:full|rest of|entire|whole|this)[^.!?]{0,20}"
    r"(?:article|story|post|report)s?\b[^.!?]{0,40}\b(?:subscri|member)|"
    r"subscri(?:be|bers?|ption)[^.!?]{0,40}(?:read|see|view|unlock|access) (?:the )?(?:full|rest|entire|whole|this)\b|"
    r"(?:article|story|post|content)\b[^.!?]{0,30} (?:for|to) (?:\w+ ){0,2}(?:subscribers|members)\b(?! of)|"
    r"réservé[es]{0,2} (?:aux|à nos) abonnés|il vous reste \d+ ?% de cet article|"
    r"(?:artikel|text|inhalt)[^.!?]{0,25} nur für (?:\w+ )?abonnent|weiterlesen mit [^.!?]{0,20}(?:abo|plus|\+)|"
    r"exclusiv[oa]s? para suscriptores|riservat[oa] agli abbonati|(?:記事|コンテンツ)は(?:有料)?会員限定|"
    r"(?:이|본|해당) ?(?:기사|글|콘텐츠|컨텐츠|포스트)[은는][^.!?]{0,25}(?:유료|구독|멤버십|프리미엄)[^.!?]{0,20}"
    r"(?:전용|공개|제공|읽|볼|보실|이용|열람)|"
    r"(?:유료|구독|멤버십|프리미엄)[^.!?]{0,12}(?:전용 ?(?:기사|글|콘텐츠|컨텐츠)(?:입니다|예요|이에요)|"
    r"만 [^.!?]{0,10}(?:읽|볼|보실|열람))|"
    r"(?:전문|나머지)[^.!?]{0,15}(?:구독|결제|유료)|구독 ?후 ?(?:이용|열람|읽)",
    re.IGNORECASE,
)
_LOGIN_FOR_TEXT = re.compile(
    r"(?:log|sign) ?in[^.!?]{0,30} to (?:continue reading|(?:read|view|see) (?:this|the (?:full|rest)|more of))|"
    r"로그인[^.!?]{0,12}(?:기사|글|본문|전문|게시물|내용|콘텐츠)[을를][^.!?]{0,12}(?:보|읽|볼|확인|열람)|"
    r"(?:멤버|회원|가입자)[^.!?]{0,8}만[^.!?]{0,10}(?:볼|읽|열람|보실)|"
    r"(?:이|본|해당) ?(?:글|게시물|페이지)[은는][^.!?]{0,15}(?:로그인|회원|멤버)",
    re.IGNORECASE,
)
# Where nothing was read, also what a menu may say.
_PAYWALL_WORDS = re.compile(
    r"subscri(?:be|ption) (?:now )?(?:to|is required to) (?:continue|read|unlock)|subscribers? only|"
    r"for subscribers|유료\s*(?:회원|기사|구독)|구독자\s*전용|프리미엄\s*(?:회원|기사)\s*전용",
    re.IGNORECASE,
)
_LOGIN_WORDS = re.compile(
    r"(?:log|sign) ?in to (?:continue|read|view)|로그인\s*(?:후|이\s*필요|하셔야|해야)|회원\s*전용",
    re.IGNORECASE,
)
_BOT_WALL_WORDS = re.compile(
    r"checking your browser|you(?: are|'re|’re) (?:not )?(?:a )?(?:human|robot|bot)\b|are you a robot|unusual traffic|"
    r"enable javascript and cookies to continue|enable js and disable any ad ?blocker|"
    r"complete the (?:captcha|security check)|review the security of your connection|pardon our interruption|"
    r"access (?:to this page has been )?denied|don'?t have permission to access|"
    r"(?:you|your (?:request|access|ip(?: address)?)) (?:have|has) been (?:temporarily )?blocked|"
    r"automated (?:access|requests|queries) (?:to|from)|incapsula incident|"
    r"로봇이 아닙니다|비정상적인 (?:접근|접속|트래픽)|과도한 (?:접근|접속|요청|트래픽)|자동 ?(?:등록|입력) ?방지|"
    r"(?:접근|접속|이용)이 (?:일시적으로 )?(?:차단|제한)(?:되었|됐)|보안 ?문자를 입력",
    re.IGNORECASE,
)
_CONSENT_WALL_WORDS = re.compile(
    r"before you continue to|(?:accept|agree to) (?:all )?(?:the use of )?cookies (?:to|and) continue|"
    r"we value your privacy|쿠키 (?:사용|수집)에 동의(?:해야|하셔야|하고)",
    re.IGNORECASE,
)
_OF_CONSENT = re.compile(
    r"cookie|consent|privacy|tracking|partners|zustimm|einwillig|werbung|cookies|confidentialité|traceurs|"
    r"privacidad|쿠키|동의|개인정보",
    re.IGNORECASE,
)
_CONSENT_BUTTON = re.compile(
    r"^\W*(?:accept|agree|i agree|reject|akzeptieren|zustimmen|ablehnen|(?:tout )?accepter|refuser|aceptar|"
    r"rechazar|accetta|모두 ?(?:동의|허용)|동의)(?:\W|$)",
    re.IGNORECASE,
)


def wall_of(
    tree: html.HtmlElement, source: str, title: str, text: str, things: Iterable[Mapping[str, Any]]
) -> str | None:
    """`PAYWALL`, `LOGIN_REQUIRED`, `BOT_WALL`, `CONSENT_WALL`, or None. `text` is what was read of the page."""
    if _is_declared_locked(tree, things):
        return "PAYWALL"
    if len(text) > LONG_TEXT_CHARS:
        return None
    parts = [" ".join(str(part).split()) for part in _SHOWN(tree)]
    shown = " ".join(parts)[:_SHOWN_CHARS]
    has_article = len(text) + len(_DENSE.findall(text)) >= ARTICLE_TEXT_CHARS
    around = shown
    if has_article:
        beside = " ".join(part for part in parts if part not in text)
        around = f"{text[-_CLOSING_CHARS:]} {beside}"[:_SHOWN_CHARS]
    if _LOCKED_TEXT.search(around):
        return "PAYWALL"
    if _LOGIN_FOR_TEXT.search(around):
        return "LOGIN_REQUIRED"
    if has_article:
        return _wall_in_the_way(tree, f"{title} {text[:_OPENING_CHARS]}", text)
    if _PAYWALL_WORDS.search(shown):
        return "PAYWALL"
    if CHALLENGE.search(source.encode("utf-8", "replace")):
        return "BOT_WALL"
    if _LOGIN_WORDS.search(shown) or tree.xpath("//input[@type='password']"):
        return "LOGIN_REQUIRED"
    return _wall_in_the_way(tree, f"{title} {shown}", text)


def _wall_in_the_way(tree: html.HtmlElement, words: str, text: str) -> str | None:
    if _BOT_WALL_WORDS.search(words):
        return "BOT_WALL"
    return "CONSENT_WALL" if _CONSENT_WALL_WORDS.search(words) or _asks_for_consent(tree, text) else None


def _asks_for_consent(tree: html.HtmlElement, text: str) -> bool:
    """Most of the text is about cookies, and there is a button to accept them."""
    sentences = [text[start:end] for start, end in sentence_spans(text)]
    about = sum(bool(_OF_CONSENT.search(sentence)) for sentence in sentences)
    if not sentences or about < _CONSENT_SHARE * len(sentences):
        return False
    return any(_CONSENT_BUTTON.search(button.text_content().strip()[:60]) for button in _BUTTONS(tree)[:1_000])


def _is_declared_locked(tree: html.HtmlElement, things: Iterable[Mapping[str, Any]]) -> bool:
    tier = tree.xpath("string(//meta[@property='article:content_tier' or @name='article:content_tier']/@content)")
    return str(tier).lower() == "locked" or any(_is_not_free(thing) for thing in things)


def _is_not_free(thing: Mapping[str, Any]) -> bool:
    """Of something that is read. A part of a page, or an event it announces, locks no article."""
    kinds = thing.get("@type") or "WebPage"
    is_read = any(_READ_TYPE.search(str(kind).lower()) for kind in (kinds if isinstance(kinds, list) else [kinds]))
    return is_read and str(thing.get("isAccessibleForFree", True)).lower() in ("false", "no")
