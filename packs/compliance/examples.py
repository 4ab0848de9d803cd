"""What the rulebook says by example: wordings that a rule has to find, and lawful ones that nothing may find."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from importlib.resources import files

from packs.compliance.rules import rulebook
from packs.text.sentences import sentence_spans

LAWFUL = ""
_HEAD = re.compile(r"\[([A-Z-]+) ([a-z_]+)\]")


@dataclass(frozen=True)
class Example:
    text: str
    rule: str
    kind: str


def written_examples() -> Iterator[Example]:
    """`examples.txt`: one a line below `[RULE kind]`; a line that begins with `- ` is lawful."""
    rule = kind = LAWFUL
    body = (files(__package__) / "rulebook" / "examples.txt").read_text(encoding="utf-8")
    for line in body.splitlines():
        if head := _HEAD.fullmatch(line):
            rule, kind = head.groups()
        elif line.startswith("- "):
            yield Example(line[2:], LAWFUL, kind)
        elif line and not line.startswith("#"):
            yield Example(line, rule, kind)


def labelled() -> tuple[tuple[str, str], ...]:
    """All of them with their rules: the written ones, and the `hits` and `near_misses` beside each rule.
    Of a lawful text every sentence is lawful."""

    def every() -> Iterator[tuple[str, str]]:
        for rule in rulebook().rules:
            if rule.detector in ("wording", "absent") and not rule.personal:
                yield from ((hit.replace("[[", "").replace("]]", ""), rule.id) for hit in rule.hits)
                yield from ((text, LAWFUL) for text in rule.near_misses)
        yield from ((each.text, each.rule) for each in written_examples())

    given = dict.fromkeys(every())
    alone = {(text[start:end], LAWFUL): None for text, rule in given if not rule for start, end in sentence_spans(text)}
    return tuple(given | alone)


def digest() -> str:
    """Says whether weights were learnt from the examples as they are."""
    return sha256("\n".join(f"{rule}\t{text}" for text, rule in labelled()).encode()).hexdigest()
