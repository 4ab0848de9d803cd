"""Other ways in which a text may call an option: without its legal form or bracket, by its one telling word, or, for an
option that is an action, in another form of the verb (`repair` and `Repairing`).
"""

import re
from dataclasses import replace

from simplemma import is_known

from packs.decision.brief import Option, normalise
from packs.decision.evidence import mention
from packs.text.morphemes import english_lemma

LEGAL_FORMS = re.compile(
    r"\b(?:inc|ltd|llc|corp|corporation|co|gmbh|plc|limited|company|group|holdings|the)\b\.?|주식회사|유한회사"
    r"|\(주\)|㈜",
    re.IGNORECASE,
)
_BRACKET = re.compile(r"\s*[(\[][^)\]]{1,60}[)\]]\s*")
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9&'-]*")
_SHORTEST = 3


def with_aliases(options: tuple[Option, ...], texts: list[str]) -> tuple[Option, ...]:
    """Options with the further names that the texts use. A name that could mean two options is none."""
    found = [_aliases(index, options, texts) for index in range(len(options))]
    counted: dict[str, int] = {}
    for alias in {(index, normalise(alias)) for index, aliases in enumerate(found) for alias in aliases}:
        counted[alias[1]] = counted.get(alias[1], 0) + 1
    taken = {normalise(option.name) for option in options}
    return tuple(
        replace(
            option,
            aliases=tuple(
                alias for alias in aliases if counted[normalise(alias)] == 1 and normalise(alias) not in taken
            ),
        )
        for option, aliases in zip(options, found, strict=True)
    )


def _aliases(index: int, options: tuple[Option, ...], texts: list[str]) -> list[str]:
    name = options[index].name
    others = {word.lower() for i, each in enumerate(options) if i != index for word in _WORD.findall(each.name)}
    bare = _BRACKET.sub(" ", LEGAL_FORMS.sub(" ", name)).strip(" .,")
    found = [bare] if bare and bare != name else []
    words = _WORD.findall(name)
    if len(words) > 1:
        telling = [word for word in words if word.lower() not in others and len(word) >= _SHORTEST]
        # A word of the dictionary (`Price cut`) may mean anything; a name of its own means the option.
        found += [word for word in telling if word[0].isupper() and not is_known(word.lower(), lang="en")][:1]
    if words and words[0].islower() and english_lemma(words[0]) not in {english_lemma(word) for word in others}:
        # `keep it in-house` is what the text calls `Keeping it in-house`.
        found += [form for form in _other_forms(words[0], texts) if len(words) == 1 or form.lower().endswith("ing")]
    return list(dict.fromkeys(found))


def _other_forms(verb: str, texts: list[str]) -> list[str]:
    if any(mention(verb, text) >= 0 for text in texts):
        return []
    wanted = english_lemma(verb)
    return list(dict.fromkeys(word for text in texts for word in _WORD.findall(text) if english_lemma(word) == wanted))[
        :3
    ]
