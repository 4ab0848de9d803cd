"""What an ocr run accepts, and the same as a value with every default filled in."""

from dataclasses import dataclass

from packs.base import InputError, JsonObject, UrlCheck
from packs.fetch.url import MAX_URL_CHARS
from packs.ocr.bounds import MAX_FILE_BYTES, MAX_FILES, MAX_PAGES, MIB
from packs.ocr.profiles import DEFAULT, PROFILES, OcrProfile

LANGUAGES = ("kor+eng", "kor", "eng")

_NAME: JsonObject = {
    "type": "string",
    "minLength": 1,
    "maxLength": 200,
    "description": "How the file is called in the result; absent, its place in the inputs (`images/0`).",
}
_URL: JsonObject = {"type": "string", "format": "uri", "minLength": 1, "maxLength": MAX_URL_CHARS}


def _file(kind: str, field: str, value: JsonObject) -> JsonObject:
    return {
        "type": "object",
        "additionalProperties": False,
        "required": ["kind", field],
        "properties": {"kind": {"const": kind}, field: value, "name": _NAME},
    }


_FILE: JsonObject = {
    "type": "object",
    "required": ["kind"],
    "properties": {"kind": {"enum": ["base64", "url", "s3"]}},
    # One branch for each kind, so that an error names the field that is missing and not all three ways to be wrong.
    "allOf": [
        {"if": {"properties": {"kind": {"const": kind}}, "required": ["kind"]}, "then": _file(kind, field, value)}
        for kind, field, value in (
            (
                "base64",
                "data",
                {
                    "type": "string",
                    "minLength": 1,
                    "maxLength": MAX_FILE_BYTES * 4 // 3 + 4,
                    "description": "The file's bytes in standard base64.",
                },
            ),
            ("url", "url", {**_URL, "description": "A public https address of the file."}),
            (
                "s3",
                "key",
                {
                    "type": "string",
                    "minLength": 1,
                    "maxLength": 1_024,
                    "description": "Key of an object under your own prefix `dpp/{tenant_id}/`.",
                },
            ),
        )
    ],
}

INPUT_SCHEMA: JsonObject = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "ocr inputs",
    "description": (
        "Reads Korean and English text from pictures (PNG, JPEG, WEBP, TIFF) and PDF. Nothing is omitted and nothing "
        "guessed: an unreadable place is written [□], a doubtful word with (?) or as A/B. A PDF page that carries "
        "real text is read as text. Each file ends with its pages or with a reason."
    ),
    "type": "object",
    "additionalProperties": False,
    "anyOf": [{"required": ["images"]}, {"required": ["pdf_url"]}, {"required": ["input_files"]}],
    "properties": {
        "images": {
            "type": "array",
            "minItems": 1,
            "maxItems": MAX_FILES,
            "items": _FILE,
            "description": f"Files to read, at most {MAX_FILE_BYTES // MIB} MiB each. Their type is seen by content.",
        },
        "pdf_url": {**_URL, "description": "A public https address of a PDF, read after `images`."},
        "input_files": {
            "type": "array",
            "minItems": 1,
            "maxItems": MAX_FILES,
            "items": _FILE,
            "description": "More files, of any accepted type, read last.",
        },
        "ocr_profile": {
            "type": "string",
            "enum": list(PROFILES),
            "default": DEFAULT,
            "description": " ".join(f"{profile.name}: {profile.purpose}." for profile in PROFILES.values()),
        },
        "language": {
            "type": "string",
            "enum": list(LANGUAGES),
            "default": LANGUAGES[0],
            "description": "The languages on the pages.",
        },
        "max_pages": {
            "type": "integer",
            "minimum": 1,
            "maximum": MAX_PAGES,
            "default": MAX_PAGES,
            "description": "At most so many pages are read in all; the others are listed.",
        },
    },
    "examples": [
        {"images": [{"kind": "url", "url": "https://www.example.com/notice.png"}], "ocr_profile": "P2A"},
        {"pdf_url": "https://www.example.com/terms.pdf", "ocr_profile": "P3", "max_pages": 10},
    ],
}


@dataclass(frozen=True)
class Given:
    """One file of the inputs."""

    pointer: str
    """`images/0`, `pdf_url`, `input_files/2`."""
    kind: str
    value: str
    name: str | None


@dataclass(frozen=True)
class OcrInputs:
    given: tuple[Given, ...]
    profile: OcrProfile
    languages: str
    max_pages: int


def read_inputs(inputs: JsonObject) -> OcrInputs:
    """The inputs have passed the schema."""
    return OcrInputs(
        given=tuple(_given(inputs)),
        profile=PROFILES[profile_name(inputs)],
        languages=inputs.get("language", LANGUAGES[0]),
        max_pages=inputs.get("max_pages", MAX_PAGES),
    )


def profile_name(inputs: JsonObject) -> str:
    """Also for the switch that turns the expensive profile off."""
    return str(inputs.get("ocr_profile", DEFAULT))


def refuse(inputs: JsonObject, refusal_of: UrlCheck) -> list[InputError]:
    """URLs whose very text is forbidden, at submit."""
    refusals = [(given, refusal_of(given.value)) for given in _given(inputs) if given.kind == "url"]
    return [
        InputError(f"/inputs/{given.pointer}" + ("" if given.pointer == "pdf_url" else "/url"), refusal)
        for given, refusal in refusals
        if refusal is not None
    ]


def _given(inputs: JsonObject) -> list[Given]:
    fields = {"base64": "data", "url": "url", "s3": "key"}

    def listed(name: str) -> list[Given]:
        return [
            Given(f"{name}/{number}", item["kind"], item[fields[item["kind"]]], item.get("name"))
            for number, item in enumerate(inputs.get(name, []))
        ]

    pdf = [Given("pdf_url", "url", inputs["pdf_url"], None)] if "pdf_url" in inputs else []
    return [*listed("images"), *pdf, *listed("input_files")]
