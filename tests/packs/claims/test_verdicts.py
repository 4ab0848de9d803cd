"""What a passage says of one event, one subject or one time is not said of another."""

import ast
from pathlib import Path

import pytest

import packs.claims
from packs.evaluate import assess
from packs.evaluate.phrases import PHRASES


def status(source: str, claim: str) -> str:
    data = assess([claim], [{"id": "1", "title": "", "text": source}], None)
    return str(data["interpretation"][0]["status"])


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("Supposedly the tourists saw the scientist.", "The tourists saw the scientist."),
        ("The actors saw the doctor or the lawyer.", "The actors saw the lawyer."),
        ("A man is playing a guitar on a stage.", "A man is sleeping."),
        ("Net profit fell 12 percent because of higher loan losses.", "Net profit rose 12 percent."),
        ("Work began in May and was to end before the games.", "Work began before the games."),
        ("The garrison was moved to Lindow.", "The garrison was moved from Lindow."),
        ("It flies to 62 airports in 24 countries.", "It flies to 62 countries."),
        ("The maker must report every six months for three years.", "The maker must report every three years."),
        ("Its largest base is Porto; Lyon comes second.", "Lyon is the largest base."),
        ("Lind, who followed Haaland in 2015, conceded defeat.", "Haaland conceded defeat."),
        ("The plant that burned in 1990 was rebuilt in 1995.", "The plant burned in 1995."),
        ("그는 서울에서 태어나 부산에서 자랐다.", "그는 부산에서 태어났다."),
        ("비용의 3분의 2는 국가가, 나머지는 시가 부담한다.", "비용의 3분의 2는 시가 부담한다."),
        ("수습생은 적용 대상에서 제외된다.", "수습생에게도 적용된다."),
        ("경영진은 막힌 수로가 홍수의 원인이라고 주장했다.", "막힌 수로가 홍수의 원인이다."),
        ("의사는 배우에게서 돈을 받았다.", "의사는 배우에게 돈을 주었다."),
    ],
)
def test_what_is_said_otherwise_is_never_supported(source: str, claim: str) -> None:
    assert status(source, claim) != "supported"


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("Of the 36 teachers, 27 are women.", "Nine of the teachers are men."),
        ("The yard sold its dock to Orlan.", "Orlan bought the dock."),
        ("Versions 4.8 to 5.1 are affected; version 4.7 and earlier are not.", "Version 4.7 is not affected."),
        ("Versions 4.8 to 5.1 are affected.", "Version 5.0 is affected."),
        ("The insurer covered 60 percent of the damage.", "The insurer did not cover all of the damage."),
        ("The tower is 30 metres tall, twice as tall as the church.", "The church is 15 metres tall."),
        ("The Lumo 7 weighs 178 grams, 12 grams less than the Lumo 6.", "The Lumo 6 weighs 190 grams."),
        ("환자는 남성과 여성이 각각 3명이다.", "환자는 모두 6명이다."),
        ("2023년 관람객은 41만 명으로 전년보다 25% 늘었다.", "2022년 관람객은 32만 8천 명이었다."),
        ("규제위원회는 케셀 원전의 면허 연장을 거부했다.", "케셀 원전의 면허는 연장되지 않았다."),
        ("보험사는 피해액의 60%인 180억 원을 지급했다.", "피해액은 300억 원이다."),
    ],
)
def test_what_may_well_be_true_is_never_contradicted(source: str, claim: str) -> None:
    assert status(source, claim) != "contradicted"


def test_every_reason_that_a_check_can_give_has_its_sentence() -> None:
    codes: dict[str, set[str]] = {"Obstacle": set(), "Conflict": set()}
    for path in sorted(Path(packs.claims.__path__[0]).glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                first = node.args[0] if node.args else None
                if node.func.id in codes and isinstance(first, ast.Constant):
                    codes[node.func.id].add(str(first.value))
    assert len(codes["Obstacle"]) > 10
    for code in codes["Obstacle"] | codes["Conflict"]:
        assert f"why_not_verified_{code}" in PHRASES["en"], code
    for code in codes["Conflict"]:
        assert f"why_contradicted_{code}" in PHRASES["en"], code
