"""The rules: read once from the reviewed data files beside this module, and refused at start when malformed.

A rule says what it looks for (a named detector with parameters), on which legal basis, how grave it is, and what to
write instead. Its examples sit in the same entry, so that whoever reviews a pattern sees what it must and must not hit.
"""

import functools
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from hashlib import sha256
from importlib.resources import files
from typing import Any

from packs.compliance.frames import ENGLISH, KOREAN, Frame, FrameIndex, Words, parse_frame

KINDS = ("ad", "policy", "ai_output", "general")
SEVERITIES = ("critical", "high", "medium", "low")
AREAS = (
    "ai",
    "personal_data",
    "data_handling",
    "advertising",
    "health",
    "finance",
    "commerce",
    "hiring",
    "copyright",
    "terms",
)
PRODUCTS = ("food", "cosmetic", "device", "medical", "finance", "virtual_asset", "general")
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
class Variant:
    basis: Both
    redline: Both | None


@dataclass(frozen=True)
class Rewrite:
    """Words to publish instead: in the middle of a sentence, and (Korean) at its end."""

    ko: str
    ko_end: str
    en: str


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
    effective_from: date
    """Since when the law asks for it."""
    checked_on: date
    """When the entry was last compared with the law."""
    products: tuple[str, ...]
    """Where the rule applies; all of them for most rules."""
    by_product: Mapping[str, "Variant"]
    """Other law, and other advice, for a product that has its own act."""
    rewrite: "Rewrite"
    notices: tuple[str, ...]
    """Codes of what has to be published when the rule is met."""
    hits: tuple[str, ...]
    near_misses: tuple[str, ...]

    def basis_for(self, product: str) -> Both:
        variant = self.by_product.get(product)
        return variant.basis if variant is not None else self.basis

    def redline_for(self, product: str) -> Both:
        variant = self.by_product.get(product)
        return variant.redline if variant is not None and variant.redline is not None else self.redline

    @functools.cached_property
    def personal(self) -> bool:
        """What it finds is masked wherever it is quoted, whatever else the text is checked for."""
        return self.area == "personal_data"

    @functools.cached_property
    def claim_frames(self) -> frozenset[Frame]:
        """All frames that make a place of it."""
        return frozenset(frame for name in CLAIM_PARAMETERS for frame in self.frames(name))

    def frames(self, name: str) -> tuple[Frame, ...]:
        found: tuple[Frame, ...] = self.parameters.get(name, ())
        return found

    def patterns(self, name: str) -> tuple[re.Pattern[str], ...]:
        found: tuple[re.Pattern[str], ...] = self.parameters.get(name, ())
        return found

    def number(self, name: str, default: int) -> int:
        return int(self.parameters.get(name, default))


_PATTERN_PARAMETERS = ("any", "context", "only_if_anywhere", "source", "unless_anywhere", "unless_near")
CLAIM_PARAMETERS = ("claims_ko", "claims_en", "said_ko", "said_en")
FRAME_PARAMETERS = {
    "claims_ko": KOREAN,
    "claims_en": ENGLISH,
    "said_ko": KOREAN,
    "said_en": ENGLISH,
    "topic_ko": KOREAN,
    "topic_en": ENGLISH,
}
"""Claims are met only where the text asserts them; what is `said` counts as it stands; a `topic` calls for a notice."""
_UNSURE = {"ko": " (조문 확인 필요)", "en": " (article to be confirmed)"}


def bounded(pattern: str) -> str:
    """The pattern, if its every repetition has a small upper bound: the price is linear time on hostile text."""
    bare = _IGNORED_BY_BOUNDS.sub("", pattern)
    if _UNBOUNDED.search(bare):
        raise MalformedRule(f"unbounded repetition in {pattern!r}")
    if any(int(limit) > MAX_REPEAT for limit in _REPEAT.findall(bare)):
        raise MalformedRule(f"repetition above {MAX_REPEAT} in {pattern!r}")
    return pattern


def cite(statutes: Mapping[str, Both], reference: str) -> Both:
    """`pipa 24-2` or `fair_labeling 3(1)1` as it is cited in Korean and in English; `?` for an unconfirmed article."""
    name, _, article = reference.partition(" ")
    if name not in statutes:
        raise MalformedRule(f"unknown statute in {reference!r}")
    statute = statutes[name]
    if not article:
        return statute
    if article == "?":
        return Both(ko=statute.ko + _UNSURE["ko"], en=statute.en + _UNSURE["en"])
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


def _parameters(entry: Mapping[str, Any], words: Words) -> dict[str, Any]:
    parameters = dict(entry.get("parameters", {}))
    for name in _PATTERN_PARAMETERS:
        if name in parameters:
            parameters[name] = tuple(re.compile(bounded(pattern)) for pattern in parameters[name])
    for name, language in FRAME_PARAMETERS.items():
        if name in parameters:
            parameters[name] = tuple(parse_frame(text, language, words) for text in parameters[name])
    return parameters


def _cited(statutes: Mapping[str, Both], references: list[str]) -> Both:
    citations = [cite(statutes, reference) for reference in references]
    return Both(ko="; ".join(each.ko for each in citations), en="; ".join(each.en for each in citations))


def _variant(entry: Mapping[str, Any], statutes: Mapping[str, Both]) -> Variant:
    return Variant(_cited(statutes, entry["basis"]), _both(entry, "redline") if "redline" in entry else None)


def parse_rule(area: str, entry: Mapping[str, Any], statutes: Mapping[str, Both], words: Words) -> Rule:
    rewrite = entry["rewrite"]
    rule = Rule(
        id=entry["id"],
        area=area,
        title=_both(entry, "title"),
        basis=_cited(statutes, entry["basis"]),
        severity=entry["severity"],
        kinds=tuple(entry["kinds"]),
        detector=entry["detector"],
        parameters=_parameters(entry, words),
        redline=_both(entry, "redline"),
        mitigation=_both(entry, "mitigation"),
        effective_from=entry["effective_from"],
        checked_on=entry["checked_on"],
        products=tuple(entry.get("products", PRODUCTS)),
        by_product={name: _variant(given, statutes) for name, given in entry.get("by_product", {}).items()},
        rewrite=Rewrite(ko=rewrite["ko"], ko_end=rewrite.get("ko_end", rewrite["ko"]), en=rewrite["en"]),
        notices=tuple(entry.get("notices", ())),
        hits=tuple(entry["hits"]),
        near_misses=tuple(entry["near_misses"]),
    )
    if rule.severity not in SEVERITIES or not rule.kinds or not set(rule.kinds) <= set(KINDS) or not entry["basis"]:
        raise MalformedRule(f"{rule.id}: severity, kinds or basis")
    if not set(rule.products) | set(rule.by_product) <= set(PRODUCTS):
        raise MalformedRule(f"{rule.id}: unknown product")
    return rule


@dataclass(frozen=True)
class Notice:
    """Text to publish, in both languages, with its legal basis and the place where it belongs."""

    code: str
    text: Both
    basis: Both
    where: Both
    said: tuple[re.Pattern[str], ...]
    """A text that says this has published the notice already."""


@dataclass(frozen=True)
class Rulebook:
    rules: tuple[Rule, ...]
    notices: Mapping[str, Notice]
    words: Words
    sha256: str
    statutes: Mapping[str, Both]

    @functools.cached_property
    def frames(self) -> FrameIndex:
        return FrameIndex(frame for rule in self.rules for name in FRAME_PARAMETERS for frame in rule.frames(name))


def _notice(code: str, entry: Mapping[str, Any], statutes: Mapping[str, Both]) -> Notice:
    said = tuple(re.compile(bounded(pattern)) for pattern in entry["said"])
    return Notice(
        code, Both(ko=entry["ko"], en=entry["en"]), _cited(statutes, entry["basis"]), _both(entry, "where"), said
    )


@functools.cache
def rulebook() -> Rulebook:
    """Read at its first use: compiling it takes half a second, which most processes need not spend."""
    folder = files(__package__) / "rulebook"
    bodies = {name: (folder / f"{name}.toml").read_bytes() for name in ("statutes", "words", "notices", *AREAS)}
    parsed = {name: tomllib.loads(body.decode()) for name, body in bodies.items()}
    statutes = {name: Both(ko=entry["ko"], en=entry["en"]) for name, entry in parsed["statutes"].items()}
    words: Words = parsed["words"]
    rules = [parse_rule(area, entry, statutes, words) for area in AREAS for entry in parsed[area]["rule"]]
    notices = {code: _notice(code, entry, statutes) for code, entry in parsed["notices"].items()}
    ids = [rule.id for rule in rules]
    if len(ids) != len(set(ids)):
        raise MalformedRule("two rules share an id")
    for rule in rules:
        if strangers := set(rule.parameters.get("yields_to", ())) - set(ids):
            raise MalformedRule(f"{rule.id} yields to unknown rules {sorted(strangers)}")
        if unknown := set(rule.notices) - set(notices):
            raise MalformedRule(f"{rule.id}: unknown notice {sorted(unknown)}")
    digest = sha256(b"\0".join(bodies[name] for name in sorted(bodies))).hexdigest()
    return Rulebook(tuple(rules), notices, words, digest, statutes)
