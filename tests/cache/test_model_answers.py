"""A language model's answers in Redis: found by the next process, by the same tenant only, for some hours."""

from packs.cache.model_answers import ModelAnswerCache
from tests.cache.office import Office, Offices


def answers(office: Office) -> ModelAnswerCache:
    kept: ModelAnswerCache = office.services["model_answers"]
    return kept


def test_another_process_of_the_fleet_finds_the_answer(office: Offices) -> None:
    answers(office()).keep("f1", "blue", tenant_id="acme")
    assert answers(office()).find("f1", tenant_id="acme") == "blue"


def test_no_tenant_is_served_what_another_one_asked(office: Offices) -> None:
    answers(office()).keep("f1", "blue", tenant_id="acme")
    assert answers(office()).find("f1", tenant_id="rival") is None


def test_an_answer_is_forgotten_after_some_hours(office: Offices) -> None:
    one = office()
    answers(one).keep("f1", "blue", tenant_id="acme")
    one.later(one.limits.answer_ttl_sec + 1)
    assert answers(one).find("f1", tenant_id="acme") is None
