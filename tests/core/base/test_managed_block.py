"""casebook's block in a file of the user: everything outside it stays, byte for byte."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.base.fault import Fault
from core.base.managed_block import END, blocks, with_block, without_block, write_block

_LINES = st.lists(
    st.one_of(
        st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12),
        st.sampled_from(["# Rules", "```", "<!-- a comment", "- a", "  ", "<!-- casebook", "casebook:end", "\u2028"]),
    ),
    max_size=8,
)
_NEWLINES = st.sampled_from(["\n", "\r\n", "\r"])
_BODIES = st.one_of(st.text(max_size=60), st.sampled_from([END, f"a\n{END}\nb", "<!-- casebook:start fixes -->", ""]))


@st.composite
def texts(draw: st.DrawFn) -> str:
    return draw(st.sampled_from(["", "\ufeff"])) + draw(_NEWLINES).join(draw(_LINES))


@given(texts(), texts(), _BODIES, _BODIES, st.sampled_from(["fixes", "rules"]))
def test_writing_and_rewriting_a_block_leaves_everything_outside_as_it_was(
    before: str, after: str, first: str, second: str, kind: str
) -> None:
    made = with_block(before, kind, first)
    assert made.startswith(before)
    (block,) = blocks(made)
    assert not block.edited
    around = made + after.removeprefix("\ufeff")
    again = with_block(around, kind, second)
    (old,), (new,) = blocks(around), blocks(again)
    assert (again[: new.start], again[new.end :]) == (around[: old.start], around[old.end :])
    assert with_block(again, kind, second) == again
    assert with_block(again, kind, first) == around


@given(st.binary(max_size=200).filter(lambda data: b"\0" not in data and b"casebook:" not in data), _BODIES)
def test_bytes_that_are_no_text_stay_too(data: bytes, body: str) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "AGENTS.md"
        path.write_bytes(data)
        write_block(path, "fixes", body)
        assert path.read_bytes().startswith(data)
        write_block(path, "fixes", body + "x")
        assert path.read_bytes().startswith(data)


def test_blocks_of_two_kinds_live_in_one_file() -> None:
    text = with_block(with_block("mine\n", "fixes", "a"), "rules", "b")
    assert [block.kind for block in blocks(text)] == ["fixes", "rules"]
    assert with_block(text, "fixes", "c") == text.replace("\na\n", "\nc\n").replace(
        text.split("sha=")[1][:12], with_block("", "fixes", "c").split("sha=")[1][:12]
    )


def test_a_block_edited_by_hand_is_refused_and_replaced_alone_by_force() -> None:
    text = with_block("above\n", "fixes", "one\ntwo") + "below\n"
    edited = text.replace("two", "my own words")
    with pytest.raises(Fault) as caught:
        with_block(edited, "fixes", "three", name="AGENTS.md")
    assert caught.value.message == "AGENTS.md:3: the casebook block was edited by hand"
    forced = with_block(edited, "fixes", "three", force=True)
    assert forced.startswith("above\n\n<!-- casebook:start fixes sha=")
    assert forced.endswith(f"-->\nthree\n{END}\nbelow\n")
    assert with_block(text.replace("\n", "\r\n"), "fixes", "three")  # other line endings are no edit
    assert blocks(f"<!-- casebook:start fixes -->\n{END}")[0].edited  # a marker without a hash is nobody's


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a\n<!-- casebook:start fixes sha=0 -->\nb\n", "f:2: casebook:start without casebook:end"),
        (f"a\n{END}\n", "f:2: casebook:end without casebook:start"),
        (
            "<!-- casebook:start a -->\n\n<!-- casebook:start a -->\n",
            "f:3: casebook:start without casebook:end",
        ),
        (f"<!-- casebook:start a -->\n{END}\n<!-- casebook:start a -->\n{END}", "f:3: a second block of the kind a"),
    ],
)
@pytest.mark.parametrize("force", [False, True])
def test_markers_that_do_not_match_are_refused_with_their_line(text: str, said: str, force: bool) -> None:
    with pytest.raises(Fault) as caught:
        with_block(text, "fixes", "x", name="f", force=force)
    assert caught.value.message == said


def test_the_mode_the_byte_order_mark_and_a_link_in_the_folder_stay(tmp_path: Path) -> None:
    real, link = tmp_path / "AGENTS.md", tmp_path / "CLAUDE.md"
    real.write_bytes(b"\xef\xbb\xbf# Mine\r\n")
    real.chmod(0o664)
    link.symlink_to("AGENTS.md")
    write_block(link, "fixes", "a\nb")
    assert link.is_symlink()
    assert stat.S_IMODE(real.stat().st_mode) == 0o664
    data = real.read_bytes()
    assert data.startswith(b"\xef\xbb\xbf# Mine\r\n\r\n<!-- casebook:start fixes sha=")
    assert data.endswith(b"-->\r\na\r\nb\r\n<!-- casebook:end -->\r\n")


def test_a_link_out_of_the_folder_and_what_is_no_text_are_refused(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    outside = tmp_path / "bashrc"
    outside.write_text("mine\n")
    link = tmp_path / "project" / "AGENTS.md"
    link.symlink_to(outside)
    with pytest.raises(Fault, match="is a link that points outside its folder"):
        write_block(link, "fixes", "x")
    assert outside.read_text() == "mine\n"
    wide = tmp_path / "wide.md"
    wide.write_bytes("mine".encode("utf-16"))
    with pytest.raises(Fault, match="is not UTF-8 text"):
        write_block(wide, "fixes", "x")
    assert not list(tmp_path.glob(".*.part"))


def test_a_fix_without_an_end_does_not_hide_the_block_behind_it() -> None:
    text = "<!-- casebook:fix {} -->\nmine\n"
    once = with_block(text, "fixes", "one")
    twice = with_block(once, "fixes", "two")
    assert without_block(twice, "fixes") == text
