"""The shape of `next_actions` that every pack shares, and its part of a report."""

from datetime import UTC, datetime

from packs.artifacts import ReportMeta, build_report, to_markdown
from packs.next_actions import NextAction, listed_actions

META = ReportMeta("Report", datetime(2026, 11, 16, 9, 30, tzinfo=UTC))


def test_at_most_five_actions_each_once() -> None:
    given = [NextAction(f"Do {number}.", "Then it changes.") for number in (1, 1, 2, 3, 4, 5, 6)]
    rows = listed_actions(given)
    assert [row["action"] for row in rows] == ["Do 1.", "Do 2.", "Do 3.", "Do 4.", "Do 5."]
    assert all(row["changes"] == "Then it changes." for row in rows)


def test_an_action_keeps_the_packs_own_fields() -> None:
    (row,) = listed_actions([NextAction("Do it.", "It changes.", {"pointers": ["/question"]})])
    assert row == {"action": "Do it.", "changes": "It changes.", "pointers": ["/question"]}


def test_every_packs_report_ends_with_what_to_do() -> None:
    rows = listed_actions([NextAction({"en": "Ask.", "ko": "물으십시오."}, {"en": "More.", "ko": "늘어납니다."})])
    for pack_type in ("decision", "compliance", "eval", "url", "ocr"):
        english = to_markdown(build_report(pack_type, {"language": "en", "next_actions": rows}, META))
        assert "What to do next" in english
        assert "| Ask. | More. |" in english
        korean = to_markdown(build_report(pack_type, {"language": "ko", "next_actions": rows}, META))
        assert "다음에 할 일" in korean
        assert "| 물으십시오. | 늘어납니다. |" in korean
