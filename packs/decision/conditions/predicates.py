"""Whether the verbs of a condition are known: what a verb nobody knows does to the rest of the sentence is a guess.

`Data may not leave Germany` and `data may not enter Germany` have the same denials and want the opposite. Verbs that
only say that something is, has, is chosen or is allowed change nothing; any other one makes the reading uncertain,
which caps the reliability of what rests on it.
"""

import re
from functools import lru_cache
from itertools import pairwise

from packs.claims.part_of_speech import tags_of
from packs.decision.conditions.negation import without_denials
from packs.decision.conditions.wording import HARD
from packs.text.morphemes import english_lemma, morphemes

_PLAIN_WORDS = (
    "be have do use need require want accept take choose select pick sign buy hire work deal come base locate host "
    "store "
    "keep hold offer provide support include run operate serve handle fit meet carry speak know get let allow permit "
    "consider admit qualify go apply count matter make give put pass contain cover show own possess supply deliver "
    "sell "
    "employ contract invest award order rent lease book invite register certify licence license insure approve "
    "accredit "
    "stay remain live belong say tell ask state see look join receive enter process ship train clear settle follow "
    "confirm agree decide insist demand stipulate prescribe oblige restrict limit bind recommend bring return mean like"
)
_PLAIN = frozenset(_PLAIN_WORDS.split())
_PLAIN_KO_WORDS = (
    "있 없 하 되 이 받 쓰 두 갖추 가지 맺 들 보 사 뽑 고르 택하 맡기 맡 주 내 오 들이 지키 따르 넣 얻 아니 않 못하 "
    "말 알 말하 "
    "정하 나오 들어가 다루 살 팔 빌리 부르 통하 위하 대하 관하 의하 따 갖 치르 넘기 모시 타 보내 만들 열"
)
_PLAIN_KO = frozenset(_PLAIN_KO_WORDS.split())
# Verbs by which somebody sets a rule: in the past tense it still holds.
_RULING_WORDS = (
    "grant set approve allocate decide resolve tell say agree confirm insist order cap limit fix release earmark rule "
    "ban exclude reject forbid prohibit require demand stipulate give allow permit promise commit fund warn state sign "
    "declare impose pass adopt vote veto refuse decline lose expire withdraw register book enrol enroll reserve"
)
_RULING = frozenset(_RULING_WORDS.split())
_RULING_KO = re.compile(
    "확정|승인|정해|정했|결정|배정|책정|통보|못을?\\s?박|공지|지시|요구|계약|금지|제외|한정|허가|허락"
)
_PAST_KO = re.compile(
    r"[았었였했됐났갔왔렸졌쳤꼈샀썼]"
    r"(?:다|습니다|음|어요|지만|는데|으며|고)(?=[\s.,]|$)"
)
_WORD = re.compile(r"[A-Za-z]+(?:'[a-z]+)?|[0-9]+|[^\sA-Za-z0-9]")


@lru_cache(maxsize=2048)
def has_unknown_verb(text: str) -> bool:
    """A verb that is neither plain nor one of those that bind or deny."""
    rest = HARD.sub(" ", without_denials(text))
    if re.search(r"[가-힣]", text):
        return any(
            each.tag == "VV" and each.lemma.removesuffix("다") not in _PLAIN_KO and each.form in rest
            for each in morphemes(text)
        )
    words = _WORD.findall(text)
    tags = tags_of(words)
    left = set(_WORD.findall(rest))
    return any(
        tag.startswith("VB") and word in left and english_lemma(word) not in _PLAIN
        for word, tag in zip(words, tags, strict=True)
    )


@lru_cache(maxsize=2048)
def speaks_of_the_past(text: str) -> bool:
    """The sentence reports what was, and no verb of it sets a rule: `the meeting took less than 2 hours`."""
    if re.search(r"[가-힣]", text):
        past = _PAST_KO.search(text) is not None and _RULING_KO.search(text) is None
        return past and not HARD.search(without_denials(text))
    words = _WORD.findall(text)
    tags = tags_of(words)
    if "MD" in tags:
        return False
    verbs = [(english_lemma(word), tag) for word, tag in zip(words, tags, strict=True) if tag.startswith("VB")]
    perfect = any(
        lemma == "have" and tag in ("VBP", "VBZ") and following[1] == "VBN"
        for (lemma, tag), following in pairwise(verbs)
    )
    past = perfect or any(tag == "VBD" for _, tag in verbs)
    return past and not any(lemma in _RULING for lemma, _ in verbs)
