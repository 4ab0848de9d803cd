"""What the review says about itself and about the text, in Korean and English."""

from collections.abc import Mapping

from packs.compliance.rules import Both

ABOUT_THE_REVIEW: Mapping[str, Both] = {
    "NOT_LEGAL_ADVICE": Both(
        ko="이 검토는 정해진 규칙에 따른 자동 점검이며 법률 자문이 아닙니다. 지적이 없다는 것이 적법하다는 뜻은 아닙니다.",  # noqa: E501
        en="An automatic check against fixed rules, not legal advice. No finding does not mean that the text is lawful.",  # noqa: E501
    ),
    "KIND_ASSUMED": Both(
        ko="글의 종류가 주어지지 않아 일반 글로 보았습니다. 광고, 약관, AI 결과물 전용 규칙은 적용하지 않았습니다.",
        en="No kind was given, so the text was read as general: rules for advertisements, policies and AI output only "
        "were not applied.",
    ),
    "CHECKSUM_IS_NO_PROOF": Both(
        ko="2020년 10월부터 부여된 주민·외국인등록번호에는 검증번호가 없어, 검증에 실패해도 실제 번호일 수 있습니다.",
        en="Resident and foreigner numbers issued since October 2020 carry no check digit: a number that fails the "
        "checksum can still be real.",
    ),
    "NAMES_NEED_LABELS": Both(
        ko="이름과 주소는 항목명이나 호칭, 표의 모양이 있을 때만 알아봅니다. 그 밖의 개인정보는 가려지지 않았을 수 있습니다.",  # noqa: E501
        en="Names and addresses are recognised by a label, a form of address or a table. Other personal data may have "
        "gone unnoticed.",
    ),
    "LIST_SHORTENED": Both(
        ko="같은 규칙의 지적이 많아 일부만 실었습니다. 개수는 summary에 있습니다.",
        en="Some rules were met too often to list every place; the summary has the counts.",
    ),
    "OTHER_SCRIPT": Both(
        ko="한국어와 영어가 아닌 부분은 점검하지 못했습니다.",
        en="Parts that are neither Korean nor English were not checked.",
    ),
    "TRUNCATED": Both(
        ko="문서의 처음 200,000자만 점검했습니다.",
        en="Only the first 200,000 characters of the document were checked.",
    ),
    "MODEL_UNUSED": Both(
        ko="언어 모델의 답을 쓸 수 없어 규칙만으로 검토했습니다.",
        en="The language model gave no usable answer: the rules alone were applied.",
    ),
}

STANCES: Mapping[str, Both] = {
    "negated": Both(ko="글이 스스로 부정하는 내용입니다.", en="The text denies it."),
    "reported": Both(
        ko="규제기관, 법원, 경찰 또는 언론이 전하는 내용입니다.",
        en="A regulator, court, the police or the press is reported on.",
    ),
    "rejected": Both(ko="글이 잘못이라고 지적하거나 경고하는 내용입니다.", en="The text rejects it or warns of it."),
    "mentioned": Both(ko="표현 자체를 예로 든 것입니다.", en="The wording is mentioned, not used."),
}

_VERDICTS: Mapping[str, Both] = {
    "stop": Both(
        ko="게시하지 마세요. 중대한 지적이 {critical}건 있습니다(전체 {found}건).",
        en="Do not publish: {critical} critical of {found} findings.",
    ),
    "revise": Both(ko="고친 뒤 게시하세요. 지적 {found}건.", en="Revise before publishing: {found} findings."),
    "note": Both(ko="게시할 수 있으나 확인할 점이 {found}건 있습니다.", en="Publishable; {found} points to look at."),
    "clear": Both(ko="지적이 없습니다.", en="No findings."),
}

_ACTIONS: Mapping[str, Both] = {
    "rewrite": Both(
        ko="“{quote}”을(를) 제안 문구로 바꾸세요.",
        en="Replace “{quote}” by the proposed wording.",
    ),
    "remove": Both(ko="“{quote}”을(를) 삭제하세요.", en="Remove “{quote}”."),
    "publish": Both(ko="고지 문구를 함께 게시하세요: {text}", en="Publish the notice: {text}"),
    "kind": Both(
        ko="글의 종류(kind)를 지정해 다시 검토하세요.",
        en="Give the kind of text and review again.",
    ),
    "effect": Both(ko="{rule} 지적이 사라집니다.", en="The finding {rule} goes away."),
    "effect_publish": Both(ko="법이 요구하는 고지를 갖춥니다.", en="The statutory notice is given."),
    "effect_kind": Both(ko="그 종류의 규칙이 적용됩니다.", en="The rules for that kind apply."),
}


def said(both: Both, language: str) -> str:
    return both.ko if language == "ko" else both.en


def verdict_text(language: str, verdict: str, counts: Mapping[str, int]) -> str:
    return said(_VERDICTS[verdict], language).format(critical=counts["critical"], found=sum(counts.values()))


def action_text(language: str, name: str, **values: str) -> str:
    return said(_ACTIONS[name], language).format(**values)
