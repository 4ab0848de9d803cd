"""The words by which a sentence binds, wishes, rejects or orders: what makes a condition hard, and what does not."""

import re

_FLAGS = re.IGNORECASE

HARD = re.compile(
    r"\b(?:must(?:n't)?|shall|required?|requires|requirement|mandatory|essential|compulsory|obligatory|ha(?:s"
    r"|ve) to|need(?:s|ed)?|"
    r"non-?negotiable|not negotiable|strict(?:ly)?|hard (?:limit|cap|deadline|stop)|deal-?breaker|cannot|can't"
    r"|may not|won't|"
    r"will not|do(?:es)? not (?:accept|consider|invest|sign|buy|hire|work|want|allow)|no(?:t)? more than"
    r"|no(?:t)? later than|at (?:the )?(?:very )?(?:most|least|latest)|"
    r"never|unacceptable|forbid(?:s|den)?|prohibit(?:s|ed)?|bans?|banned|bar(?:s|red)|rul(?:ed?|es) (?:it |them "
    r"|this )?out|exclud(?:ed?|es|ing)|disqualif\w+|reject(?:s|ed)?|"
    r"insists?|condition|prerequisite|by law|legally|not (?:be )?(?:allowed|permitted|acceptable|considered"
    r"|eligible|possible|an option|exceed)|"
    r"max(?:imum)?|min(?:imum)?|cap(?:ped)?|ceiling|budget|deadline|limit(?:ed)?|latest|only|off the table|vetoed"
    r"|due|no \w+ (?:from|with|without|over|under|above|below)|"
    r"fixed|up to|sets?|handles?|copes?|struck|lapses?|to spend|disposal|useless|worthless|we are bound"
    r"|oblig(?:e|es|ed|ation)|expires?|ends?|runs? out|terminates?"
    r"|unless|within"
    # What people demand, what they put up with, what they turn away.
    r"|demand(?:s|ed|ing)?|insist(?:s|ed|ing)?|stipulat\w+|prescrib\w+|mandat\w+|dictat\w+|oblig\w+|tolerat\w+|permit(?:s|ted)?"
    r"|allow(?:s|ed)?|accept(?:s|ed)?|approv(?:e|es|ed)|refus(?:e|es|ed|ing)|declin(?:e|es|ed)|restrict\w*|confin\w+|vetoe?s?"
    r"|breach\w*|violat\w+|contraven\w+|infring\w+|pre-?condition(?:s|al)?|conditional|indispensable|imperative|vital|crucial"
    r"|non-?starter|show-?stopper|not optional|against (?:[a-z]+ )?(?:polic\w+|rules?|law|regulations?)"
    r"|unable|impossible|nobody"
    r"|nothing|solely|exclusively|no (?:use|good|point)|too (?:early|soon|small|big|large|slow|late|long|short|heavy"
    r"|loud|expensive|far|old"
    r"|weak|wide|tall|high|low|narrow)|tops? out|no (?:more|longer|less)|stays? out|keeps? out|turn(?:s"
    r"|ed)? (?:down|away)|calls? for"
    r"|counts? on|regulat\w+|licen[cs]e|statut\w+|law)\b"
    r"|반드시|필수|꼭|(?<![분시이평])야(?:만)?\s[^.,]{1,14}?수\s?있|[가-힣]야\s?(?:만\s?)?(?:한|하|합|됩|된|함|해|할|$)|뿐(?:이|입|임)|여야|이내|이하|이상|미만|초과"
    r"|넘[지을어으는기]|수\s?없|안\s?(?:된|됩|되)|불가|금지|제외|배제|탈락|"
    r"않는다|않습니다|않기로|않을|의무|조건|상한|하한|한도|예산|최대|최소|마감|기한|까지|이전|전에|못\s?(?:한|하"
    r"|함)|자격|허용|요구|필요|만\s?(?:가능|계약|선정|허용)|만\s?(?:[가-힣]+\s?){0,3}(?:수\s?있|가능|받는|받아|인정|한다|된다|쓰도록|쓴다|써야|사용|이용|선정|뽑|다룬|취급)|조례|명시|에\s?한(?:해|하여|정)|한정"
    r"|못\s?박|승인|거절|거부|반려|불허|인정|받아들이|감당|마지노선|상한선|전제|규격|규정|원칙|방침|지침|기준|법(?:률|령|적|상)|요건|자격"
    r"|끝나|종료|만료|되어야|돼야|위배|저촉|어긋|벗어나|부적합|소용\s?없|[가-힣]지\s?(?:않|못)",
    _FLAGS,
)
# A sentence with one of these states a condition; where none was read from it, that must be shown.
STRONG = re.compile(
    r"\b(?:must(?:n't)?|shall|required|requires|mandatory|compulsory|non-?negotiable|deal-?breaker|forbidden"
    r"|ha(?:s|ve) to be|(?:may|can|must|should) only|only be|needs? to be|nothing (?:but|over|above|below|under)"
    r"|prohibit(?:s|ed)|bann?(?:s|ed)|bars|forbids|vetoes|"
    r"ruled out|rules out|excluded|disqualified|not (?:allowed|permitted|acceptable|eligible)|may not be"
    r"|no later than|no more than|"
    r"cannot be (?:used|considered|accepted|chosen|selected|signed|hired)|hard (?:limit|cap|deadline)"
    r"|insists? (?:on|that)"
    r"|by law|indispensable|pre-?condition|prerequisite|imperative|conditional (?:up)?on|non-?starter"
    r"|not optional|obligatory"
    r"|obliges?|stipulates?|demands?|unacceptable|out of the question)\b"
    r"|반드시|필수(?!는 아니|가 아니)|의무|[가-힣]야\s?(?:만\s?)?(?:한다|합니다|함|해요|하며|하고)"
    r"|불가(?!피)|금지|제외|배제|탈락|안\s?(?:된다|됩니다)|수\s?없(?:다|습니다|음)|못\s?박|전제\s?조건"
    r"|(?<=[가-힣])만\s?(?:가능|허용|인정|[가-힣]+(?:ㄹ|할|을|될|둘|쓸)\s?수\s?있)|(?:이|가)\s?필요하(?:다|며|고)|필요합니다",
    _FLAGS,
)
SOFT = re.compile(
    r"\b(?:prefer(?:red|ably|s|ence)?|ideally|would like|would love|nice[ -]to[ -]have|nice but|if possible"
    r"|where possible"
    r"|an? (?:advantage|asset)\b|negotiable(?<!non-negotiable)(?<!not negotiable)(?<!nonnegotiable)"
    r"|flexible about|not a (?:condition|deal-?breaker)"
    r"|would be (?:nice|a plus|good|welcome|great|better)|"
    r"(?:not|\w+n't) (?:be )?(?:strictly |absolutely )?(?:required|mandatory|necessary|needed|essential|a must"
    r"|a requirement"
    r"|compulsory)"
    r"|(?:do(?:es)? not|do(?:es)?n't|did not) (?:really |actually )?need"
    # What makes no difference, what one can do without, and what has been lifted.
    r"|(?:do(?:es)? not|do(?:es)?n't) (?:really )?(?:matter|bother|concern|affect)|makes? no difference|irrelevant"
    r"|(?:live|do|manage|cope|get by|be fine|be happy) without|not tied to|no preference"
    r"|no longer (?:appl(?:y|ies)|in force|valid|binding|holds?)|been (?:lifted|abolished|scrapped|waived|repealed)"
    r"|(?<!not )(?<!non-)optional(?:ly)?|wish(?:es)?|a bonus|desirable|"
    r"do(?:es)? not have to|need not|no need|hope(?:s|fully)?|rather|a plus|welcome|all else equal)\b"
    r"|선호|가급적|되도록|가능하면|면\s?좋|좋겠|우대|필수(?:는|가|\s?사항은|\s?조건은)\s?아니|(?:조건|의무)(?:은"
    r"|는|이|가)\s?아니|않아도\s?(?:된|됩|좋|무방)|희망|바람직|권장|굳이|있으면\s?더"
    r"|필요(?:가|는|도)?\s?없(?=[다습고으어])|필요하지\s?않|안\s?필요|없어도\s?(?:되|된|됩|돼|좋|괜찮|상관|무방|문제)|상관\s?없|관계\s?없|개의치|(?:것|게|건)(?:은|는)?\s?아니(?=[다며고지라]|에요|ㅂ)|것은\s?아닙"
    r"|폐지|해제(?:되|됐)|더\s?이상\s?적용",
    _FLAGS,
)
# A clause that says of the one before it that it no longer counts, or never did.
_TAKEN_BACK = re.compile(
    r"^(?:but |and |although |though )?(?:which|that|this|it|they|the)\b(?: \w+){0,2}? (?:(?:do(?:es)? not"
    r"|do(?:es)?n't) "
    r"(?:matter|bother|concern|affect|apply)|(?:is|are) (?:irrelevant|no (?:problem|issue|longer \w+)|fine)"
    r"|makes? no difference|no longer (?:appl(?:y|ies)|holds?|counts?)|(?:has|have) (?:since )?been (?:lifted"
    r"|abolished|scrapped|waived|repealed|dropped))\b"
    r"|^(?:이는|이건|그건|그것은|이제는?|지금은|현재는|그\s?(?:규정|제한|한도|조건)[은이]?)\s?.{0,12}(?:상관\s?없|문제\s?(?:가\s?)?(?:없|되지)|폐지|해제|없어졌|풀렸|적용되지\s?않)",
    _FLAGS,
)
# Verbs of choosing and dealing. Denied about a named option, they exclude it.
_CHOOSING_EN = (
    r"(?:us(?:e|ed|ing)|work(?:ing)? with|deal(?:ing)? with|sign(?:ed|ing)?|contract(?:ed|ing)?|appoint(?:ed|ing)?"
    r"|hir(?:e|ed|ing)"
    r"|consider(?:ed|ing)?|accept(?:ed|ing)?|award(?:ed|ing)?|buy(?:ing)?|bought|order(?:ed|ing)?|book(?:ed|ing)?"
    r"|engag(?:e|ed|ing)"
    r"|invit(?:e|ed|ing)|tak(?:e|en|ing)(?! (?:more|less|longer))|pick(?:ed|ing)?|choos(?:e|ing)|chosen|select(?:ed"
    r"|ing)?|shortlist(?:ed)?|approv(?:e|ed|ing)"
    r"|recommend(?:ed|ing)?|continu(?:e|ing) with|keep(?:ing)?|go(?:ing)? with|partner(?:ing)?|do(?:ing)? business"
    r"|retain(?:ed|ing)?"
    r"|renew(?:ed|ing)?|proceed(?:ing)? with|trad(?:e|ing) with|cooperat(?:e|ing)|collaborat(?:e|ing)"
    r"|commission(?:ed|ing)?"
    r"|employ(?:ed|ing)?|touch|admit(?:ted)?|qualif(?:y|ies)|eligible|allowed|permitted|(?:an? |our )?(?:option"
    r"|candidate|choice|contender)|acceptable"
    r"|bid|compete|tender|win|fund(?:ed|ing)?|invest(?:ed|ing)? in|rent(?:ed|ing)?|leas(?:e|ed|ing)|adopt(?:ed|ing)?"
    r"|install(?:ed|ing)?|deploy(?:ed|ing)?"
    r"|purchas(?:e|ed|ing)|support(?:ed)? by|entrust(?:ed)?|nominat(?:e|ed)|elect(?:ed)?|enrol(?:l|led)?"
    r"|in the running|under consideration|on the list)"
)
_NOT_CHOSEN_EN = re.compile(
    rf"\b(?:not|n't|never|cannot|can't|won't|no longer|against|stop(?:ped|s)?|cease[sd]?|refus(?:e|es|ed)|avoid(?:s"
    rf"|ed)?|declin(?:e|es|ed)) (?:[\w'-]+ ){{0,3}}?(?:be )?{_CHOOSING_EN}\b"
    r"|\brul(?:es|ed|ing) (?:[\w.&'-]+ ){0,6}?out\b|\b(?:excluded?|excludes|excluding|disqualifie[ds]|banned|bans"
    r"|barred|bars|vetoed|vetoes|vetoing|rejected|rejects|eliminated"
    r"|blacklisted|blocklisted|sanctioned|insolvent|bankrupt|liquidated|suspended|ineligible|inadmissible"
    r"|unacceptable|prohibited|prohibits"
    r"|forbidden|forbids|discontinued|withdrawn|withdrew|debarred|struck off|off the table|out of the question"
    r"|out of the running"
    r"|out of business|out of consideration|knocked out|turned down|dropped out|pulled out|shut down|a no-?go"
    r"|taken off the list)\b"
    r"|\b(?:is|are|was|were|stays?|remains?|has been) (?:\w+ )?(?:out|dropped|blocked)\b(?! of stock| of town| in "
    r"| at )"
    r"|\b(?:lost|without|has no|have no|lacks?) (?:its|their|the|a|an|any) (?:valid )?(?:licen[cs]e|permit"
    r"|accreditation|approval)\b"
    r"|\bno longer (?:available|offered|exists|sold|produced|made|in business)\b|\bdecided (?:\w+ ){0,2}against\b"
    r"|\bdo(?:es)? not want\b"
    # An order to leave it out.
    r"|\b(?:leave|left|count(?:ed)?|keep|kept|take|took|taken|cross(?:ed)?|strike|struck|cut|writ(?:e|ten)"
    r"|wrote|shut) (?:[\w.&'-]+ ){1,4}"
    r"(?:out|off)\b|\bno (?:contracts?|deals?|orders?|business|agreements?|cooperation|purchases?) with\b"
    r"|\b(?:drop|skip|discard|remove|eliminate"
    r"|forget(?: about)?|scrap|bin) (?=[A-Z])"
    # It is not to be had any more.
    r"|\b(?:stop(?:s|ped|ping)?|ceas(?:e|es|ed|ing)|end(?:s|ed|ing)?|discontinu\w+|quit(?:s"
    r"|ting)?) (?:\w+ ){0,2}?(?:serv\w+|tak\w+"
    r"|accept\w+|sell\w+|suppl\w+|offer\w+|produc\w+|operat\w+|trad\w+|support\w*|mak\w+|deliver\w+)"
    r"|\b(?:sold out|fully booked|booked out|closed down|gone out of business|went bust|went under"
    r"|filed for|in(?:to)? (?:administration|liquidation|receivership)|nothing can be [a-z]+"
    r"|no longer interested|unavailable)\b"
    r"|\b(?:accept(?:ed|s)|taken|took|signed) (?:an(?:other)?|a different|the other|someone else's"
    r"|a competing|a rival) (?:\w+ ){0,2}?"
    r"(?:offer|job|position|post|role|buyer|tenant|contract)\b|\bwithdr(?:ew|awn|aws?)\b|\bback(?:ed|s) out\b"
    # It does not want to be chosen.
    r"|\b(?:has|have|had) (?:\w+ ){0,2}(?:declined|refused|turned down|passed on)\b|\b(?:declined|refused"
    r"|turned down) (?:our|the|to)\b",
    _FLAGS,
)
_CHOOSING_KO = (
    r"(?:계약|선정|채용|투자|구매|구입|거래|선택|이용|사용|도입|채택|고려|검토|승인|입찰|참여|추천|발주|허용|진행|고용|납품|낙찰|응찰"
    r"|신청|출시|판매|운영|매입|임차|입주|위탁|의뢰|선임|임명|협력|제휴|주문|예약|섭외|대상|후보|임대|대여|설치|배정|지정|맡기|맡길|쓰|쓸|살|사|뽑|고르|고를|택하|택할|부르|부를|빌리|빌릴|받|맡|맡을|타|탈|묵|묵을|들이|들일|다니|다닐)"
)
_NOT_CHOSEN_KO = re.compile(
    rf"{_CHOOSING_KO}(?:하|할|을|를|이|은|는|도|의|될|되|지|에서|로|으로)?\s?(?:대상\s?)?(?:수\s?(?:가|는)?\s?없|(?:하|되)?지\s?(?:는\s?)?(?:않"
    rf"|못|말)|안\s?(?:된|됩|되|한|함|하|쓰)|불가(?!피|능성)|금지|이?\s?아니|못)"
    r"|제외|배제|탈락|부적격|불합격|실격|퇴출|단종|(?:에서|은|는|을|를)\s?(?:빼|뺐|뺀|뺍|빠졌|빠진다)|부도|파산|폐업|영업\s?정지|입찰\s?(?:참가\s?)?제한"
    r"|(?:자격|면허|허가|인가|인증)(?:을|를|이|가)?\s?(?:상실|잃|취소|박탈|정지)|철수|사업을?\s?접|거부|거절|반려|불허|금지|안\s?(?:된다|됩니다)|블랙리스트"
    r"|(?:다른|타)\s?(?:회사|업체|곳|기업|사)[가-힣]*\s?(?:의\s?)?(?:제안|자리|계약|일)[을를]?\s?(?:수락|받아들|맺|택)|매진|꽉\s?[찼차]|(?:출입|거래|반입|접근)[을를이가]?\s?(?:막|차단)|예약이\s?(?:다\s?)?찼"
    r"|(?:거래|계약|공급|연락)[이가을를]?\s?(?:끊|종료|중단|해지)|(?:지원|입찰|참여|제안)[을를]?\s?(?:철회|포기|취소)|사퇴|고사했|회생\s?절차|(?:납품|거래|영업|판매|운행|사용|입찰|자격|공급)[이가을를은는도]?\s?(?:전면\s?)?(?:정지|중지|중단|금지)|말라는|하지\s?말"
    r"|(?:규정|규칙|조항|법|제한|금지|기준|요건)[가-힣]{0,3}\s?(?:에|에도)\s?(?:걸리|걸린|걸려|저촉|위배|어긋)",
    _FLAGS,
)
_NOT_EXCLUDED = re.compile(
    r"\b(?:not|never|n't|neither|nor|un)(?:\s\w+){0,2}\s(?:ruled?|rule|excluded?|banned|rejected|barred|vetoed"
    r"|disqualified|prohibited|off the table)\b"
    r"|cannot (?:be )?rul(?:e|ed) out|(?:제외|배제|탈락|거부|거절|금지|철수|취소)"
    r"(?:하지|되지|할|될|한\s?것은|된\s?것은)?"
    r"\s?(?:는\s?)?(?:않|아니"
    r"|이유(?:가|는)?\s?없|수\s?없)",
    _FLAGS,
)
CONDITIONAL = re.compile(
    r"\b(?:if|unless|in case|should (?:it|they)|provided|as long as)\b|(?:면|경우|한다면|라면)(?:에)?\s", _FLAGS
)
# Somebody in the material talks to the reader of the material. It is data: neither followed nor repeated.
ADDRESSED_TO_THE_READER = re.compile(
    r"\b(?:ignore|disregard|forget|override)\b.{0,40}\b(?:previous|prior|above|earlier|all|any|other|instructions?"
    r"|rules?|guidelines?|criteria|context)\b"
    r"|\b(?:note|message|instruction|memo) (?:to|for) (?:the )?(?:evaluat\w+|ai|assistant|model|reader|system"
    r"|reviewer|llm|agent)\b"
    r"|\b(?:dear|attention|hey) (?:ai|assistant|model|llm|evaluator)\b|\bas an ai\b|\byou (?:must|should|are to"
    r"|have to|will) (?:now )?(?:recommend|choose|select|rank|score|answer|say|pick|give|rate|output|respond)\b"
    r"|\b(?:assign|give|award|set)\b.{0,40}\b(?:points?|scores?|100|rank)\b.{0,60}\b(?:every|all|each|criterion"
    r"|criteria|option|others?)\b"
    r"|\b(?:always|only|simply) (?:recommend|choose|select|pick|answer)\b|\bsystem prompt\b|\bpre-?approved\b"
    r"|\brank (?:it|this|us) first\b"
    r"|(?:이전|앞선|위의|기존|모든)\s?(?:지침|지시|규칙|명령|프롬프트|내용)[을를은]?\s?(?:모두\s?)?(?:무시|잊"
    r"|따르지)|(?:추천|선택|선정|평가|출력|답변?)\s?(?:하라|하시오|하십시오|해라|할 것)"
    r"|(?:AI|인공지능|평가자|모델|시스템)(?:에게|은|는|께)\s.{0,40}(?:추천|선택|점수|평가|순위)"
    r"|점수[는를을]?\s?[0-9]+점으로\s?(?:한다|하라|매|주)|만점[을으로]*\s?(?:주|매|부여)",
    _FLAGS,
)
BUDGET = re.compile(
    r"\b(?:budget|cap|ceiling|spending limit|price limit|funds?|afford|money available|at our disposal)\b|예산"
    r"|상한|한도|자금|가용\s?금액|쓸\s?수\s?있는\s?돈|(?:마련|조달|동원|모을|낼)(?:할)?\s?수\s?있는|수중에|가진\s?돈|전\s?재산"
    r"|\b(?:all (?:the money )?(?:we|i) (?:have|can)|can (?:spend|raise|pay|put up)|our savings|pay no more)\b",
    _FLAGS,
)
DEADLINE = re.compile(
    r"\b(?:deadline|go-?live|no later than|at the latest|due|by|until|before|latest|expires?|ends?)\b|마감|기한"
    r"|까지|이전|전에|늦어도|완료|납기",
    _FLAGS,
)


def is_soft(text: str) -> bool:
    return SOFT.search(text) is not None


def takes_back(clause: str) -> bool:
    return _TAKEN_BACK.search(clause.strip()) is not None


def binds_beside_its_wish(text: str) -> bool:
    return STRONG.search(SOFT.sub(" ", text)) is not None


def is_hard(text: str) -> bool:
    return HARD.search(text) is not None


def is_denied_exclusion(text: str) -> bool:
    return _NOT_EXCLUDED.search(text) is not None


def excludes_by_name(clause: str) -> bool:
    """The clause says of whom it names that they are not to be chosen. A denied exclusion excludes nobody."""
    if is_denied_exclusion(clause):
        return False
    return _NOT_CHOSEN_EN.search(clause) is not None or _NOT_CHOSEN_KO.search(clause) is not None


def addresses_the_reader(text: str) -> bool:
    return ADDRESSED_TO_THE_READER.search(text) is not None
