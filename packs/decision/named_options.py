"""Options that only the question or the context names: `Hotel Astra or Hotel Bravo?`, the rows of a table, records, and
names that stand before figures of one kind.
"""

import re

from packs.decision.brief import Brief, Leaf, normalise
from packs.decision.evidence import RECORD_NAMES, mention, sentences
from packs.decision.tables import read_tables
from packs.text.morphemes import english_lemma
from packs.text.quantities import find_quantities

MAX_NAME_CHARS = 60
MAX_DERIVED = 20
_PRONOUNS = frozenset({"it", "them", "one", "this", "that", "the", "we", "our", "not"})

_ARTICLES = frozenset({"the", "a", "an", "our", "new", "it", "them"})
_LEAD_IN = re.compile(
    r"^(?:so,?\s)?(?:should|shall|do|does|would|could|can|will|is it better to|is it|are we|which(?: one)?(?: is"
    r"| of)?|what|whether|who|where|when|how)\b\s?"
    r"(?:we|i|they|the (?:team|company|board|school|clinic)|you|it)?\s?(?:to\s)?",
    re.IGNORECASE,
)
_OR_EN = re.compile(r"\s(?:or|vs\.?|versus)\s", re.IGNORECASE)
_BETWEEN_EN = re.compile(
    r"\bbetween\s(?P<one>.+?)\sand\s(?P<other>.+?)(?:[?,.]|$|\sfor\s|\sto\s|\sas\s)", re.IGNORECASE
)
_WHICH_EN = re.compile(r"\b(?:which|what|who|whom|where|when|how|why)\b", re.IGNORECASE)
_CHOICE_KO = re.compile(r"(?P<names>.+?)\s(?:중(?:에서|에)?|가운데)\s?(?:무엇|어느|어떤|누구|어디|뭘|하나|한)")
_OR_KO = re.compile(r"(?:,\s?(?:아니면|또는|혹은)?\s?|\s(?:아니면|또는|혹은|vs\.?)\s|(?<=까요),\s?|(?<=까),\s?)")
_AND_KO = re.compile(r"(?:와|과|이랑|랑|하고)\s|,\s?|\s(?:및|또는|혹은)\s")
_VERB_END_KO = re.compile(r"(?:하는\s?게\s?나을까요?|할까요?|을까요?|까요?|하나요|나요|할지|을지)\s?\??$")
_SUBJECT_EN = re.compile(r"^(?P<name>[A-Z][\w&'-]+(?: (?:[A-Z][\w&'-]*|[0-9]+)){0,3}) (?=[a-z])")
_SUBJECT_KO = re.compile(r"^(?P<name>[가-힣A-Za-z0-9]{2,12}(?: [가-힣A-Za-z0-9]{1,10})?)(?:은|는) ")
_NO_NAME = re.compile(
    r"^(?:The|We|Our|It|This|That|These|They|There|In|On|At|If|When|All|Both|Each|Every|No|Only|Budget|Offers?)\b"
    r"|^(?:우리|저희|예산|이번|두|세|모든|각|현재|다음|이|그|회사|본사|조건|기한|총|비용|가격)"
)


def options_in_words(brief: Brief, *, from_sentences: bool = True) -> tuple[str, ...]:
    """From the question if it names any, otherwise from the context's tables, records and parallel sentences. Two
    sentences beside a yes-or-no question are a rule and a fact, and no options.
    """
    texts = [leaf.value for leaf in brief.context if isinstance(leaf.value, str)]
    asked = _distinct(_in_question(brief.question, texts))
    if len(asked) >= 2:
        return asked
    in_sentences = _in_sentences(texts, brief.language) if from_sentences else []
    for found in (_in_tables(texts), _in_records(brief.context), in_sentences):
        names = _distinct(found)
        if len(names) >= 2:
            return names
    return ()


def _distinct(names: list[str]) -> tuple[str, ...]:
    kept = list(dict.fromkeys(name for name in names if name))
    if len({normalise(name) for name in kept}) < len(kept) or len(kept) > MAX_DERIVED:
        return ()
    return tuple(kept) if all(len(name) <= MAX_NAME_CHARS for name in kept) else ()


# ------------------------------------------------------------------------------ the question
def _in_question(question: str, texts: list[str]) -> list[str]:
    question = question.strip().rstrip("?？ ")
    pieces = _korean(question) if re.search(r"[가-힣]", question) else _english(question)
    if len(pieces) < 2:
        return []
    common = set.intersection(*({normalise(word) for word in piece.split()} for piece in pieces))
    return [_as_the_texts_call_it(_clean(piece), texts, common) for piece in pieces]


def _korean(question: str) -> list[str]:
    if found := _CHOICE_KO.search(question):
        return [piece for piece in _AND_KO.split(found["names"] + " ") if piece.strip()]
    pieces = [piece for piece in _OR_KO.split(question) if piece.strip()]
    if len(pieces) >= 2 and all(_VERB_END_KO.search(piece) for piece in pieces[-2:]):
        return [_VERB_END_KO.sub("", piece.strip()) for piece in pieces[-max(2, len(pieces)) :]]
    return []


def _english(question: str) -> list[str]:
    if between := _BETWEEN_EN.search(question):
        return [between["one"], between["other"]]
    part = next((each for each in re.split(r":\s", question) if _OR_EN.search(f" {each} ")), "")
    if "," in part and _WHICH_EN.search(part.split(",")[0]):
        part = part.split(",", 1)[1]
    if not _OR_EN.search(part):
        return []
    first, *rest = _OR_EN.split(part)
    names = [*re.split(r",\s", first), *rest]
    names[0] = _LEAD_IN.sub("", names[0].strip())
    if len(names[-1].split()) > 4:
        names[-1] = re.sub(r"\s(?:for|as|to|in|on|at|this|next)\s.*$", "", names[-1])
    return _shared_head(names)


def _shared_head(names: list[str]) -> list[str]:
    """`go to Maya or to Oskar`: what both ends share is not part of a name."""
    last_words = names[-1].split()
    if last_words and last_words[0].lower() in ("to", "with", "in", "from", "at", "by", "on"):
        pieces = names[0].rsplit(f" {last_words[0]} ", 1)
        return [pieces[-1], *names[1:-1], " ".join(last_words[1:])]
    if len(last_words) > 1 and len(names) == 2 and len(names[0].split()) == 1 and last_words[1].lower() in _ARTICLES:
        return [
            names[0],
            last_words[0],
        ]  # `lease or buy the forklift`: the thing is the same, the verbs are the options
    if len(last_words) <= 2 and len(names[0].split()) > len(last_words) + 1:
        # `use Redis or Memcached`: the verb stands once, before the first name.
        return [" ".join(names[0].split()[-len(last_words) :]), *names[1:]]
    return names


def _clean(name: str) -> str:
    text = re.sub(
        r"^(?:the|a|an|either|whether|use|choose|pick|buy|take|by|with)\s",
        "",
        name.strip(" .,:;?!\"'“”"),
        flags=re.IGNORECASE,
    )
    text = re.sub(r"\s(?:for|as)\s(?:the|our|this|next)\s.*$", "", text)
    return re.sub(r"^(?:우리는?|저희는?|이번에는?|신제품을?|올해는?)\s", "", text).strip()


def _as_the_texts_call_it(piece: str, texts: list[str], common: set[str]) -> str:
    """The longest part of the piece that the texts speak of; the piece itself where they speak of none."""
    words = [word for word in piece.split() if normalise(word) not in common or len(piece.split()) == 1]
    if not words or not texts or any(mention(piece, text) >= 0 for text in texts):
        return piece
    doing = {english_lemma(word) for text in texts for word in re.findall(r"\b[A-Za-z]+ing\b", text)}
    if piece.split()[0].islower() and english_lemma(piece.split()[0]) in doing:
        return piece  # the text calls `keep it in-house` by another form: `Keeping it in-house`
    for length in range(len(words), 0, -1):
        for start in range(len(words) - length, -1, -1):
            part = " ".join(words[start : start + length])
            if len(part) >= 2 and part.lower() not in _PRONOUNS and any(mention(part, text) >= 0 for text in texts):
                return part
    spoken = {english_lemma(word) for text in texts for word in re.findall(r"[A-Za-z]+", text)}
    verb = next((word for word in words if len(word) >= 3 and english_lemma(word) in spoken and word.islower()), None)
    return verb or piece


# ------------------------------------------------------------------------------ the context
def _in_tables(texts: list[str]) -> list[str]:
    for text in texts:
        rows = list(dict.fromkeys(cell.row for cell in read_tables(text).cells))
        if len(rows) >= 2:
            return rows
    return []


def _in_records(context: tuple[Leaf, ...]) -> list[str]:
    """Names of a list of records, or keys whose values are objects with keys in common."""
    named = [
        leaf.value
        for leaf in context
        if len(leaf.path) >= 2 and isinstance(leaf.value, str) and normalise(leaf.path[-1]) in RECORD_NAMES
    ]
    if len(named) >= 2:
        return named
    keys: dict[str, set[str]] = {}
    for leaf in context:
        if len(leaf.path) == 2 and not leaf.path[0].isdecimal() and not leaf.path[1].isdecimal():
            keys.setdefault(leaf.path[0], set()).add(normalise(leaf.path[1]))
    return [name for name, own in keys.items() if any(own & other for key, other in keys.items() if key != name)]


def _in_sentences(texts: list[str], language: str) -> list[str]:
    """Names that begin sentences with figures of the same units: `Acme asks for 300 USD. Borea asks for 280 USD.`"""
    pattern = _SUBJECT_KO if language == "ko" else _SUBJECT_EN
    units: dict[str, set[str]] = {}
    for text in texts:
        for sentence in sentences(text):
            found = pattern.match(sentence)
            if found and not _NO_NAME.search(found["name"]):
                measured = {quantity.unit for quantity in find_quantities(sentence) if quantity.unit}
                units.setdefault(found["name"].strip(), set()).update(measured)
    shared = set.intersection(*units.values()) if len(units) >= 2 else set()
    return list(units) if shared else []
