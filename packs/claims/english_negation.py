"""Which word an English negation denies."""

from packs.claims import english_words as closed
from packs.claims.english_tagging import Token
from packs.claims.parsed import Role


def mark_negation(tokens: list[Token]) -> None:
    for place, token in enumerate(tokens):
        if token.tag == "neg" or token.lower in ("cannot", "without", "neither", "nor", "nobody", "none"):
            longer = place + 1 < len(tokens) and tokens[place + 1].lower == "longer"
            if (
                token.lower == "not"
                and place + 1 < len(tokens)
                and tokens[place + 1].lower in ("only", "just", "merely")
            ):
                continue
            target = _negated_word(tokens, place + (2 if longer else 1))
            if token.lower in ("no", "none", "neither") and (target is None or target.tag in ("noun", "name")):
                target = _verb_of(tokens, token.clause, place) or target
            if target is not None:
                target.negated = not target.negated
        elif token.lower == "nothing" and (verb := _verb_of(tokens, token.clause, place)):
            verb.negated = not verb.negated
        elif token.lower in ("less", "least") and place + 1 < len(tokens) and tokens[place + 1].tag == "quality":
            tokens[place + 1].negated = not tokens[place + 1].negated  # less deep is not deeper
    for place, token in enumerate(tokens):
        if token.tag == "verb" and token.lemma in closed.NEGATING_VERBS:
            if place + 2 < len(tokens) and tokens[place + 1].lower == "to" and tokens[place + 2].tag == "verb":
                tokens[place + 2].negated = not tokens[place + 2].negated
                continue
            for other in tokens:
                if (
                    other.clause == token.clause
                    and other.role is Role.OBJECT
                    and other.tag in ("noun", "name")
                    and other.lemma not in closed.LIGHT
                ):
                    other.negated = not other.negated
                    break


def _verb_of(tokens: list[Token], clause: int, place: int) -> Token | None:
    """ "No patient died" and "paid no dividend" deny the verb."""
    verbs = [token for token in tokens if token.clause == clause and token.tag == "verb"]
    if len(verbs) > 1 and not any(verb.start < tokens[place].start for verb in verbs):
        verbs = verbs[:1]  # "none of those asked agreed to pay"
    return verbs[0] if len(verbs) == 1 and verbs[0].lemma not in closed.LIGHT else None


def _negated_word(tokens: list[Token], place: int) -> Token | None:
    clause = tokens[min(place, len(tokens) - 1)].clause if tokens else 0
    nouns: Token | None = None
    for token in tokens[place:]:
        if token.clause != clause or token.tag == "punct":
            break
        if token.tag == "verb":
            return nouns or token
        if token.tag in ("noun", "name", "label"):
            nouns = token
            continue
        if nouns is not None:
            break
        if token.tag == "quality":
            following = tokens[tokens.index(token) + 1 : tokens.index(token) + 2]
            if not following or following[0].tag not in ("noun", "name", "quality"):
                return token
        if token.tag == "figure":
            return None
    return nouns
