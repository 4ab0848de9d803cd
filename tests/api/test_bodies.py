"""How much a body may hold, and that a hostile one costs little."""

import base64
import json
import time
from typing import Any

import pytest

from dpp_project.profile import PROFILE
from packs.base import MAX_BODY_BYTES
from packs.registry import PACKS
from runs.api import strict_json
from runs.models import Run, RunPayload
from storage import store
from tests.api.caller import Caller, problem
from tests.builders import fresh_key, json_body

_FILE = base64.b64encode(bytes(3 * 2**20)).decode()


def _ocr(images: list[Any], **more: Any) -> str:
    return json_body(pack_type="ocr", inputs={"images": images, **more})


def _image(data: str) -> dict[str, str]:
    return {"kind": "base64", "data": data, "name": "안내문 😀.png"}


def test_a_large_file_arrives_as_it_was_sent(acme_api: Caller) -> None:
    for ascii_only in (True, False):
        asked = json.loads(_ocr([_image(_FILE), _image("QUJD"), _image(_FILE[4:])]))
        answer = acme_api.submit(json.dumps(asked, ensure_ascii=ascii_only), key=fresh_key())
        assert answer.status_code == 202, answer.content
        payload = RunPayload.objects.get(pk=json.loads(answer.content)["run_id"])
        stored = json.loads(store.read(payload.object_key or "", sha256=payload.sha256))
        assert stored["inputs"] == asked["inputs"]


def test_other_packs_take_a_megabyte_and_the_answer_says_so(acme_api: Caller) -> None:
    for body in (
        json_body(inputs={"question": "x" * MAX_BODY_BYTES}),
        json_body(pack_type="compliance", inputs={"text": _FILE}),
        json_body(pack_type="url", inputs={"urls": [_FILE]}),
    ):
        refused = problem(acme_api.submit(body), 413, "PAYLOAD_TOO_LARGE")
        assert str(MAX_BODY_BYTES) in refused["detail"]
    assert not Run.objects.exists()


def test_what_is_not_base64_has_a_megabyte_in_ocr_too(acme_api: Caller) -> None:
    for text in ("x y" * 2**19, "😀" * 2**19, "A" * 2**20 + "😀"):
        refused = problem(acme_api.submit(_ocr([_image(text)])), 413, "PAYLOAD_TOO_LARGE")
        assert str(MAX_BODY_BYTES) in refused["detail"]


def test_sixteen_megabytes_are_the_most_and_the_answer_says_so(acme_api: Caller) -> None:
    refused = problem(acme_api.submit(_ocr([_image("A" * PROFILE.max_request_bytes)])), 413, "PAYLOAD_TOO_LARGE")
    assert str(PROFILE.max_request_bytes) in refused["detail"]


def test_base64_that_is_a_name_or_a_part_of_a_text_is_refused(acme_api: Caller, subtests: pytest.Subtests) -> None:
    bodies = {
        "a name": json_body(pack_type="ocr", inputs={_FILE: 1}),
        "in a text, after an escaped quote": _ocr([_image("x").copy() | {"name": 'a"' + _FILE}]),
        "outside of any text": _ocr([]).replace("[]", f'"a"{_FILE}"b"'),
    }
    for name, body in bodies.items():
        with subtests.test(name):
            problem(acme_api.submit(body), 400, "INVALID_PARAMS")


def test_values_are_bounded_and_commas_in_a_text_are_none(acme_api: Caller) -> None:
    many = json_body(inputs={"question": "?", "context": {"a": [1] * PACKS["decision"].max_values}})
    refused = problem(acme_api.submit(many), 400, "INVALID_PARAMS")
    assert str(PACKS["decision"].max_values) in json.dumps(refused)

    text = json_body(pack_type="compliance", inputs={"text": ',[{ "a" \\ ' * 15_000})
    assert acme_api.submit(text).status_code == 202


@pytest.mark.parametrize("filling", [b"[", b"1,", b'"",', b'{"a":', b'""', b'"' + b"A" * 4096 + b'",', b'\\"', b"[],"])
def test_a_hostile_body_is_refused_at_once(filling: bytes) -> None:
    for size in (MAX_BODY_BYTES, PROFILE.max_request_bytes):
        body = (b'{"pack_type":"ocr","inputs":' + filling * (size // len(filling)))[:size]
        began = time.process_time()
        with pytest.raises((strict_json.NotAcceptable, strict_json.TooLong)):
            strict_json.parse(body)
        assert time.process_time() - began < 2, "half a second on a quick machine (bench/hostile.py)"


def test_two_keys_are_none(acme_api: Caller) -> None:
    refused = problem(acme_api.submit(key="first-key,other-key"), 400, "INVALID_PARAMS")
    assert "once" in refused["detail"]
    problem(acme_api.submit(key="order-4711-a,b"), 400, "INVALID_PARAMS")
