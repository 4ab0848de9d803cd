"""The rules: read once from the reviewed data files beside this module, and refused at start when malformed.

A rule says what it looks for (a named detector with parameters), on which legal basis, how grave it is, and what to
write instead. Its examples sit in the same entry, so that whoever reviews a pattern sees what it must and must not hit.
"""

import functools
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from importlib.resources import files
from typing import Any

KINDS = ("ad", "policy", "ai_output", "general")
SEVERITIES = ("critical", "high", "medium", "low")
AREAS = ("ai", "personal_data", "advertising", "copyright", "terms")
MAX_REPEAT = 120

_UNBOUNDED = re.compile(r"[*+]|\{[0-9]*,\}")
_REPEAT = re.compile(r"\{(?:[0-9]*,)?([0-9]+)\}")
_IGNORED_BY_BOUNDS = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]")
_ARTICLE = re.compile(r"([0-9]+)(?:-([0-9]+))?(?:\(([0-9]+)\)([0-9]+)?)?")


class MalformedRule(ValueError):
    """A rule file says something the detectors cannot honour."""


@dataclass(frozen=True)
class Both:
    """A text in Korean and in English."""

    ko: str
    en: str

    def as_json(self) -> dict[str, str]:
        return {"en": self.en, "ko": self.ko}


@dataclass(frozen=True)
class Rule:
    id: str
    area: str
    title: Both
    basis: Both
    severity: str
    kinds: tuple[str, ...]
    detector: str
    parameters: Mapping[str, Any]
    redline: Both
    mitigation: Both
    hits: tuple[str, ...]
    near_misses: tuple[str, ...]

    @property
    def personal(self) -> bool:
        """What it finds is masked wherever it is quoted, whatever else the text is checked for."""
        return self.area == "personal_data"

    def patterns(self, name: str) -> tuple[re.Pattern[str], ...]:
        found: tuple[re.Pattern[str], ...] = self.parameters.get(name, ())
        return found

    def number(self, name: str, default: int) -> int:
        return int(self.parameters.get(name, default))


_PATTERN_PARAMETERS = ("any", "context", "only_if_anywhere", "source", "unless_anywhere", "unless_near")


def bounded(pattern: str) -> str:
    """The pattern, if its every repetition has a small upper bound: the price is linear time on hostile text."""
    bare = _IGNORED_BY_BOUNDS.sub("", pattern)
    if _UNBOUNDED.search(bare):
        raise MalformedRule(f"unbounded repetition in {pattern!r}")
    if any(int(limit) > MAX_REPEAT for limit in _REPEAT.findall(bare)):
        raise MalformedRule(f"repetition above {MAX_REPEAT} in {pattern!r}")
    return pattern


def cite(statutes: Mapping[str, Both], reference: str) -> Both:
    """`pipa 24-2` or `fair_labeling 3(1)1` as it is cited in Korean and in English."""
    name, _, article = reference.partition(" ")
    if name not in statutes:
        raise MalformedRule(f"unknown statute in {reference!r}")
    statute = statutes[name]
    if not article:
        return statute
    parts = _ARTICLE.fullmatch(article)
    if parts is None:
        raise MalformedRule(f"unreadable article in {reference!r}")
    number, branch, paragraph, item = parts.groups()
    ko = f"제{number}조" + (f"의{branch}" if branch else "")
    ko += (f"제{paragraph}항" if paragraph else "") + (f"제{item}호" if item else "")
    return Both(ko=f"{statute.ko} {ko}", en=f"{statute.en}, Art. {article}")


def _both(entry: Mapping[str, Any], name: str) -> Both:
    value = entry[name]
    if set(value) != {"ko", "en"} or not all(isinstance(text, str) and text.strip() for text in value.values()):
        raise MalformedRule(f"{entry.get('id')}: {name} needs ko and en")
    return Both(ko=value["ko"], en=value["en"])


def _parameters(entry: Mapping[str, Any]) -> dict[str, Any]:
    parameters = dict(entry.get("parameters", {}))
    for name in _PATTERN_PARAMETERS:
        if name in parameters:
            parameters[name] = tuple(re.compile(bounded(pattern)) for pattern in parameters[name])
    return parameters


def parse_rule(area: str, entry: Mapping[str, Any], statutes: Mapping[str, Both]) -> Rule:
    citations = [cite(statutes, reference) for reference in entry["basis"]]
    rule = Rule(
        id=entry["id"],
        area=area,
        title=_both(entry, "title"),
        basis=Both(ko="; ".join(each.ko for each in citations), en="; ".join(each.en for each in citations)),
        severity=entry["severity"],
        kinds=tuple(entry["kinds"]),
        detector=entry["detector"],
        parameters=_parameters(entry),
        redline=_both(entry, "redline"),
        mitigation=_both(entry, "mitigation"),
        hits=tuple(entry["hits"]),
        near_misses=tuple(entry["near_misses"]),
    )
    if rule.severity not in SEVERITIES or not rule.kinds or not set(rule.kinds) <= set(KINDS) or not citations:
        raise MalformedRule(f"{rule.id}: severity, kinds or basis")
    return rule


@dataclass(frozen=True)
class Rulebook:
    rules: tuple[Rule, ...]
    sha256: str


@functools.cache
def rulebook() -> Rulebook:
    """Read at its first use: compiling it takes half a second, which most processes need not spend."""
    folder = files(__package__) / "rulebook"
    bodies = {name: (folder / f"{name}.toml").read_bytes() for name in ("statutes", *AREAS)}
    statutes = {
        name: Both(ko=entry["ko"], en=entry["en"]) for name, entry in tomllib.loads(bodies["statutes"].decode()).items()
    }
    rules = [
        parse_rule(area, entry, statutes) for area in AREAS for entry in tomllib.loads(bodies[area].decode())["rule"]
    ]
    ids = [rule.id for rule in rules]
    if len(ids) != len(set(ids)):
        raise MalformedRule("two rules share an id")
    digest = sha256(b"\0".join(bodies[name] for name in sorted(bodies))).hexdigest()
    return Rulebook(tuple(rules), digest)
