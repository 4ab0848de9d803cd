"""The fixed words of a report, in English and Korean."""

from typing import Literal

Language = Literal["ko", "en"]

_LABELS: dict[str, tuple[str, str]] = {
    "created": ("Created {time} (UTC)", "작성 시각 {time} (UTC)"),
    "question": ("Question", "질문"),
    "answer": ("Answer", "답"),
    "findings": ("Key findings", "핵심 결과"),
    "scores": ("Scores", "점수"),
    "option": ("Option", "선택지"),
    "total": ("Total", "합계"),
    "reasons": ("Reasons", "점수의 이유"),
    "criterion": ("Criterion", "기준"),
    "score": ("Score", "점수"),
    "reason": ("Reason", "이유"),
    "weight": ("Weight", "비중"),
    "source": ("Source", "출처"),
    "sensitivity": ("Sensitivity", "민감도"),
    "share_now": ("Share now", "현재 비중"),
    "share_level": ("Level at", "동률 비중"),
    "then_leads": ("Then leads", "이후 우세"),
    "claims": ("Claims and evidence", "주장과 근거"),
    "evidence": ("Evidence", "근거"),
    "open": ("Open points", "미해결 사항"),
    "assumptions": ("Assumptions", "가정"),
    "assumption": ("Assumption", "가정"),
    "base": ("Base", "기본"),
    "optimistic": ("Optimistic", "낙관"),
    "pessimistic": ("Pessimistic", "비관"),
    "compliance": ("Compliance review", "준수 검토"),
    "rule": ("Rule", "규칙"),
    "severity": ("Severity", "심각도"),
    "quote": ("Passage", "해당 부분"),
    "basis": ("Basis", "근거 규정"),
    "mitigation": ("What to do", "조치"),
    "verdict": ("Verdict", "판정"),
    "verdict_stop": ("Stop: do not publish this as it is.", "중단: 이대로 내보내지 마십시오."),
    "verdict_revise": ("Revise before publishing.", "수정 필요: 내보내기 전에 고치십시오."),
    "verdict_note": ("Minor points only.", "참고: 가벼운 지적만 있습니다."),
    "verdict_clear": ("Nothing was found.", "지적 사항이 없습니다."),
    "severity_critical": ("critical", "매우 높음"),
    "severity_high": ("high", "높음"),
    "severity_medium": ("medium", "보통"),
    "severity_low": ("low", "낮음"),
    "higher_is_better": ("higher is better", "높을수록 좋음"),
    "lower_is_better": ("lower is better", "낮을수록 좋음"),
    "claim": ("Claim", "주장"),
    "reading": ("Reading", "판단"),
    "passage": ("Nearest passage", "가장 가까운 원문"),
    "evidence_coverage": ("Evidence", "근거"),
    "number_consistency": ("Figures", "수치"),
    "contradictions": ("Contradictions", "모순"),
    "citation_hygiene": ("Citations", "인용"),
    "clarity": ("Clarity", "명료성"),
    "none_found": ("Nothing was found.", "발견된 사항이 없습니다."),
    "kept": ("Kept pages", "채택한 페이지"),
    "discarded": ("Discarded pages", "폐기한 페이지"),
    "page": ("Page", "페이지"),
    "title": ("Title", "제목"),
    "text": ("Text", "본문"),
    "notes": ("Notes", "비고"),
    "subscores": ("Sub-scores", "세부 점수"),
    "part": ("Part", "항목"),
    "details": ("Details", "상세"),
    "cut": (
        "The report ends here; the envelope has the rest.",
        "보고서는 여기까지이며 나머지는 결과 파일에 있습니다.",
    ),
}


def label(language: Language, key: str, **values: str) -> str:
    return _LABELS[key][1 if language == "ko" else 0].format(**values)


def labelled(language: Language, value: str, *, kind: str = "") -> str:
    """A word of the data in the report's language; a word nobody has a label for stands as it is."""
    key = f"{kind}_{value}" if kind else value
    return label(language, key) if key in _LABELS else value
