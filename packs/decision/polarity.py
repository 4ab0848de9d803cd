"""Whether a sentence speaks for or against an option on a criterion. A word list, not a reader: it
answers only when all its hits agree, and everything it decides is declared as an assumption.
"""

import re
from typing import Literal

from packs.decision.brief import Direction

Lean = Literal[-1, 0, 1]

# How far a "not" reaches. Also keeps a sentence of a hundred thousand words from being read again for every word.
NEARBY_CHARS = 40

_GOOD = re.compile(
    r"\b(?:good|better|best|strong|excellent|outstanding|great|fast|faster|quick|reliable|stable|robust|proven|cheap|"
    r"cheaper|affordable|easy|easier|simple|secure|flexible|mature|efficient|praised|superior)\b"
    r"|좋(?=[은다습아지])|우수|뛰어[난나]|탁월|빠[르른릅]|빨라|저렴|안정적|신뢰|쉽|쉬[운워]|편리|유리[하한합]"
    r"|효율적|검증된|강점|불만[이은도]?\s?적"
)
_BAD = re.compile(
    r"\b(?:bad|worse|worst|weak|poor|slow|slower|unreliable|unstable|fragile|unproven|expensive|costly|difficult|"
    r"hard|harder|complex|insecure|risky|inflexible|immature|inefficient|limited|lacks|lacking|fails|criticised|"
    r"criticized|inferior)\b"
    r"|나쁘|나쁜|나쁩|느리|느린|느립|비싸|비싼|비쌉|불안정|어렵|어려[운워]|위험[하한합]|부족|미흡|불편|불리|비효율"
    r"|복잡[하한합]|취약|약점"
    # 불만이 많다 is one statement: the 많 in it does not speak for anything.
    r"|불만(?![이은도]?\s?적)(?:[이은도]?\s?(?:많|크|높))?"
)
_MUCH = re.compile(
    r"\b(?:high|higher|highest|large|larger|long|longer)\b|높(?=[은다습아지])|많(?=[은다습아지])"
    r"|(?<![가-힣])길(?=[다어지])|긴\s"
)
_LITTLE = re.compile(
    r"\b(?:low|lower|lowest|small|smaller|short|shorter|little)\b|낮(?=[은다습아지])"
    r"|(?<![가-힣])적(?=[은다습어지])|짧(?=[은다습아지])"
)

_DENIED_BEFORE = re.compile(r"(?:\b(?:not|no|never|hardly|neither|without)|n't)\s+(?:\w+\s+){0,2}$")
_DENIED_AFTER = re.compile(r"^\S{0,4}\s?(?:지\s?않|지\s?못|[은는이가도]?\s?없)")


def lean(text: str, direction: Direction) -> Lean:
    """1: speaks for it, -1: against it, 0: says nothing clear, or both."""
    lowered = text.lower()
    more_is = 1 if direction == "higher_is_better" else -1
    hits: set[int] = set()
    # 불안정 contains 안정, 비효율 contains 효율: what is bad is removed before the good is looked for.
    rest = _collect(_BAD, lowered, -1, hits)
    rest = _collect(_GOOD, rest, 1, hits)
    rest = _collect(_MUCH, rest, more_is, hits)
    _collect(_LITTLE, rest, -more_is, hits)
    if hits == {1}:
        return 1
    return -1 if hits == {-1} else 0


def _collect(pattern: re.Pattern[str], text: str, sign: int, hits: set[int]) -> str:
    for found in pattern.finditer(text):
        before = text[max(0, found.start() - NEARBY_CHARS) : found.start()]
        denied = _DENIED_BEFORE.search(before) or _DENIED_AFTER.match(text[found.end() : found.end() + NEARBY_CHARS])
        hits.add(-sign if denied else sign)
    return pattern.sub(lambda found: "·" * len(found.group()), text)
