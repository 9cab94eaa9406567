"""The real thing on a real terminal: what bytes it sends, and how it leaves."""

from __future__ import annotations

import base64
import os
import re
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import monotonic

import pytest

pytest.importorskip("pty")

from core.store import open_store
from tests.tui.corpus import DANGEROUS, few
from tests.tui.pseudo_terminal import Terminal
from tests.tui.support import put

EVIL = "Error: \x1b]52;c;ZXZpbA==\x07\x1b[2Jwipe\x1b]0;title\x07 \x9b31mc1 \u202egnp.exe \u200bnul\x00 end"
FORBIDDEN = (b"\x1b]52;c;ZXZpbA==", b"\x1b]0;title", b"\x1b[2Jwipe", "\x9b".encode(), "\u202e".encode(), b"\x00")
SEQUENCE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[P_^X][^\x1b]*\x1b\\|[ -/]*[0-~])")


def fill(path: Path, texts: Sequence[str]) -> Path:
    """A case with a fix for each text, and one seen in a session whose messages they are."""
    with open_store(path, write=True, create=True) as store:
        for number, text in enumerate(texts):
            letters = "abcdefghij"[number // 10] + "abcdefghij"[number % 10]
            put(store, f"error: unit {letters} failed {text[:400]}\n{text}", text[:20], f"the fix {text}")
        with store.transaction() as con:
            con.execute(
                "INSERT INTO session(id, agent, project) VALUES (?, 'plain', ?)", (texts[0][:40], texts[0][:40])
            )
            for number, text in enumerate(texts):
                con.execute(
                    "INSERT INTO message(session_id, idx, role, kind, text, uuid, block, ts, sha256)"
                    " VALUES (?, ?, 'tool', 'tool_result', ?, '', 0, '2026-03-10T10:00:00.000Z', '')",
                    (texts[0][:40], number, text),
                )
            con.execute("UPDATE occurrence SET session_id = ?, message_idx = 1", (texts[0][:40],))
        put(store, f"error: unit zz failed {texts[0]}", "shell", f"the fix {texts[0]}", last="2026-03-14T10:00:00.000Z")
    return path


def journey(terminal: Terminal) -> bytes:
    """Through the list, a case, its session, the pager, the trace, the palette, toasts, every screen; and out."""
    terminal.read_until(b"the fix ")
    for keys, mark in (
        (b"failed", b"these words"),  # what is typed too early for the list would go to the box
        (b"\x1b[B", b"copy fix"),  # the list, and only then what is meant for it
        (b"\x1b[6~\x1b[6~", b"failed"),
        (b"t", b"identify"),  # the trace
        (b"\r", b"back"),  # the case
        (b"y", b"Copied the"),  # a toast
        (b"v", b"\x1b[?1049h"),  # the pager, and back
        (b"Y", b"case as Markdown"),
        (b"j", b"Copied the"),
        (b"\x1b", b"failed"),
        (b"o", b"next mark"),  # the session
        (b"\x1b[6~\x1b[6~\x1b[6~", b"message"),
        (b"\r", b"character"),  # a message whole
        (b"\x1b", b"next mark"),
        (b"\x1b", b"open"),
        (b"\x10", b"Search for an action"),  # the palette, with a paste
        (b"\x1b[200~zoom\x07\x08\x0b \xc2\x9b31m \xe2\x80\xae\x1b[201~", b"zoom"),
        (b"\x1b", b"failed"),
        (b"f", b"Filter"),
        (b"\x1b", b"failed"),
        (b"S", b"Jobs"),
        (b"\x1b", b"failed"),
        (b"?", b"Keys and actions"),
        (b"\x1b", b"failed"),
        (b"i", b"Import sessions"),
        (b"\x1b[200~/nowhere\x07/\xc2\x9b31m\xe2\x80\xae\x1b[201~\r", b"File or folder not found:"),
    ):
        terminal.send(keys)
        terminal.read_until(mark)
        terminal.drain(0.15)
    terminal.send(b"\x11")
    terminal.read_until(b"\x1b[?1049l")
    assert terminal.ended() == 0, terminal.written[-2000:]
    return terminal.written


def travelled(folder: Path, texts: Sequence[str]) -> str:
    """All that is written on a journey through these texts."""
    folder.mkdir()
    terminal = Terminal(str(fill(folder / "casebook.db", texts)), PAGER="cat", XDG_STATE_HOME=str(folder))
    try:
        return journey(terminal).decode("utf-8")
    finally:
        terminal.close()


def shapes(text: str) -> set[str]:
    """What kinds of sequences these are: colours and places by their last letter, all others as they are."""
    found = set[str]()
    for one in SEQUENCE.findall(text):
        if one.startswith("\x1b]52;c;"):
            copied = base64.b64decode(one[7:].strip("\x07\x1b\\")).decode()
            assert not DANGEROUS.search(copied.replace("\t", " ")), ascii(copied)
            found.add("a copy")
        else:
            found.add(one[-1] if one[-1] in "mH" and "?" not in one else one)
    return found


def test_nothing_but_its_own_sequences_reaches_the_terminal(tmp_path: Path) -> None:
    texts = [text for text in few(2) if text.strip()][:60]
    with ThreadPoolExecutor(2) as both:  # side by side: most of a journey is waiting for the other end
        evil, tame = both.map(
            lambda own: travelled(tmp_path / own[0], own[1]),
            (("evil", texts), ("tame", [f"tame {at}" for at in range(len(texts))])),
        )
    assert shapes(evil) <= shapes(tame)
    assert not any(one.startswith(("\x1b]0;", "\x1b]1;", "\x1b]2;")) for one in SEQUENCE.findall(evil)), (
        "no window title"
    )
    rest = SEQUENCE.sub("", evil).replace("\r", "")
    found = DANGEROUS.search(rest.replace("\t", " "))
    assert found is None, ascii(rest[max(0, found.start() - 40) : found.start() + 40])
    for text in texts:
        for escape in re.finditer("[\x1b\x9b\x9d\x90]", text):
            piece = text[escape.start() : escape.start() + 8]
            assert len(piece) < 6 or piece not in evil, ascii(piece)


def test_no_foreign_escape_reaches_the_terminal_and_it_is_left_whole(tmp_path: Path) -> None:
    path = tmp_path / "hostile.db"
    with open_store(path, write=True, create=True) as store:
        put(store, EVIL, "shell", f"the fix {EVIL}")
    tmux, copied = tmp_path / "tmux", tmp_path / "copied"
    tmux.write_text(f'#!/bin/sh\n[ "$*" = "load-buffer -w -" ] && cat > {copied}.part && mv {copied}.part {copied}\n')
    tmux.chmod(0o755)
    terminal = Terminal(str(path), TMUX="/tmp/tmux-0/default,1,0", PATH=f"{tmp_path}:{os.environ['PATH']}")
    try:
        terminal.read_until(b"the fix ")
        terminal.send(b"wipe\x1b[B")
        terminal.read_until(b"matches your words")
        terminal.send(b"y")
        terminal.read_until(b"\x1b]52;c;")
        terminal.read_until(b"Copied the")
        sent = base64.b64decode(terminal.written.rpartition(b"\x1b]52;c;")[2].partition(b"\x07")[0])
        end = monotonic() + 120
        while not copied.exists() and monotonic() < end:
            terminal.drain(0.05)
        assert copied.read_bytes() == sent, "tmux drops OSC 52 by default"
        terminal.send(b"q")
        terminal.read_until(b"\x1b[?1049l")
        assert terminal.ended() == 0
    finally:
        terminal.close()
    for sequence in FORBIDDEN:
        assert sequence not in terminal.written, sequence


@pytest.fixture
def one_case(tmp_path: Path) -> Iterator[Terminal]:
    """The workbench on a casebook of one case, which is drawn."""
    path = tmp_path / "casebook.db"
    with open_store(path, write=True, create=True) as store:
        put(store, "error: it broke", "shell", "mend it")
    terminal = Terminal(str(path))
    try:
        terminal.read_until(b"mend it")
        yield terminal
    finally:
        terminal.close()


def test_alt_and_a_digit_go_to_a_pane_from_the_box_and_a_sign_is_typed(one_case: Terminal) -> None:
    """As terminals send it, ESC and the digit: `Pilot` makes the key itself and would not see that it never comes."""
    one_case.send(b"\x1b2")
    one_case.read_until(b"Open quotes")
    one_case.send(b"\x1b1")
    one_case.read_until(b"mend it")
    one_case.send("£".encode())
    one_case.read_until("£".encode())


def test_no_key_is_pressed_by_what_is_pasted(one_case: Terminal) -> None:
    """Coloured output as tmux pastes it: escapes and all. `Pilot` gives the paste itself and would not see that."""
    one_case.send(b"\x1b[200~building\n\x1b[31merror: it broke\x1b[0m\n\x1b2 \x1bq\x1b[201~")
    one_case.read_until(b"pasted, 3 lines")
    one_case.read_until(b"same case")
    assert b"Open quotes" not in one_case.written


def test_samples_open_from_an_empty_casebook_and_lead_back_to_it(tmp_path: Path) -> None:
    terminal = Terminal(str(tmp_path / "none.db"))
    try:
        terminal.read_until(b"open the demo")
        terminal.send(b"d")
        terminal.read_until(b"Reading the samples...\r")
        terminal.read_until(b"Reading the samples...\r\n")
        terminal.read_until(b"Scope")
        terminal.send(b"\x11")
        terminal.read_until(b"No cases yet")
        terminal.send(b"\x11")
        terminal.read_until(b"\x1b[?1049l")
        assert terminal.ended() == 0
    finally:
        terminal.close()
    assert not (tmp_path / "none.db").exists(), "samples stay in a casebook of their own"
