"""Tool calls as people read them: patches, commands, fields; whatever is sent, nothing raises and nothing is lost."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from core.transcripts.commands import call_lines


def lines(text: str) -> list[str]:
    return [f"{sign}|{line}" for sign, line in call_lines(text)]


def sent(**more: object) -> str:
    return json.dumps(more, ensure_ascii=False)


def test_an_edit_is_a_patch_of_its_file() -> None:
    told = lines(sent(file_path="/shop/a.py", old_string="def a():\n    return 1", new_string="def a():\n    return 2"))
    assert told == ["@|/shop/a.py", "|  def a():", "-|-     return 1", "+|+     return 2"]


def test_several_edits_stand_one_after_the_other_and_other_fields_below() -> None:
    edits = [{"old_string": "a", "new_string": "b"}, {"old_string": "", "new_string": "한글"}]
    told = lines(sent(file_path="x", edits=edits, replace_all=True))
    assert told == ["@|x", "-|- a", "+|+ b", "@|@@", "-|- ", "+|+ 한글", ":|replace_all: true"]


def test_a_file_that_is_written_is_all_new() -> None:
    assert lines(sent(file_path="x", content="a\nb")) == ["@|x", "+|+ a", "+|+ b"]


def test_a_patch_handed_to_a_tool_is_read_as_one_and_a_command_as_one() -> None:
    patch = "*** Begin Patch\n*** Update File: a.py\n@@\n-old\n+new\n same\n*** End Patch"
    assert [sign for sign, _ in call_lines(patch)] == ["@", "@", "@", "-", "+", "", "@"]
    assert lines(sent(input=patch))[:5] == [
        ":|input:", "@|  *** Begin Patch", "@|  *** Update File: a.py", "@|  @@", "-|  -old"
    ]  # fmt: skip
    assert lines("npm test && ls -la\n- not a patch") == ["|npm test && ls -la", "|- not a patch"]


def test_anything_else_is_told_field_by_field() -> None:
    told = lines(sent(pattern="a.*b", path="src", glob=["*.py"], more={"a": None}, text="one\ntwo"))
    assert told[:2] == [":|pattern: a.*b", ":|path: src"]
    assert ":|text:" in told
    assert "|  two" in told
    assert '    "*.py"' in "\n".join(told) or '"*.py"' in "\n".join(told)


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20), lambda inner: st.lists(inner, max_size=3)
)
keys = st.sampled_from(["file_path", "old_string", "new_string", "content", "edits", "command"]) | st.text(max_size=5)


@given(st.one_of(st.text(max_size=60), st.dictionaries(keys, values, max_size=5).map(json.dumps)))
def test_whatever_is_sent_is_told(text: str) -> None:
    told = call_lines(text)
    assert told
    assert all("\n" not in line for _, line in told)
