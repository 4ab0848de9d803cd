"""What an ocr run accepts, and the same as a value with every default filled in."""

from dataclasses import dataclass

from packs.base import InputError, JsonObject, UrlCheck
from packs.fetch.url import MAX_URL_CHARS
from packs.ocr.bounds import MAX_FILE_BYTES, MAX_FILES, MAX_PAGES, MIB
from packs.ocr.profiles import DEFAULT, PROFILES, OcrProfile
from packs.schema_patterns import UUID_TEXT

LANGUAGES = ("kor+eng", "kor", "eng")

_NAME: JsonObject = {
    "type": "string",
    "minLength": 1,
    "maxLength": 200,
    "description": "How the file is called in the result; absent, its place in the inputs (`images/0`).",
}
_URL: JsonObject = {"type": "string", "format": "uri", "minLength": 1, "maxLength": MAX_URL_CHARS}


_BASE64: JsonObject = {
    "type": "string",
    "minLength": 1,
    "maxLength": MAX_FILE_BYTES * 4 // 3 + 4,
    "description": "The file's bytes in standard base64.",
}
_KEY: JsonObject = {
    "type": "string",
    "minLength": 1,
    "maxLength": 1_024,
    "description": "Key of an object under your own prefix `dpp/{tenant_id}/`.",
}
_BUCKET: JsonObject = {"type": "string", "maxLength": 255, "description": "The platform's bucket; no other is read."}
_UPLOAD_ID: JsonObject = {
    "type": "string",
    "pattern": UUID_TEXT,
    "description": "Of POST /v1/uploads, once the file was put there.",
}


def _file(field: str, **properties: JsonObject) -> JsonObject:
    return {
        "type": "object",
        "additionalProperties": False,
        "required": [field],
        "properties": {**properties, "name": _NAME},
    }


def _of_kind(kind: str, field: str, **properties: JsonObject) -> JsonObject:
    shape = _file(field, kind={"const": kind}, **properties)
    return {"if": {"properties": {"kind": {"const": kind}}, "required": ["kind"]}, "then": shape}


_FILE: JsonObject = {
    "type": "object",
    "properties": {"kind": {"enum": ["base64", "url", "s3", "upload"]}},
    # One branch for each kind, so that an error names the field that is missing and not all ways to be wrong. Without
    # a kind, the field says it.
    "allOf": [
        _of_kind("base64", "data", data=_BASE64),
        _of_kind("url", "url", url={**_URL, "description": "A public https address of the file."}),
        _of_kind("s3", "key", key=_KEY, bucket=_BUCKET),
        _of_kind("upload", "upload_id", upload_id=_UPLOAD_ID),
        {
            "if": {"required": ["kind"]},
            "else": {
                "if": {"required": ["base64"]},
                "then": _file("base64", base64=_BASE64),
                "else": _file("url", url=_URL),
            },
        },
    ],
}
_FILE_OR_ADDRESS: JsonObject = {"if": {"type": "string"}, "then": _URL, "else": _FILE}

INPUT_SCHEMA: JsonObject = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "ocr inputs",
    "description": (
        "Reads Korean and English text from pictures (PNG, JPEG, WEBP, TIFF), PDF and HTML files. Nothing is "
        "omitted and nothing guessed: an unreadable place is written [□], a doubtful word with (?) or as A/B. "
        "A PDF page that carries real text is read as text. Each file ends with its pages or with a reason."
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
            "items": _FILE_OR_ADDRESS,
            "description": "More files, of any accepted type, read last. A plain string is an address.",
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
    bucket: str | None = None
    """Of `s3`, where the caller names it."""


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
    return [InputError(_url_pointer(inputs, given), refusal) for given, refusal in refusals if refusal is not None]


def _url_pointer(inputs: JsonObject, given: Given) -> str:
    place, _, number = given.pointer.partition("/")
    is_plain = not number or isinstance(inputs[place][int(number)], str)
    return f"/inputs/{given.pointer}" if is_plain else f"/inputs/{given.pointer}/url"


def _given(inputs: JsonObject) -> list[Given]:
    def listed(name: str) -> list[Given]:
        return [_one(f"{name}/{number}", item) for number, item in enumerate(inputs.get(name, []))]

    pdf = [Given("pdf_url", "url", inputs["pdf_url"], None)] if "pdf_url" in inputs else []
    return [*listed("images"), *pdf, *listed("input_files")]


def _one(pointer: str, item: JsonObject | str) -> Given:
    """In whichever of the accepted shapes it came."""
    if isinstance(item, str):
        return Given(pointer, "url", item, None)
    fields = {"base64": "data", "url": "url", "s3": "key", "upload": "upload_id"}
    if "kind" in item:
        return Given(pointer, item["kind"], item[fields[item["kind"]]], item.get("name"), item.get("bucket"))
    kind = "base64" if "base64" in item else "url"
    return Given(pointer, kind, item[kind], item.get("name"))
