"""What a url run accepts, and the same as a value with every default filled in."""

from dataclasses import dataclass
from enum import StrEnum

from dpp_project.profile import PROFILE
from packs.base import JsonObject
from packs.cache import CACHE
from packs.fetch.url import MAX_URL_CHARS
from packs.schema_patterns import HOST_NAME
from packs.url.relevance import MIN_SCORE
from packs.url.tiers import TIERS


class PageFiles(StrEnum):
    """How much of each kept page is left as a Markdown file."""

    NONE = "none"
    EXCERPT = "excerpt"
    FULL = "full"


_OPTIONAL_TIERS = [tier.name for tier in TIERS if not tier.kept]

# Not `const`: generators of clients stumble over an optional constant that is no text.
_ONLY_TRUE: JsonObject = {
    "type": "boolean",
    "not": {"const": False},
    "default": True,
    "description": "Accepted only as true: a caller cannot switch the defence off.",
}

_HOSTS: JsonObject = {
    "type": "array",
    "maxItems": 100,
    "uniqueItems": True,
    "items": {"type": "string", "maxLength": 253, "pattern": HOST_NAME},
}

INPUT_SCHEMA: JsonObject = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "url inputs",
    "description": (
        "Reads public https pages (HTML, plain text, PDF text) and keeps those that pass three gates: access, "
        "quality of the source, relevance to the question. Every URL ends either in `keep` or in `discard` "
        "with a reason."
    ),
    "type": "object",
    "additionalProperties": False,
    "required": ["urls"],
    "properties": {
        "urls": {
            "type": "array",
            "minItems": 1,
            "maxItems": PROFILE.max_urls_per_run,
            "items": {"type": "string", "format": "uri", "minLength": 1, "maxLength": MAX_URL_CHARS},
            "description": "Absolute https URLs. The same page given twice is fetched and charged once.",
        },
        "decision_question": {
            "type": "string",
            "minLength": 1,
            "maxLength": 4_000,
            "pattern": r"\S",
            "description": "What the pages should help to decide. Without it nothing is irrelevant.",
        },
        "max_urls": {
            "type": "integer",
            "minimum": 1,
            "maximum": PROFILE.max_urls_per_run,
            "default": PROFILE.max_urls_per_run,
            "description": "At most so many of the URLs are fetched, the first ones.",
        },
        "fetch_timeout_sec": {
            "type": "integer",
            "minimum": 1,
            "maximum": PROFILE.fetch_timeout_sec,
            "default": PROFILE.fetch_timeout_sec,
            "description": "Time for one URL from the name lookup to the last byte, redirects included.",
        },
        "max_redirect_hops": {
            "type": "integer",
            "minimum": 0,
            "maximum": PROFILE.fetch_redirect_max_hops,
            "default": PROFILE.fetch_redirect_max_hops,
            "description": "How many redirects are followed for one URL.",
        },
        "max_age_sec": {
            "type": "integer",
            "minimum": 0,
            "maximum": CACHE.document_kept_sec,
            "description": (
                "How old a copy of a page may be to be used instead of a new download. Without it: 15 minutes, or as "
                "long as the platform keeps a document of its own list."
            ),
        },
        "refresh": {
            "type": "boolean",
            "default": False,
            "description": "True asks every site anew, whatever copies there are; the same as max_age_sec 0.",
        },
        "page_files": {
            "type": "string",
            "enum": list(PageFiles),
            "default": PageFiles.NONE,
            "description": (
                "One Markdown file for each kept page: none, its first 1,000 characters, or all that was read. Ask for "
                "`full` only where you may copy the text."
            ),
        },
        "block_private_ip": _ONLY_TRUE,
        "allow_https_only": _ONLY_TRUE,
        "gates": {
            "type": "object",
            "additionalProperties": False,
            "default": {},
            "properties": {
                "access": _ONLY_TRUE,
                "quality": {
                    "anyOf": [
                        {"type": "boolean"},
                        {
                            "type": "object",
                            "additionalProperties": False,
                            "properties": {
                                "include_tiers": {
                                    "type": "array",
                                    "uniqueItems": True,
                                    "items": {"enum": _OPTIONAL_TIERS},
                                    "description": "Kinds of source that are discarded unless named here.",
                                },
                                "allow_hosts": {
                                    **_HOSTS,
                                    "description": "Your own sources, subdomains included: kept whatever their tier.",
                                },
                                "deny_hosts": {
                                    **_HOSTS,
                                    "description": "Hosts, subdomains included, that are discarded in any case.",
                                },
                                "fresh_since": {
                                    "type": "integer",
                                    "minimum": 1_900,
                                    "maximum": 2_100,
                                    "default": PROFILE.fresh_since_year,
                                    "description": "Pages dated before this year are stale. Undated ones stay.",
                                },
                            },
                        },
                    ],
                    "default": True,
                    "description": "Source tier and freshness; false keeps every source of any age.",
                },
                "relevance": {
                    "anyOf": [
                        {"type": "boolean"},
                        {
                            "type": "object",
                            "additionalProperties": False,
                            "properties": {
                                "min_score": {
                                    "type": "number",
                                    "minimum": 0,
                                    "maximum": 1,
                                    "default": MIN_SCORE,
                                    "description": "How far the page must speak of the question's terms.",
                                },
                                "unknown": {
                                    "enum": ["keep", "discard"],
                                    "default": "discard",
                                    "description": (
                                        "A page whose script shares too little with a specific question to be judged."
                                    ),
                                },
                            },
                        },
                    ],
                    "default": True,
                    "description": "Measured against decision_question; duplicates are removed in any case.",
                },
            },
        },
    },
    "examples": [
        {
            "urls": ["https://www.law.go.kr/", "https://www.korea.kr/"],
            "decision_question": "전기차 보조금 기준은 어떻게 바뀌었나요?",
            "gates": {"quality": {"fresh_since": 2024}},
        }
    ],
}


@dataclass(frozen=True)
class UrlInputs:
    urls: tuple[str, ...]
    question: str
    max_urls: int
    fetch_timeout_sec: float
    max_hops: int
    check_quality: bool
    include_tiers: frozenset[str]
    allow_hosts: frozenset[str]
    deny_hosts: frozenset[str]
    fresh_since: int
    check_relevance: bool
    min_relevance: float
    keep_unknown: bool
    page_files: PageFiles
    max_age_sec: int | None
    """None leaves it to the platform."""


def read_inputs(inputs: JsonObject) -> UrlInputs:
    """Of inputs that fit the schema; the decision pack calls with `urls` and a question alone."""
    gates = inputs.get("gates", {})
    quality, relevance = gates.get("quality", True), gates.get("relevance", True)
    quality_options = quality if isinstance(quality, dict) else {}
    relevance_options = relevance if isinstance(relevance, dict) else {}
    return UrlInputs(
        urls=tuple(inputs["urls"]),
        question=inputs.get("decision_question", ""),
        max_urls=inputs.get("max_urls", PROFILE.max_urls_per_run),
        fetch_timeout_sec=inputs.get("fetch_timeout_sec", PROFILE.fetch_timeout_sec),
        max_hops=inputs.get("max_redirect_hops", PROFILE.fetch_redirect_max_hops),
        check_quality=quality is not False,
        include_tiers=frozenset(quality_options.get("include_tiers", ())),
        allow_hosts=frozenset(quality_options.get("allow_hosts", ())),
        deny_hosts=frozenset(quality_options.get("deny_hosts", ())),
        fresh_since=quality_options.get("fresh_since", PROFILE.fresh_since_year),
        check_relevance=relevance is not False,
        min_relevance=relevance_options.get("min_score", MIN_SCORE),
        keep_unknown=relevance_options.get("unknown") == "keep",
        page_files=PageFiles(inputs.get("page_files", PageFiles.NONE)),
        max_age_sec=0 if inputs.get("refresh") else inputs.get("max_age_sec"),
    )
