"""How often a clause denies: an even number of denials cancels out.

`Vendors above 500 USD are rejected` denies once, so 500 is the most. `Vendors that cannot deliver within 10 days are
rejected` denies twice, so 10 days stay the most. One count serves limits, requirements and values alike.
"""

import re

# Phrases that deny nothing about the options: they only stress the condition.
_STRESS = re.compile(
    r"\b(?:not|non)[- ]?(?:negotiable|optional)\b|\bno (?:exceptions?|compromise|negotiation|discussion|matter)\b"
    r"|\bwithout (?:any )?exceptions?\b|\bnot (?:only|just|merely)\b|\bif not\b|\bcannot be (?:waived|negotiated"
    r"|changed|moved|extended|raised)\b"
    r"|\bdeal-?breaker if not\b|\bnot strictly\b|\bwill not (?:be )?(?:change|changed|move|moved|extended|raised)\b"
    r"|예외\s?(?:는|가|도)?\s?없|양보(?:할|는)\s?수?\s?(?:가|는)?\s?없|타협\s?(?:은|는)?\s?(?:불가|없)|뿐(?:만)?\s?아니라"
    r"|(?:변경|연장|조정|증액)(?:은|는|이|할)?\s?(?:불가|수\s?없)|(?:차질|문제|무리|지장|빠짐|어려움|불편)\s?없이|어쩔\s?수\s?없|틀림\s?없|상관\s?없|관계\s?없|변함\s?없|할\s?수\s?밖에\s?없",
    re.IGNORECASE,
)
_DENIALS = re.compile(
    r"\b(?:cannot|can't|won't|never|nothing|nobody|none|neither|nor|without|lack(?:s|ing)?|missing|unable|"
    r"not|\w+n't|fail(?:s|ed|ing)? to|refus(?:e|es|ed|ing)|reject(?:s|ed|ing)?|exclud(?:e|es|ed|ing)|"
    r"rul(?:e|es|ed|ing) (?:[\w.&'-]+ ){0,4}?out|disqualif(?:y|ies|ied)|bann?(?:s|ed|ing)?|barr?(?:s|ed)"
    r"|prohibit(?:s|ed|ing)?|"
    r"forbid(?:s|den|ding)?|forbade|veto(?:es|ed)?|unacceptable|inadmissible|ineligible|impossible|infeasible|unlawful|"
    r"illegal|off the table|out of the question|out of consideration|out of the running|knocked out"
    r"|struck (?:off|from|out)|"
    r"eliminated?|discard(?:s|ed)?|dropp(?:ed|ing)|drops? out|turn(?:s|ed)? down|no-?go|deal-?breaker|blacklisted"
    r"|too \w+|"
    r"declin(?:e|es|ed)|useless|worthless|pointless|(?:no|of no|any) use|breach(?:es|ed)?|violat(?:e|es|ed"
    r"|ing)|contraven\w+"
    r"|infring\w+|non-?starter|show-?stopper|against (?:our |the |company |house )*(?:polic\w+|rules?|law"
    r"|regulations?|principles?)"
    r"|(?:stay|stays|keep|kept|keeps|remain|steer) (?:well )?(?:out of|outside|away from|clear of)"
    r"|unaffordable|unsuitable"
    r"|unusable|unworkable|insufficient|inadequate|out of reach|beyond our (?:means|reach)|turn(?:s"
    r"|ed)? away|sent? back"
    r"|overrun(?:s)?|blow(?:s|n)? (?:the|our) (?:budget|limit)|break(?:s|ing)? (?:the|our) \w+)\b"
    r"|\bno(?= (?!more\b|later\b|less\b|fewer\b|longer than\b|matter\b|earlier\b|higher\b|lower\b)\w)"
    r"|\b(?:is|are|be|falls?|goes?|would be|will be) out\b(?! of)"
    r"|수\s?(?:는|가|도)?\s?없|(?<![가-힣])없(?=[는다습음으어고이])|(?<=[이가은는도])\s?없(?=[는다습음으어고이])|지\s?(?:는|도)?\s?(?:않|못|말)"
    r"|(?<![가-힣])못\s?(?:하|쓰|씁|들|받|한)|(?<![가-힣])안\s?(?:되|된|됩|돼|쓰|씁|받|삽|산다|뽑)"
    r"|(?:이|가|은|는)?\s?아니(?=[다면고며라거]|어야|ㄴ)|아닌|금지|불가(?!피|능성)|불허|제외|배제|탈락|거절|거부|반려|실격|부적격|불합격|(?<![가-힣])(?:빼|뺀|뺐|뺍|빠진|빠졌)"
    r"|미\s?(?:보유|취득|인증|지원|충족|가입|등록|제출|달|이수|획득|승인|허가)|안\s?(?:돼|됨)|못\s?(?:미|낸|낼|맞)|어렵|곤란|무효|걸러|위반"
    r"|어긋|벗어나|저촉|위배|부적합|소용\s?없|쓸모\s?없|감당(?:하기)?\s?(?:어|못|안)|되돌려\s?보내|퇴짜|컷",
    re.IGNORECASE,
)
# Where a new predicate begins: what follows says something else about the same thing.
_BREAK = re.compile(
    r"[;:]\s|,\s(?!(?:which|who|that)\b)|\s(?:and|but|so|because|since|hence|therefore|while|whereas|although|or we)\s"
    r"|(?<=므로)[\s,]|(?<=[으하되]니)[\s,]|때문에[\s,]|(?<=아서)[\s,]|(?<=어서)[\s,]|(?<=해서)[\s,]|(?<=니까)[\s,]|(?<=지만)[\s,]|(?<=으나)[\s,]"
    r"|(?<=[가-힣]고)[\s,](?!\s?(?:있|싶|나))|(?<=[으하이]며)[\s,]|(?<=라서)[\s,]|(?<=도록)[\s,]|(?<=는데)[\s,]|(?<=[은인한된]데)[\s,]"
)


_IF = re.compile(r"\b(?:if|when|whenever|where|once|should|in case)\b[^,]*$", re.IGNORECASE)
_IF_KO = re.compile(r"^[가-힣\s]{0,6}?(?:면|경우|때)(?:에는|에|는|엔)?[\s,]")


def denials(text: str) -> int:
    return len(_DENIALS.findall(_STRESS.sub(" ", text)))


def without_denials(text: str) -> str:
    return _DENIALS.sub(" ", _STRESS.sub(" ", text))


def denies(text: str, about: int = 0) -> bool:
    """The first predicate that denies anything does so an odd number of times: `do not fit and are out` denies once.

    `about`: the place of what is spoken of. What a clause before it denies is another matter.
    """
    start = max((found.end() for found in _BREAK.finditer(text, 0, about)), default=0) if about else 0
    plain = _STRESS.sub(" ", text[start:])
    counts = (len(_DENIALS.findall(piece)) for piece in _BREAK.split(plain))
    return next((count for count in counts if count), 0) % 2 == 1


def reverses(before: str, after: str) -> bool:
    """Whether a bound between these two texts is turned round: an odd number of denials belongs to it."""
    return denials_about(before, after) % 2 == 1


def denials_about(before: str, after: str) -> int:
    """The denials before a bound, in its own clause, and those of the predicate behind it."""
    pieces = [piece for piece in _BREAK.split(after) if piece is not None]
    behind = pieces[0] if pieces else ""
    if _IF.search(before) or _IF_KO.match(after):
        behind = next((piece for piece in pieces if denials(piece)), "")
    return denials(_last_piece(before)) + denials(behind)


def _last_piece(text: str) -> str:
    """What stands since the last break: the beginning of the clause that goes on behind the text."""
    start = 0
    for found in _BREAK.finditer(text):
        start = found.end()
    return text[start:]
