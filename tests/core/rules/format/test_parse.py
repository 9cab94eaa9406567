"""The rule format: fields over lines, fences, flaws with their lines, and never a lost rule."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.base.fault import Fault
from core.rules.format.parse import LABELS, field_name, joined, parse, parse_text
from core.rules.format.rule import rule_text

MEMORY = Path(__file__).parents[3] / "data" / "rules" / "memory.md"

LONG = """\
### ERR-022: A list of checks
**Problem**:
  the release was half done. Happens when:
  - the tag is missing
  - the notes are missing
**Root Cause**: haste
**Solution**:

1. run the script

   ```sh
   # a comment, no heading
   ### ERR-999: an example, no rule
   ```

2. read its output
**Prevention**: a checklist
**Date**: 2026-02-05
**Category**: System (ERR-001~099)

### Notes

This belongs to no rule.
"""


def test_a_field_goes_on_over_lines_lists_and_fences() -> None:
    (rule,) = parse_text(LONG).rules
    assert rule.problem.startswith("the release was half done")
    assert "- the notes are missing" in rule.problem
    assert "ERR-999" in rule.solution
    assert rule.solution.endswith("2. read its output")
    assert (rule.root_cause, rule.date, rule.category) == ("haste", "2026-02-05", "System (ERR-001~099)")
    assert "belongs to no rule" not in str(rule)
    assert parse_text(LONG).flaws == ()


def test_the_labelled_file_is_read_whole() -> None:
    found = parse(MEMORY)
    assert [rule.id for rule in found.rules] == [f"ERR-{number:03d}" for number in range(1, 31)]
    assert found.flaws == ()
    assert rule_text(found.rules[3]).startswith("ERR-004: Force push over a shared branch. `git push --force`")


def test_korean_labels_and_colons_inside_the_bold_are_fields() -> None:
    (rule,) = parse_text(
        "### ERR-001: 제목\n**문제:** 깨진다\n**근본 원인**: 없음입니다\n- **해결 방법**： 고친다\n"
    ).rules
    assert (rule.problem, rule.root_cause, rule.solution) == ("깨진다", "없음입니다", "고친다")


def test_the_usual_korean_words_are_labels_of_their_field() -> None:
    for name, labels in {
        "problem": ("문제점", "문제 상황", "증상", "현상"),
        "root_cause": ("근본 원인", "발생 원인"),
        "solution": ("해결책", "해결 방법", "해결법", "대응 방안", "대처 방법"),
        "prevention": ("방지책", "방지 대책", "예방책", "예방 조치", "재발 방지", "재발 방지책"),
        "date": ("날짜", "일자"),
        "project": ("프로젝트", "프로젝트명"),
        "category": ("분류", "유형"),
    }.items():
        assert {label: field_name(f"**{label}**: 글") for label in labels} == dict.fromkeys(labels, name)


def test_a_label_names_one_field() -> None:
    every = [label for labels in LABELS.values() for label in labels.split()]
    assert len(every) == len(set(every))


@pytest.mark.parametrize("said", ["2026-02-05", "\n2026-02-05"], ids=["behind the label", "in the next line"])
def test_what_stands_behind_a_date_is_text_of_no_field(said: str) -> None:
    fields = "### ERR-001: t\n**Problem**: it breaks\n**Root Cause**: because\n**Solution**: mend it\n"
    begin = f"{fields}**Prevention**: take care\n**Date**: {said}\n"
    (rule,) = (found := parse_text(f"{begin}\nSeen twice since.\n```\nls\n```\n**Category**: shell\nmore\n")).rules
    assert (rule.date, rule.category) == ("2026-02-05", "shell\nmore")
    assert rule.notes == "Seen twice since.\n```\nls\n```"
    line = 8 + said.count("\n")
    assert [(flaw.line, flaw.message) for flaw in found.flaws] == [
        (line, "ERR-001: this text is not under a field (kept as a note)")
    ]


@pytest.mark.parametrize(
    "behind", ["<br/>", "</details>", "<!-- seen twice -->", "<a id='x'></a> <br>", "---", "\n***\n"]
)
def test_marks_behind_a_date_are_nothing_wrong(behind: str) -> None:
    fields = "### ERR-001: t\n**Problem**: it breaks\n**Root Cause**: because\n**Solution**: mend it\n"
    found = parse_text(f"{fields}**Prevention**: take care\n**Date**: 2026-02-05\n{behind}\n\n### ERR-002: u\n")
    assert found.rules[0].date == "2026-02-05"
    assert [flaw for flaw in found.flaws if flaw.rule == "ERR-001"] == []


@pytest.mark.parametrize(("text", "odd"), [("설정오류", False), ("設定誤り", False), ("오류", True), ("oops", True)])
def test_a_letter_of_korean_japanese_and_chinese_says_as_much_as_two(text: str, odd: bool) -> None:
    for form in ("NFC", "NFD"):
        found = parse_text(f"### ERR-001: t\n**Problem**: {unicodedata.normalize(form, text)}\n")
        assert ("the Problem of ERR-001 has fewer than 5 characters" in {flaw.message for flaw in found.flaws}) == odd


@pytest.mark.parametrize(
    "labels", [("問題", "根本原因", "解決策", "再発防止策", "日付"), ("问题", "原因", "解决方案", "预防", "日期")]
)
def test_japanese_and_chinese_labels_are_fields(labels: tuple[str, ...]) -> None:
    said = ("壊れている例です", "設定が間違い", "直してください", "二度としない", "2026-02-05")
    lines = "\n".join(f"**{label}**：{text}" for label, text in zip(labels, said, strict=True))
    found = parse_text(f"### ERR-001: 題\n{lines}\n")
    (rule,) = found.rules
    assert (rule.problem, rule.root_cause, rule.solution, rule.prevention, rule.date) == said
    assert found.flaws == ()


def test_an_item_with_a_bold_word_belongs_to_the_field_it_stands_in() -> None:
    steps = "do these\n- **Step 1**: stop\n  - **Note**: careful\n* **Step 2**: go\n+ **Problem**: then call"
    text = f"### ERR-001: t\n**Problem**: broken\n**Root Cause**: haste\n**Solution**: {steps}\n- **예방**: care\n"
    found = parse_text(text)
    assert found.rules[0].solution == steps
    assert (found.rules[0].prevention, dict(found.rules[0].extra)) == ("care", {})
    assert [(flaw.line, flaw.message[:16]) for flaw in found.flaws] == [
        (8, "a second Problem"),
        (9, "the Prevention o"),
    ]


def test_what_is_wrong_is_told_with_its_line_and_the_rule_is_kept() -> None:
    found = parse_text(
        "### ERR-7: short id\n**Problem**: abc\n**Date**: yesterday\n**Mood**: bad weather\nfree text\n"
        "### ERR-001: one\n### ERR-001: two\n",
        "m.md",
    )
    assert [(rule.id, rule.nth) for rule in found.rules] == [("ERR-007", 0), ("ERR-001", 0), ("ERR-001", 1)]
    told = {(flaw.line, flaw.message) for flaw in found.flaws}
    assert (2, "the Problem of ERR-007 has fewer than 5 characters") in told
    assert (3, "the Date of ERR-007 does not have the format 2026-01-31") in told
    assert (4, "unknown field 'Mood'") in told
    assert (7, "ERR-001 already exists in line 6") in told
    assert found.rules[0].extra == {"Mood": "bad weather\nfree text"}


def test_a_fence_that_is_never_closed_swallows_no_rule() -> None:
    found = parse_text("### ERR-001: a\n**Problem**: x\n```sh\nrm\n### ERR-002: b\n**Problem**: y\n")
    assert [rule.id for rule in found.rules] == ["ERR-001", "ERR-002"]
    assert any("not closed" in flaw.message and flaw.line == 3 for flaw in found.flaws)


def test_several_files_load_and_ids_in_both_are_reported(tmp_path: Path) -> None:
    one, other = tmp_path / "global.md", tmp_path / "project.md"
    one.write_text("### ERR-001: here\n", encoding="utf-8")
    other.write_text("\ufeff### ERR-001: there\r\n**Problem**: windows line\r\n", encoding="utf-8")
    found = joined([parse(one), parse(other)])
    assert [rule.title for rule in found.rules] == ["here", "there"]
    assert found.rules[1].problem == "windows line"
    assert any(flaw.path == str(other) and "is also in" in flaw.message for flaw in found.flaws)


def test_a_missing_file_and_bad_bytes(tmp_path: Path) -> None:
    with pytest.raises(Fault, match="cannot read the rules"):
        parse(tmp_path / "nothing.md")
    bad = tmp_path / "bad.md"
    bad.write_bytes(b"### ERR-001: caf\xe9\n")
    found = parse(bad)
    assert found.rules[0].title == "caf\ufffd"
    assert found.flaws[0].line == 1


def test_secrets_are_masked_before_anything_else() -> None:
    (rule,) = parse_text("### ERR-001: t\n**Problem**: password=Zx81kk29qqpl0Mmn4 was in the log\n").rules
    assert "Zx81kk29qqpl0Mmn4" not in rule.problem


@given(
    st.lists(st.sampled_from(["### ERR-001: a", "**Problem**: b", "```", "~~~", "text", "# h", "<!--", "-->", "  - x"]))
)
def test_no_rule_is_lost_outside_of_closed_fences(lines: list[str]) -> None:
    found = parse_text("\n".join(line for line in lines if line not in ("```", "~~~", "<!--", "-->")))
    assert len(found.rules) == lines.count("### ERR-001: a")
    parse_text("\n".join(lines))


@given(st.text())
def test_any_text_can_be_read(text: str) -> None:
    parse_text(text)
