"""Every pack's data becomes a report, whole or partial."""

import io
from datetime import UTC, datetime
from typing import Any

import docx
import pytest

from packs.artifacts import ReportMeta, build_report, render, to_docx, to_markdown
from packs.artifacts.bar_picture import drawn_bar
from packs.artifacts.document import Heading, Table
from packs.artifacts.labels import labelled
from packs.artifacts.report import MAX_BLOCKS
from packs.compliance import review
from packs.decision import PACK as DECISION
from packs.decision.reliability import CAPS
from packs.evaluate import assess
from packs.ocr.failures import FailureReason
from tests.packs.llm.context import a_context

AT = datetime(2026, 11, 16, 9, 30, tzinfo=UTC)
META = ReportMeta("Report", AT)
Json = dict[str, Any]

URL_DATA: Json = {
    "keep": [
        {
            "url": "https://a.example/x",
            "title": "A page",
            "gist": "It says something.",
            "evidence_quote": "something | said",
            "source_tier": "official",
        }
    ],
    "discard": [{"url": "https://b.example/", "reason_code": "STALE", "reason_detail": "Too old."}],
}
OCR_DATA: Json = {
    "texts": [{"source": "scan.png", "page": 1, "blocks": [{"text": "첫 줄\n둘째 줄 [□]", "confidence": 91.5}]}],
    "notes": [{"type": "VERIFY_SPELLING", "value": "A/B"}],
}
DECISION_DATA = DECISION.execute({**DECISION.input_schema["examples"][0], "mode": "full"}, a_context()).data
KOREAN_DATA = DECISION.execute(DECISION.input_schema["examples"][1], a_context()).data

EXCLUDING = DECISION.execute(
    {
        "question": "Which one?",
        "options": [
            {"name": "Kite", "attributes": {"load": "55 kg", "price": "10 USD"}},
            {"name": "Wren", "attributes": {"load": "30 kg", "price": "20 USD"}},
            {"name": "Crow", "attributes": {"load": "35 kg", "price": "25 USD"}},
        ],
        "criteria": ["price"],
        "context": "The load must not exceed 40 kg.",
    },
    a_context(),
).data
WEIGHED_IN_KOREAN = DECISION.execute(
    {
        "question": "어느 업체를 고를까요?",
        "options": [
            {"name": "가온", "attributes": {"가격": "10만 원", "평판": "상"}},
            {"name": "나래", "attributes": {"가격": "12만 원", "평판": "중"}},
        ],
    },
    a_context(),
).data


def headings(pack_type: str, data: Json) -> list[str]:
    return [block.text for block in build_report(pack_type, data, META).blocks if isinstance(block, Heading)]


def test_a_decision_has_its_parts() -> None:
    assert headings("decision", DECISION_DATA) == [
        "Verdict",
        "Why",
        "What speaks against it",
        "What would change it",
        "Scores",
        "Reasons",
        "Compliance review",
        "Claims and evidence",
        "Assumptions",
        "What to do next",
        "Reliability",
    ]


def test_a_report_is_named_in_words_and_says_which_run_it_is() -> None:
    document = build_report("decision", DECISION_DATA, META)
    assert document.title == f"Decision: {DECISION_DATA['question']}"
    assert build_report("compliance", {"language": "ko"}, META).title == "준수 검토 보고서"
    assert build_report("ocr", {**OCR_DATA, "language": "en"}, META).title == "Text read from files"
    assert "Report" in to_markdown(document).split("\n\n")[1]


def test_the_recommended_option_is_held_beside_the_best_of_the_others() -> None:
    text = to_markdown(build_report("decision", DECISION_DATA, META))
    assert "Recommended: Vendor B." in text
    assert "- price: 24 USD (100) against 30 USD (80) of Vendor A" in text
    assert "- uptime: 99.5 % (99.6) against 99.9 % (100) of Vendor A" in text.partition("What speaks against it")[2]


def test_excluded_options_stand_with_their_reasons_and_are_drawn_lighter() -> None:
    text = to_markdown(build_report("decision", EXCLUDING, META))
    assert "## Excluded options" in text
    assert "| Kite (excluded) | ▒" in text
    assert "| Wren | █" in text


def test_the_sources_stand_with_tier_and_day() -> None:
    page = {
        "url": "https://a.example/x",
        "title": "A page",
        "source_tier": "official",
        "published": "2026-05-01T00:00:00Z",
    }
    data = {**DECISION_DATA, "evidence": {"coverage": 1.0, "keep": [page]}}
    text = to_markdown(build_report("decision", data, META))
    assert "| A page | https\\://a.example/x | official | 2026-05-01 |" in text


def test_cost_and_reliability_stand_at_the_end() -> None:
    bill = (
        {"item": "decision", "quantity": 1, "cost_usd": "0.0500"},
        {"item": "total", "quantity": "", "cost_usd": "0.0510"},
    )
    document = build_report("decision", DECISION_DATA, ReportMeta("run 1", AT, bill))
    assert [block.text for block in document.blocks if isinstance(block, Heading)][-3:] == [
        "What to do next",
        "Cost when this report was written",
        "Reliability",
    ]
    assert "| decision | 1 | 0.0500 |" in to_markdown(document)


def test_every_cap_of_the_reliability_has_words() -> None:
    for cap in (*CAPS, "undecided"):
        assert labelled("en", cap, kind="cap") != cap


def test_a_bar_is_a_picture_with_a_text_for_those_who_cannot_see_it() -> None:
    opened = docx.Document(io.BytesIO(to_docx(build_report("decision", EXCLUDING, META))))
    described = [picture._inline.docPr.get("descr") for picture in opened.inline_shapes]
    assert len(described) >= 2
    assert any("Wren: 100" in text for text in described)
    assert drawn_bar(0.5) != drawn_bar(0.6)
    assert drawn_bar(0.5) == drawn_bar(0.5)


def test_the_scores_stand_side_by_side() -> None:
    document = build_report("decision", DECISION_DATA, META)
    table = next(block for block in document.blocks if isinstance(block, Table))
    assert table.header == ("Criterion", "Weight", "Vendor B", "Vendor A")
    assert table.rows == (
        ("price", "40 %", "100", "80"),
        ("uptime", "60 %", "99.6", "100"),
        ("Total", "", "99.8", "92"),
    )


def test_a_korean_result_has_a_korean_report() -> None:
    assert headings("decision", KOREAN_DATA)[:2] == ["판정", "핵심 결과"]
    assert "작성 시각 2026-11-16 09:30" in to_markdown(build_report("decision", KOREAN_DATA, META))


def test_the_other_packs_have_reports_of_their_own() -> None:
    assert "something \\| said" in to_markdown(build_report("url", URL_DATA, META))
    ocr = to_markdown(build_report("ocr", OCR_DATA, META))
    assert "첫 줄\n\n둘째 줄 \\[□\\]" in ocr
    found = to_markdown(build_report("compliance", review("연락처: 010-1234-5678", "general"), META))
    assert "1234-5678" not in found
    scored = to_markdown(build_report("eval", assess("Sales rose 5 %.", ["Sales rose 5 %."]), META))
    assert "| Evidence | 100 | Claims that a passage says in full: 1 of 1" in scored


@pytest.mark.parametrize(
    ("pack_type", "data"),
    [
        ("decision", DECISION_DATA),
        ("decision", WEIGHED_IN_KOREAN),
        ("compliance", review("국내 최고의 효과! 문의 010-7364-8192", "ad")),
        ("eval", assess("매출은 120억 원이다 [1]. 직원은 530명이다 [1].", [{"id": "1", "text": "직원은 350명이다."}])),
        ("eval", assess("It ran in 4 branches [1]. It was cheap.", [{"id": "1", "text": "It ran in 3 branches."}])),
    ],
)
def test_a_report_is_for_people(pack_type: str, data: Json) -> None:
    """No JSON, no name of a field, no word of the other language's labels."""
    document = build_report(pack_type, data, META)
    cells = [cell for block in document.blocks if isinstance(block, Table) for row in block.rows for cell in row]
    assert cells
    assert [cell for cell in cells if "{" in cell or "_is_better" in cell or "evidence_coverage" in cell] == []
    if document.language == "ko":
        assert [cell for cell in cells if cell in ("low", "medium", "high", "critical")] == []


def test_a_review_begins_with_its_verdict_and_says_what_to_write_instead() -> None:
    text = to_markdown(build_report("compliance", review("국내 최고의 효과! 지금 만나보세요.", "ad"), META))
    assert "## 판정\n\n수정 필요" in text
    assert "근거 없는 최상급 표현 (AD-SUPERLATIVE) | 보통 | 국내 최고의 효과" in text
    assert "객관적 자료를 갖추고" in text


@pytest.mark.parametrize("pack_type", ["decision", "url", "ocr", "compliance", "eval", "something_new"])
@pytest.mark.parametrize("data", [{}, {"open": ["x"], "scores": [], "keep": None, "findings": None, "texts": []}])
def test_a_partial_result_still_has_a_report(pack_type: str, data: Json) -> None:
    document = build_report(pack_type, data, META)
    assert to_markdown(document)
    assert to_docx(document)


def test_a_pack_without_a_builder_is_listed_faithfully() -> None:
    data: Json = {"answer": 42, "rows": [{"a": 1, "b": None}, {"a": 2.0}], "deep": {"er": {"x": ["y", True]}}}
    text = to_markdown(build_report("something_new", data, META))
    assert "answer: 42" in text
    assert "| 1 |  |" in text
    assert "| 2 |  |" in text
    assert "- true" in text


def test_an_endless_result_has_an_end() -> None:
    data: Json = {"texts": [{"source": "s", "page": 1, "blocks": [{"text": "line\n" * (MAX_BLOCKS + 50)}]}]}
    assert len(build_report("ocr", data, META).blocks) == MAX_BLOCKS + 1


UNREAD: list[Json] = [
    {"source": "whole.png", "status": "READ", "pages": 1, "pages_read": 1, "left_out": []},
    {
        "source": "long.pdf",
        "status": "PARTIAL",
        "pages": 9,
        "pages_read": 6,
        "left_out": [
            {"pages": "3", "reason_code": "PAGE_TIME_LIMIT", "reason_detail": "The page took too long."},
            {"pages": "8-9", "reason_code": "DEADLINE_REACHED", "reason_detail": "The run's time was up."},
        ],
    },
    {
        "source": "locked.pdf",
        "status": "FAILED",
        "pages": 0,
        "pages_read": 0,
        "left_out": [],
        "reason_code": "ENCRYPTED",
        "reason_detail": "The file asks for a password.",
    },
]


def test_files_and_pages_that_were_not_read_are_told_before_the_text() -> None:
    document = build_report("ocr", {"texts": [], "files": UNREAD}, META)

    assert [block.text for block in document.blocks if isinstance(block, Heading)] == ["Verdict", "Not read", "Text"]
    [table] = [block for block in document.blocks if isinstance(block, Table)]
    assert table.header == ("Source", "Pages", "Reason", "Details")
    assert table.rows == (
        ("long.pdf", "3", "The page took too long (PAGE_TIME_LIMIT)", "The page took too long."),
        ("long.pdf", "8-9", "The time of the run was up (DEADLINE_REACHED)", "The run's time was up."),
        ("locked.pdf", "all", "The file is encrypted (ENCRYPTED)", "The file asks for a password."),
    )


def test_a_korean_report_tells_in_korean_what_was_not_read() -> None:
    text = to_markdown(build_report("ocr", {**OCR_DATA, "files": UNREAD, "language": "ko"}, META))
    assert "## 읽지 못한 부분" in text
    assert "| long.pdf | 8-9 | 실행 시간이 끝났습니다 (DEADLINE\\_REACHED) |" in text
    assert "| locked.pdf | 전체 | 암호로 보호된 파일입니다 (ENCRYPTED) |" in text


def test_where_everything_was_read_nothing_is_said_of_it() -> None:
    assert headings("ocr", {**OCR_DATA, "files": UNREAD[:1]}) == ["Verdict", "Text", "scan.png Page 1", "Notes"]


def test_an_endless_text_does_not_push_out_what_was_not_read() -> None:
    texts = [{"source": "s", "page": 1, "blocks": [{"text": "line\n" * (MAX_BLOCKS + 50)}]}]
    assert "locked.pdf" in to_markdown(build_report("ocr", {"texts": texts, "files": UNREAD}, META))


@pytest.mark.parametrize("reason", FailureReason)
def test_every_reason_not_to_read_has_words_in_both_languages(reason: FailureReason) -> None:
    english, korean = labelled("en", reason, kind="unread"), labelled("ko", reason, kind="unread")
    assert len({english, korean, reason.value}) == 3


def test_only_what_was_asked_for_is_rendered() -> None:
    def names(markdown: bool, docx_too: bool) -> list[str]:
        files = render("decision", DECISION_DATA, markdown=markdown, docx=docx_too, title="T", created_at=AT)
        return [file.name for file in files]

    assert names(False, False) == []
    assert names(True, False) == ["report.md"]
    assert names(False, True) == ["report.docx"]
    assert names(True, True) == ["report.md", "report.docx"]


def test_rendering_twice_gives_the_same_bytes() -> None:
    def bodies() -> list[bytes]:
        files = render("decision", DECISION_DATA, markdown=True, docx=True, title="T", created_at=AT)
        return [file.body for file in files]

    assert bodies() == bodies()


def test_both_files_open_and_say_the_same() -> None:
    text, word = render("decision", DECISION_DATA, markdown=True, docx=True, title="Which?", created_at=AT)
    assert text.mime == "text/markdown; charset=utf-8"
    assert word.mime.endswith("wordprocessingml.document")
    opened = docx.Document(io.BytesIO(word.body))
    assert "Recommended: Vendor B." in [paragraph.text for paragraph in opened.paragraphs]
    assert "## Verdict" in text.body.decode()
    assert len(opened.tables) == text.body.decode().count("\n| --- |")


def test_a_compliance_report_hands_over_words_to_publish() -> None:
    data = review("당뇨를 완치하는 홍삼! 국내 최고의 효과", "ad")
    text = to_markdown(build_report("compliance", data, META))
    assert "함께 게시할 문구" in text
    for notice in data["required_notices"]:
        assert notice["ko"] in text
        assert notice["where"]["ko"] in text
    for finding in data["findings"]:
        assert finding["rewrite"] in text
    assert "대신 쓸 문구" in text
    assert "적용된 규칙" in text
    assert "AD-MEDICAL" in text


def test_a_clear_compliance_report_has_no_empty_parts() -> None:
    text = to_markdown(build_report("compliance", review("The shop opens at nine.", "ad"), META))
    assert "Words to publish instead" not in text
    assert "Texts to publish" not in text
