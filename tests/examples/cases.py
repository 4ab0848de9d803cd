"""One request a pack, of the kind an agent sends, and the sites that the url pack reads for it."""

import base64
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.packs.fetch.zoo import Zoo, page
from tests.packs.url.articles import html

FOLDER = Path(__file__).parents[2] / "docs" / "examples"
PICTURE = FOLDER / "ocr-notice.png"


@dataclass(frozen=True)
class Example:
    pack: str
    title: str
    about: str
    body: dict[str, Any]
    again: str = ""
    """What to say about the same request once more; empty where nothing changes."""
    left_out: tuple[str, ...] = ()
    """Parts of `data` that are not shown, by JSON Pointer."""
    picture: Path | None = None
    """Shown on the page; the request carries it in base64."""


DECISION = Example(
    pack="decision",
    title="which tool, in Korean",
    about=(
        "Three options, four criteria, a note in prose; no language model is configured. Some of it cannot be "
        "compared, and the answer says what that leaves open. A report in Markdown and Word is asked for."
    ),
    body={
        "pack_type": "decision",
        "inputs": {
            "question": "사내 협업 도구를 어느 것으로 정할까요?",
            "options": [
                {
                    "name": "한빛워크",
                    "attributes": {"월 요금": "9,900원", "도입 기간": "3주", "보안 인증": "있음", "고객 지원": "상"},
                },
                {
                    "name": "누리톡",
                    "attributes": {"월 요금": "7,500원", "도입 기간": "6주", "보안 인증": "없음", "고객 지원": "중"},
                },
                {"name": "지금 도구", "attributes": {"월 요금": "8,200원", "보안 인증": "있음"}},
            ],
            "criteria": [
                {"name": "월 요금", "weight": 3},
                {"name": "도입 기간", "weight": 1},
                {"name": "보안 인증", "weight": 3},
                {"name": "고객 지원", "weight": 2},
            ],
            "context": "지금 도구는 고객 지원이 느리다는 불만이 많다.",
        },
        "reservation": {"max_cost_usd": "0.5000"},
        "artifacts": {"include_markdown": True, "include_docx": True},
    },
    left_out=("/compliance/notices", "/evidence_map", "/evaluation/evidence", "/evaluation/subscores", "/weights"),
)

URL = Example(
    pack="url",
    title="six pages, one question",
    about=(
        "Two pages are kept; each of the others says why not. The sites are the test's own, served over https on this "
        "machine under made-up names, so that the example can be made anywhere and is always the same."
    ),
    body={
        "pack_type": "url",
        "inputs": {
            "urls": [
                "https://air.example.go.kr/notice/2025-03",
                "https://lab.example.ac.kr/ev-subsidy",
                "https://copy.example.go.kr/notice",
                "https://archive.example.go.kr/2019",
                "https://blog.example.com/ev",
                "https://gone.example.go.kr/page",
            ],
            "decision_question": "전기차 구매 보조금 기준은 어떻게 바뀌었나요?",
        },
        "reservation": {"max_cost_usd": "0.1000", "min_reliability_score": 0.5},
    },
    again=(
        "The same URLs within fifteen minutes: the tenant's own copies are used, which costs a quarter. "
        "(A page that is gone is remembered for one minute only.)"
    ),
)

COMPLIANCE = Example(
    pack="compliance",
    title="an advertisement in Korean",
    about=(
        "A superlative, an effect no cosmetic may promise, a discount without its reference, and a telephone number, "
        "which is shown masked."
    ),
    body={
        "pack_type": "compliance",
        "inputs": {
            "text": "국내 최고의 효과! 부작용 없는 크림입니다. 지금 주문하면 70% 할인. 문의 010-7364-8192",
            "kind": "ad",
        },
        "reservation": {"max_cost_usd": "0.0500"},
    },
)

EVAL = Example(
    pack="eval",
    title="claims held against their source, in English",
    about="One claim is supported, one gives another figure than its source, one cites nothing.",
    body={
        "pack_type": "eval",
        "inputs": {
            "text": (
                "The pilot cut handling time by 38 % [1]. It ran in 4 branches for 6 weeks [1]. "
                "Customers will probably like the new process."
            ),
            "sources": [
                {
                    "id": "1",
                    "title": "Pilot report, May 2026",
                    "text": "The pilot cut handling time by 38 %. It ran in 3 branches for 6 weeks.",
                }
            ],
        },
        "reservation": {"max_cost_usd": "0.0500"},
    },
)


def ocr() -> Example:
    return Example(
        pack="ocr",
        title="a notice in Korean and English",
        about="One picture, sent in base64. Words a person should look at are listed in `notes`.",
        body={
            "pack_type": "ocr",
            "inputs": {
                "images": [
                    {
                        "kind": "base64",
                        "name": PICTURE.name,
                        "data": base64.b64encode(PICTURE.read_bytes()).decode(),
                    }
                ],
                "ocr_profile": "P2A",
                "language": "kor+eng",
            },
            "reservation": {"max_cost_usd": "0.0500"},
        },
        again="The same picture again: the page comes from the tenant's own cache.",
        picture=PICTURE,
    )


def examples() -> list[Example]:
    return [DECISION, URL, COMPLIANCE, EVAL, ocr()]


def open_sites(zoo: Zoo) -> None:
    zoo.site("air.example.go.kr", page(_notice("2025-03-05")))
    zoo.site("copy.example.go.kr", page(_notice("2025-03-06")))
    zoo.site("archive.example.go.kr", page(_article("2019-04-01")))
    zoo.site("lab.example.ac.kr", page(_study(), content_type="text/html; charset=utf-8"))
    zoo.site("blog.example.com", page(_article("2025-05-20")))
    zoo.site("gone.example.go.kr", page("", status=404))


def _notice(published: str) -> str:
    paragraphs = (
        "환경 당국은 2025년 전기차 구매 보조금 기준을 개편한다고 밝혔다. "
        "1회 충전 주행거리가 440킬로미터 이상인 중형차는 보조금 전액을 받는다.",
        "차량 가격이 5,300만 원을 넘으면 보조금의 절반만 지급하고, 8,500만 원 이상이면 지급하지 않는다.",
        "지방자치단체는 4월부터 새 기준을 적용하며, 신청은 차량 출고 10일 전까지 받는다.",
        "배터리 안전 정보를 공개하지 않은 차종은 기준을 충족할 때까지 보조금 대상에서 빠진다.",
    )
    return html("2025년 전기차 구매 보조금 개편 안내", _paragraphs(paragraphs), published=published, language="ko")


def _article(published: str) -> str:
    paragraphs = (
        "전기차를 사려는 사람이라면 구매 보조금 기준을 먼저 살펴보는 것이 좋다. "
        "지역에 따라 받을 수 있는 금액이 다르다.",
        "보조금은 예산이 떨어지면 끝나므로 신청 시기를 놓치지 말아야 한다. 기준은 해마다 바뀐다.",
    )
    return html("전기차 보조금, 이렇게 받으세요", _paragraphs(paragraphs), published=published, language="ko")


def _study() -> str:
    paragraphs = (
        "We compare the purchase subsidies for electric vehicles before and after the reform of 2025.",
        "After the reform the full amount is reserved for mid-size cars with a range of at least 440 kilometres.",
        "In our sample of 1,284 buyers, 61 % chose a smaller battery than they would have chosen a year earlier.",
    )
    return html("What the subsidy reform changed for buyers", _paragraphs(paragraphs), published="2025-09-11")


def _paragraphs(texts: tuple[str, ...]) -> str:
    return "".join(f"<p>{text}</p>" for text in texts)
