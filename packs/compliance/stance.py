"""Whether a text says something itself, or denies it, reports it, or warns of it.

A clause that is denied ("보장하지 않습니다"), quoted from somebody whom a court or a journalist writes about, or named
in order to be rejected, is no violation. The reason is given with what was left out.
"""

import itertools
import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from packs.compliance.normalise import View

NEGATED, REPORTED, REJECTED, MENTIONED = "negated", "reported", "rejected", "mentioned"

_TAIL_CHARS = 24
_WIDTH = 300
_DENIED_AFTER = re.compile(
    "^[가-힣]{0,3}?(?:하|되|시키|드리|받|주|시|지|해|해주|해드리|할|될|줄|한|된|는|은)?"
    "(?:지(?:는|도|를|조차)?(?:않|못|아니|안|마(?!감|음|케|련|지|세|일)|말)"
    "|(?:수|것|건|게|일|뜻|의미)(?:은|는|이|가|도|란)?(?:없|아니|아닙)"
    "|(?:은|는|이|가|을|를|도|란)?(?:아니(?!라)|아닙|안됩|안돼|안된|금지|못하|못합|없(?:습니다|다|음|어요|으며|고))"
    "|(?:하|되|해주|시켜주|시키)?는[가-힣]{1,10}(?:은|는|이|가|도)(?:없|아니|아닙|존재하지))"
)
_DENIED_BEFORE = re.compile(
    r" (?:not|never|cannot|no|nor|neither|without|nobody|don't|doesn't|isn't|aren't|can't|won't|wouldn't|shouldn't|"
    r"didn't|couldn't|mustn't|rarely|hardly|avoid|stop|unlawful|illegal|prohibited)(?: [^ \n]{1,14}){0,4} $"
)
_DISCLAIMED = re.compile(
    r" (?:not|never|no) (?:intended|meant|designed|claim|say|promise|able|supposed|offered|used)"
    r"(?: [^ \n]{1,14}){0,12} $"
)
# The text warns of it, whoever says it.
_WARNED = re.compile(
    "신고하세|신고하시|신고해|조심하|의심하|의심해|의심한다|의심합|속지마|속지말|속이는일|속이는것|속이는행위|사기입니다|사기예요|사기이니|사기일|사기다|사기수법"
    "|불법입니다|불법이다|위법입니다|위법이다|위반입니다|위반이다|위반에해당|위반될수|믿지마|믿지말|처벌받|처벌될|처벌대상|주의하세|주의해|주의가필요"
    "|신고할수|과징금을받|과징금이|과태료를|과태료가|벌금을내|제재를받|제재대상"
)
_WARNED_EN = re.compile(
    r" (?:scam|scams|illegal|unlawful|forbidden|prohibited|void|beware|report it|report them|report such"
    r"|against the law|not allowed|risks a fine|risk a fine|be fined|faces a fine|is a crime|hang up|breaks the law"
    r"|breach of the act|would be misleading|walk away|stay away|be suspicious|red flag) "
)
_WARNED_BEFORE_EN = re.compile(
    r" (?:beware of|watch out for|be careful with|be wary of|never trust|do not trust|don't trust|do not believe|"
    r"don't believe|if (?:somebody|someone|anyone|anybody|it|they|an ad|the ad|a caller|a company) "
    r"(?:promises|promise|says|say|offers|offer|claims|claim|tells|tell))"
    r"(?: [^ \n]{1,14}){0,8} $"
)
# "부작용 없는 약은 없습니다": there is no such thing.
_NONE_SUCH = re.compile(
    "^(?:는|은|던|을|할|될|한|된)[가-힣]{1,8}(?:은|는|이|가|도|란)(?:세상에|아직|절대)?(?:없습니다|없다|없어요|없음|없죠|존재하지)"
)
# "부작용 없는 약이 있을까요?": who asks whether it is true does not claim it.
_DOUBTED = re.compile(
    "^[가-힣\"'”’」 ]{0,16}?(?:있을까|있는걸까|있나요\\?|가능할까|가능한가|"
    "믿을수있|믿어도|사실일까|사실인가|진짜일까|정말일까|괜찮을까|맞을까)"
)
_NOT_DENIED = re.compile(
    r" (?:not only|no doubt|no matter|cannot fail|never fail|can't go wrong)(?: [^ \n]{1,14}){0,4} $"
)
_DENIED_INSIDE = re.compile(r" (?:not|never|don't|doesn't|isn't|aren't|cannot|can't|won't|nor) ")
_DENIED_AFTER_EN = re.compile(
    r"^ (?:[^ \n]{1,14} ){0,3}(?:is|are|was|be|can|may|will|do|does) (?:not|never|void|unlawful|prohibited|illegal)\b"
)

_REJECTED = re.compile(
    "(?:라는|다는|라고|다고|이라며|라며|다며|등의|같은|라면|다면|란|[\"'”’」]은|[\"'”’」]는).{0,40}?"
    "(?:위반|무효|불법|허위|거짓|사기|의심|주의|금지|안됩|안돼|않|없|마세요|마십|말아|삼가|피하|제재|적발|처벌|과징금|과태료|구속|"
    "기소|벌금|시정|쓰지|두지|오해|미끼|(?<!약)(?<!계)(?<!소)속|대신)"
)
_REPORTERS = re.compile(
    "공정위|공정거래위|식약처|식품의약품안전처|금감원|금융감독원|금융위|방통위|방송통신위|방미통위|개인정보위|개인정보보호위|"
    "소비자원|소비자원은|경찰|검찰|법원|대법원|재판부|헌법재판소|헌재|지방청|당국|고용노동부|노동부|노동청|보건소|특사경|국세청|"
    "보건복지부|복지부|문체부|게임위|게임물관리위|판사|기자|뉴스|보도|감사원|국정감사|위원회"
)
_SANCTIONS = re.compile(
    "했다|됐다|되었다|하였다|밝혔|적발|제재|과징금|과태료|구속|송치|기소|선고|판결|판단|무효|시정명령|시정조치|조사|주의보|경고|명령|혐의|"
    "수사|고발|신고당|보도|권고|피해|주의를당부|벌금|실형|점검|단속|붙잡|체포|검거|입건|압수|물렸|내렸"
)
_REPORTERS_EN = re.compile(
    r" (?:court|courts|judge|police|prosecutor|prosecutors|regulator|regulators|commission|kftc|ftc|ministry|fss|fsc|"
    r"authority|authorities|watchdog|agency|mfds|reporter|newspaper|investigators|tribunal|pipc) "
)
_SANCTIONS_EN = re.compile(
    r" (?:found|fined|ruled|arrested|warned|ordered|void|charged|sanctioned|banned|convicted|said|say|says|reported|"
    r"investigated|investigating|sued|struck|sentenced|accused|raided|jailed|held|fine|seized|penalised|penalized|"
    r"told|detained|reprimanded|cracked) "
)
_MENTION = re.compile("표현|문구|조항|광고|말|사례|예시|예:|주장|단어|상투어|구절|홍보|글귀|약속")
_NAMED_AS_WRONG = re.compile("않|없|위반|무효|안됩|의심|주의|금지|찾|고치|바꾸|지우|쓰지|마세요")
_MENTION_EN = re.compile(
    r" (?:phrase|phrases|wording|clause|clauses|slogan|slogans|expression|claim|claims|ad|ads|words|sentence|term|"
    r"promise|promises|statement|line|lines|anyone|whoever|beware|avoid|example|headline) "
)
_QUOTED = re.compile(
    r"“[^”\n]{1,200}”|「[^」\n]{1,200}」|『[^』\n]{1,200}』|《[^》\n]{1,200}》|\"[^\"\n]{1,200}\""
    r"|(?<![a-z0-9가-힣])'[^'\n]{1,200}'(?![a-z0-9])"
)


# What takes an excuse back: "설명을 요구할 수 없습니다", "no way to opt out".
_TAKEN_BACK_AFTER = re.compile(
    "[가-힣]{0,4} ?(?:수 ?(?:는|도|가)? ?없|지 ?(?:는|도|를)? ?(?:않|못)"
    "|(?:이나 [가-힣]{1,6})?(?:은|는|을|를|도)? ?(?:해 ?|제공)?(?:드리|하|받|주)지 ?않"
    "|(?:은|는|이|가|도)? ?(?:없(?!이|으면|는 한|을|더라)|불가|안 ?(?:됩|돼)))"
)
_TAKEN_BACK_BEFORE = re.compile(
    r"\b(?:no (?:way|right|chance|option) to|cannot|can't|do not|don't|never|nobody) (?:[a-z]{1,10} ){0,2}$"
)
_MAX_EXCUSES = 20


def holds(pattern: re.Pattern[str], lower: str) -> bool:
    """Whether the text says it, without denying it in the same breath."""
    for match in itertools.islice(pattern.finditer(lower), _MAX_EXCUSES):
        start, end = match.span()
        if not _TAKEN_BACK_AFTER.match(lower, end) and not _TAKEN_BACK_BEFORE.search(lower[max(0, start - 30) : start]):
            return True
    return False


def quoted_spans(lower: str) -> tuple[tuple[int, int], ...]:
    """What stands between quotation marks, whoever is quoted."""
    return tuple(match.span() for match in _QUOTED.finditer(lower))


# "다음 문장은 쓰면 안 됩니다. “…”": a list of what must not be written.
_FORBIDS_WHAT_FOLLOWS = re.compile(
    "(?:다음|아래|이런|이러한|금지|나쁜|잘못된|위반)[가-힣]{0,6}(?:문장|표현|문구|말|예|예시|사례|광고|조항|단어)[가-힣]{0,4}"
    "(?:쓰면안|쓰지|사용하지|사용금지|피하|피해|금지|안됩|적지|넣지|[:=]|입니다|이다)"
    "|(?:금지|위반)(?:표현|문구|사례|예시|조항)(?:목록)?[:은]"
)
_FORBIDS_WHAT_FOLLOWS_EN = re.compile(
    r" (?:do not|don't|never|must not|should not|avoid) (?:[a-z]{1,10} ){0,3}"
    r"(?:write|use|say|using|writing|saying|publish)"
    r"|(?:forbidden|banned|prohibited|unlawful|bad) (?:phrases?|wordings?|examples?|sentences?|claims?|clauses?) "
)
# "다음 중 위법한 공고는?": an exercise lists what is wrong.
_ASKS_WHICH_IS_WRONG = re.compile(
    "(?:다음|아래|보기)중[가-힣]{0,12}(?:위법|불법|위반|잘못|금지|부당|허위|거짓|무효)[가-힣]{0,14}[?은는]"
)
_FORBIDDING_CHARS = 160


@dataclass(frozen=True)
class Place:
    """Where a wording stands, and what its sentence says around it."""

    before: str
    inside: str
    after: str
    quoted: bool
    above: str = ""
    """What stands before its sentence."""

    @property
    def sentence(self) -> str:
        return self.before + self.inside + self.after


def place_in(view: View, span: tuple[int, int], quotes: Sequence[tuple[int, int]]) -> Place:
    """`span` and `quotes` are in the folded text."""
    text = view.text
    start, end = bisect_left(view.places, span[0]), bisect_left(view.places, span[1])
    begin, stop = text.rfind("\n", max(0, start - _WIDTH), start) + 1, text.find("\n", end, end + _WIDTH)
    begin, stop = max(begin, start - _WIDTH, 0), stop if stop >= 0 else end + _WIDTH
    number = bisect_right(quotes, (span[0], len(text) * 2)) - 1
    quoted = number >= 0 and quotes[number][0] <= span[0] and span[1] <= quotes[number][1]
    above = text[max(0, begin - _FORBIDDING_CHARS) : start]
    return Place(text[begin:start], text[start:end], text[end:stop], quoted, above)


def stance(place: Place, *, news: bool) -> str | None:
    """Why Korean words are not the text's own claim; None if they are."""
    if _DENIED_AFTER.match(place.after[:_TAIL_CHARS]):
        return NEGATED
    if (place.quoted or news) and _REPORTERS.search(place.sentence) and _SANCTIONS.search(place.sentence):
        return REPORTED
    if _NONE_SUCH.match(place.after[:_TAIL_CHARS]) or _DOUBTED.match(place.after[:_TAIL_CHARS]):
        return REJECTED
    if _REJECTED.search(place.after[:80]) or _WARNED.search(place.after[:50]):
        return REJECTED
    if place.quoted and _FORBIDS_WHAT_FOLLOWS.search(place.above):
        return MENTIONED
    if news and _ASKS_WHICH_IS_WRONG.search(place.above):
        return MENTIONED
    if place.quoted and _MENTION.search(place.after[:40]) and _NAMED_AS_WRONG.search(place.sentence):
        return MENTIONED
    return None


def stance_in_english(place: Place, *, news: bool) -> str | None:
    head = " " + place.before[-70:]
    if not head.endswith(" "):
        head += " "
    if _DENIED_BEFORE.search(head) and not _NOT_DENIED.search(head):
        return NEGATED
    if _DISCLAIMED.search(" " + place.before[-120:]):
        return REJECTED
    if _WARNED_EN.search(" " + place.after[:80]) or _WARNED_BEFORE_EN.search(" " + place.before[-100:]):
        return REJECTED
    if _DENIED_INSIDE.search(f" {place.inside} ") or _DENIED_AFTER_EN.match(place.after[:60]):
        return NEGATED
    if (place.quoted or news) and _REPORTERS_EN.search(place.sentence) and _SANCTIONS_EN.search(place.sentence):
        return REPORTED
    if place.quoted and _FORBIDS_WHAT_FOLLOWS_EN.search(place.above):
        return MENTIONED
    if place.quoted and _MENTION_EN.search(place.sentence):
        return MENTIONED
    return None
