"""Tags: the caller's own words for a run, kept with it, shown, searched for; no part of what the request means."""

import json
from typing import Any

import pytest

from runs.models import Run
from tests.api.caller import Caller, problem
from tests.builders import fresh_key, json_body

TAGS = {"project": "apollo", "step": "2: 견적 검토", "empty": ""}


def _submit(caller: Caller, tags: Any, **headers: str) -> Any:
    return json.loads(caller.submit(json_body(tags=tags), **headers).content)


def test_tags_stand_in_the_receipt_the_run_and_the_list(acme_api: Caller) -> None:
    receipt = _submit(acme_api, TAGS)
    assert receipt["tags"] == TAGS
    assert acme_api.get(f"/v1/runs/{receipt['run_id']}").json()["tags"] == TAGS  # type: ignore[attr-defined]
    assert acme_api.get("/v1/runs").json()["runs"][0]["tags"] == TAGS  # type: ignore[attr-defined]


@pytest.mark.parametrize("body", [json_body(), json_body(tags={})], ids=["absent", "empty"])
def test_a_run_without_tags_shows_none(acme_api: Caller, body: str) -> None:
    receipt = json.loads(acme_api.submit(body).content)
    assert "tags" not in receipt
    assert "tags" not in acme_api.get(f"/v1/runs/{receipt['run_id']}").json()  # type: ignore[attr-defined]
    assert Run.objects.get().tags is None


def test_the_short_way_of_polls_shows_them_too(acme_api: Caller) -> None:
    from tests.api.test_poll_lane import Lane

    receipt = _submit(acme_api, TAGS)
    acme_api.get(f"/v1/runs/{receipt['run_id']}")
    answer = Lane().get(receipt["run_id"], acme_api.owner)
    assert answer.quick
    assert json.loads(answer.body)["tags"] == TAGS


def test_a_repeat_with_other_tags_is_the_same_run_with_its_first_ones(acme_api: Caller) -> None:
    key = fresh_key()
    first = _submit(acme_api, {"try": "1"}, key=key)
    again = _submit(acme_api, {"try": "2"}, key=key)
    assert again == first
    assert Run.objects.get().tags == {"try": "1"}


def test_a_list_is_filtered_by_a_tag(acme_api: Caller, rival_api: Caller) -> None:
    wanted = _submit(acme_api, {"project": "apollo:11", "x": "1"})["run_id"]
    _submit(acme_api, {"project": "gemini"})
    _submit(acme_api, {"other": "apollo:11"})
    _submit(rival_api, {"project": "apollo:11"})
    found = acme_api.get("/v1/runs?tag=project:apollo:11").json()["runs"]  # type: ignore[attr-defined]
    assert [run["run_id"] for run in found] == [wanted]
    assert acme_api.get("/v1/runs?tag=project:nobody").json()["runs"] == []  # type: ignore[attr-defined]


@pytest.mark.parametrize("tag", ["project", ":x", "a b:x", "a:%00", f"a:{'x' * 257}"])
def test_a_filter_that_is_no_tag_is_refused(acme_api: Caller, tag: str) -> None:
    problem(acme_api.get(f"/v1/runs?tag={tag}"), 400, "INVALID_PARAMS")


WRONG: dict[str, tuple[Any, str]] = {
    "no object": (["a"], "/tags"),
    "null": (None, "/tags"),
    "too many": ({f"n{number}": "x" for number in range(17)}, "/tags"),
    "no name": ({"": "x"}, "/tags/"),
    "a name with a space": ({"a b": "x"}, "/tags/a b"),
    "a long name": ({"n" * 65: "x"}, f"/tags/{'n' * 65}"),
    "a number": ({"a": 1}, "/tags/a"),
    "a long text": ({"a": "x" * 257}, "/tags/a"),
    "a control character": ({"a": "x\ny"}, "/tags/a"),
}


@pytest.mark.parametrize("name", list(WRONG))
def test_wrong_tags_are_refused_with_their_place(acme_api: Caller, name: str) -> None:
    tags, pointer = WRONG[name]
    refused = problem(acme_api.submit(json_body(tags=tags)), 400, "INVALID_PARAMS")
    assert [error["pointer"] for error in refused["errors"]] == [pointer]
    assert Run.objects.count() == 0


def test_all_wrong_tags_are_told_at_once(acme_api: Caller) -> None:
    refused = problem(acme_api.submit(json_body(tags={"a b": "x", "fine": "x", "c": 1})), 400, "INVALID_PARAMS")
    assert {error["pointer"] for error in refused["errors"]} == {"/tags/a b", "/tags/c"}


def test_sixteen_of_the_longest_are_taken(acme_api: Caller) -> None:
    tags = {f"{number:02d}{'n' * 62}": "x" * 256 for number in range(16)}
    assert _submit(acme_api, tags)["tags"] == tags
