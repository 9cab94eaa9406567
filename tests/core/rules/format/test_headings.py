"""No heading that names a rule is lost in silence, however it is written, and no rule takes the fields of another."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.rules.format.parse import parse_text

FIELDS = """\
**Problem**: the {0} problem
**Root Cause**: the {0} cause
**Solution**: the {0} cure
**Prevention**: {0} care
"""
FIRST = "### ERR-001: one\n" + FIELDS.format("first")
SECOND = FIELDS.format("second")


@pytest.mark.parametrize(
    ("heading", "said"),
    [
        ("### **ERR-002**: t", "ERR-002 t"),
        ("### **ERR-002:** t", "ERR-002 t"),
        ("### **ERR-002: t**", "ERR-002 t"),
        ("### __ERR-002__: t", "ERR-002 t"),
        ("### `ERR-002`: t", "ERR-002 t"),
        ("### `ERR-002: t`", "ERR-002 t"),
        ("### ERR-002a: t", "ERR-002a t"),
        ("### ERR-002-1: t", "ERR-002-1 t"),
        ("### 2. ERR-002: t", "ERR-002 t"),
        ("### ⚠️ ERR-002: t", "ERR-002 t"),
        ("### 2️⃣ ERR-002: t", "ERR-002 t"),
        ("### 규칙 ERR-002: t", "ERR-002 t"),
        ("### Rule 2: ERR-002: t", "ERR-002 t"),
        ("### Python ERR-002: t", "ERR-002 Python t"),
        ("### [HIGH] ERR-002: t", "ERR-002 [HIGH] t"),
        ("### ERR–002: t", "ERR-002 t"),
        ("### ERR\\-002: t", "ERR-002 t"),
        ("### ERR - 002: t", "ERR-002 t"),
        ("### [ERR-002](#x): t", "ERR-002 t"),
        ("### [ERR-002: t](#x)", "ERR-002 t"),
        ("### (ERR-002) t", "ERR-002 t"),
        ("### ERR-1234567890: t", "ERR-1234567890 t"),
        ("### ERR-００２: t", "ERR-002 t"),
        ("### ＥＲＲ－002： t", "ERR-002 t"),
        ("### \u200bERR-002: t", "ERR-002 t"),
        ("###\u00a0ERR-002: t", "ERR-002 t"),
        ("####### ERR-002: t", "ERR-002 t"),
        ("  ### ERR-002: t", "ERR-002 t"),
        ("   ### ERR-002: t", "ERR-002 t"),
        ("    ### ERR-002: t", "ERR-002 t"),
        ("> ### ERR-002: t", "ERR-002 t"),
        ("- ### ERR-002: t", "ERR-002 t"),
        ("ERR-002: t\n---", "ERR-002 t"),
        ("**ERR-002**: t\n===", "ERR-002 t"),
        ("**ERR-002: t**\n", "ERR-002 t"),
        ("- **ERR-002**: t", "ERR-002 t"),
        ("<h3>ERR-002: t</h3>", "ERR-002 t"),
        ("### <a id='x'></a>ERR-002: t", "ERR-002 t"),
        ("### ERR-002: t ###", "ERR-002 t"),
        ("### ERR-002: std::vector<int> in C#", "ERR-002 std::vector<int> in C#"),
        ("### ERR-002: **kwargs", "ERR-002 **kwargs"),
        ("### ERR-002은 왜: t", "ERR-002 은 왜: t"),
        ("### ERR-002, ERR-003: t", "ERR-002 t"),
        ("### ERR-002 - 404 pages", "ERR-002 404 pages"),
        ("### ERR-002 ~ ERR-009: Web", "ERR-002 ERR-002 ~ ERR-009: Web"),
    ],
)
def test_a_heading_is_read_as_the_rule_it_is(heading: str, said: str) -> None:
    one, other = parse_text(FIRST + heading + "\n" + SECOND).rules
    assert f"{other.id} {other.title}" == said
    assert (one.problem, one.solution) == ("the first problem", "the first cure")
    assert (other.problem, other.solution) == ("the second problem", "the second cure")


@pytest.mark.parametrize(
    "heading", ["**ERR-002**: t", "> ### ERR-002: t", "### Python ERR-002: t", "### ERR-002/003: t"]
)
def test_what_had_to_be_guessed_is_told_with_its_line(heading: str) -> None:
    found = parse_text(FIRST + heading + "\n" + SECOND)
    assert len(found.rules) == 2
    assert [flaw.line for flaw in found.flaws] == [6]


def test_a_rule_in_a_quote_is_read_with_its_fields() -> None:
    quoted = "".join(f"> {line}\n" for line in ("### ERR-002: t", *SECOND.splitlines(), "- more"))
    _, other = parse_text(FIRST + quoted).rules
    assert (other.solution, other.prevention) == ("the second cure", "second care\n- more")


@pytest.mark.parametrize(
    "heading",
    [
        "## ERR-100 ~ ERR-199: Web",
        "## ERR-001-099 범위",
        "## System (ERR-001～099)",
        "## ERR-100..199",
        "## 범위 ERR-100 - 199",
    ],
)
def test_a_range_is_no_rule_and_nothing_wrong(heading: str) -> None:
    found = parse_text(f"{heading}\n\n{FIRST}\n{heading}\n\nWhat they are about.\n")
    assert [rule.id for rule in found.rules] == ["ERR-001"]
    assert found.rules[0].prevention == "first care"
    assert found.flaws == ()


@pytest.mark.parametrize(
    ("heading", "line"), [("### Use tabs", 7), ("#### Use tabs", 7), ("Use tabs", 7), ("### ERR-NNN: t", 7), ("", 7)]
)
def test_the_fields_of_a_rule_without_an_id_go_to_no_other_and_are_told(heading: str, line: int) -> None:
    found = parse_text(FIRST + heading + "\n" + SECOND)
    assert [rule.solution for rule in found.rules] == ["the first cure"]
    assert "second" not in found.rules[0].problem + str(found.rules[0].extra)
    assert [flaw.line for flaw in found.flaws] == [line]


def test_a_field_that_comes_again_is_told_with_its_line() -> None:
    found = parse_text(
        "### ERR-001: t\n**Solution**: do this\n**Solution**: then that\n**Date**: 2026-01-02\n**Date**: x\n"
    )
    assert found.rules[0].solution == "do this\nthen that"
    assert (found.rules[0].date, found.rules[0].notes) == ("2026-01-02", "**Date**: x")
    assert {(3, True), (5, True)} <= {(flaw.line, "a second" in flaw.message) for flaw in found.flaws}


def test_a_heading_that_only_speaks_of_a_rule_is_told_and_one_within_a_rule_stays_there() -> None:
    found = parse_text(FIRST + "#### See ERR-004 too\n\n### Why ERR-004 matters\n\nIt does.\n")
    assert [rule.id for rule in found.rules] == ["ERR-001"]
    assert "See ERR-004" in found.rules[0].prevention
    assert [(flaw.line, "contains ERR-004" in flaw.message) for flaw in found.flaws] == [(8, True)]


def test_an_example_that_is_indented_like_code_is_told() -> None:
    found = parse_text(FIRST + "\n    ### ERR-009: example\n\nand more\n")
    assert [rule.id for rule in found.rules] == ["ERR-001"]
    assert [flaw.line for flaw in found.flaws] == [7]


@pytest.mark.parametrize("end", ["\r", "\r\n", "\n", "\r\r\n", "\u2028"])
def test_lines_may_end_as_on_any_system(end: str) -> None:
    found = parse_text((FIRST + "### ERR-002: two\n" + SECOND).replace("\n", end))
    assert [(rule.title, rule.solution) for rule in found.rules] == [
        ("one", "the first cure"),
        ("two", "the second cure"),
    ]
    assert found.rules[1].line == (1 if end == "\u2028" else 6)


FENCE = "```bash\necho\n```\n"


@pytest.mark.parametrize(
    "behind",
    [
        FENCE,
        "```\necho\n```\n",
        "text\n### ERR-003: three\n```\necho\n```\n",
        "```sh\n### ERR-003: three\n" + FENCE,
        "",
        "<!-- x -->\n",
    ],
)
def test_a_fence_that_is_never_closed_takes_no_rule_that_has_fences_of_its_own(behind: str) -> None:
    found = parse_text(FIRST + "```bash\nrm\n### ERR-002: two\n" + SECOND + behind)
    assert [rule.id for rule in found.rules][:2] == ["ERR-001", "ERR-002"]
    assert ("ERR-003" in behind) == (len(found.rules) == 3)
    assert any(flaw.line == 6 and "not closed" in flaw.message for flaw in found.flaws)


def test_a_comment_that_is_never_closed_takes_no_rule() -> None:
    found = parse_text("<!-- to do\n" + FIRST + "<!-- done -->\n### ERR-002: two\n" + SECOND)
    assert [rule.id for rule in found.rules] == ["ERR-001", "ERR-002"]
    assert any(flaw.line == 1 and "not closed" in flaw.message for flaw in found.flaws)


@pytest.mark.parametrize(
    "example",
    [
        "```md\n### ERR-000: title\n```\n", "```\n### ERR-000: title\n```\n" + FENCE,
        "```\n### ERR-000: t\n### ERR-001: t\n```\n",
        "````md\n### ERR-000: title\n" + FENCE + "````\n", "> ```\n> ### ERR-000: title\n> ```\n",
        "<!--\n### ERR-000: t\n-->\n",
        "- ```md\n  ### ERR-000: title\n  ```\n", "~~~\n```\n### ERR-000: title\n~~~\n",
    ],
)  # fmt: skip
@pytest.mark.parametrize("behind", ["", FENCE, "```\necho\n```\n"])
def test_an_example_in_a_fence_or_comment_is_no_rule(example: str, behind: str) -> None:
    found = parse_text("# Rules\n" + example + FIRST + behind + "### ERR-002: two\n" + SECOND + example + behind)
    assert [rule.id for rule in found.rules] == ["ERR-001", "ERR-002"]
    assert found.flaws == ()


_before = st.sampled_from(
    ["", "**", "__", "`", "[", "(", "2. ", "(2) ", "⚠️ ", "규칙 ", "Rule ", "Python ", "~~", "<b>", "\u200b", "the "]
)
_id = st.sampled_from(
    ["ERR-002", "err-002", "ERR_002", "ERR 2", "ERR–002", "ERR-００２", "ＥＲＲ-002", "ERR-002a", "ERR-" + "2" * 12]
)
_after = st.sampled_from(["**", "__", "`", "]", ")", "", "](#x)", "~~", "은", "/3", ", ERR-003", "</b>", "가"])
_sign = st.sampled_from([":", "：", " -", " —", ".", "", ")", " |", "\\:", " ="])
_marks = st.sampled_from(
    ["# ", "### ", "###", "###### ", " ## ", "   ### ", "    ### ", "\t### ", "> ### ", "- ### ", "1. ### ", "\\### "]
)


@given(_marks, _before, _id, _after, _sign, st.sampled_from([" title", "", " as ERR-005 ###", " **t**"]), st.booleans())
def test_no_heading_that_names_an_id_is_lost(
    marks: str, before: str, name: str, after: str, sign: str, title: str, with_fields: bool
) -> None:
    heading = f"{marks}{before}{name}{after}{sign}{title}"
    found = parse_text(FIRST + heading + "\n" + (SECOND if with_fields else "\nfree text\n") + "### ERR-009: last\n")
    ids = [rule.id for rule in found.rules]
    assert ids[0] == "ERR-001"
    assert ids[-1] == "ERR-009"
    speaks_of_it = marks == "###### " and before in ("Python ", "the ") and not with_fields
    assert speaks_of_it or len(ids) == 3 or any(flaw.line in (6, 7) and not flaw.rule for flaw in found.flaws), heading
    assert found.rules[0].solution == "the first cure"
    assert found.rules[0].problem == "the first problem"
