"""What a living window writes is its own; a killed one leaves its text to whoever comes first."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

from core.errors import record_resolution
from core.errors.curation.autosave import (
    Scratch,
    Unsaved,
    Writer,
    keep_scratch,
    read_scratches,
    take_along,
    unsaved_texts,
)
from core.errors.curation.decisions import edit
from core.errors.curation.transaction import Written, look
from core.flows.system.history import take_back
from core.store import open_store

WINDOW = """
import sys, time
from pathlib import Path
from core.errors.curation.autosave import Scratch, Writer
from core.errors.curation.transaction import Written
writer = Writer(Path(sys.argv[1]))
writer.keep(Scratch(7, writer.name, Written("typed there")))
print("kept", flush=True)
time.sleep(600)
"""


def test_the_text_of_a_killed_window_is_free_and_that_of_a_living_one_is_not(tmp_path: Path) -> None:
    here = Writer(tmp_path)
    here.keep(Scratch(7, here.name, Written("typed here")))
    window = subprocess.Popen([sys.executable, "-c", WINDOW, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    try:
        assert window.stdout is not None
        assert window.stdout.readline() == "kept\n"
        kept = here.saved(7)
        assert [one.written.text for one in kept.free] == ["typed here"]
        assert [one.written.text for one in kept.living] == ["typed there"]
        assert [one.case_id for one in here.saved().living] == [7]
    finally:
        window.kill()
        window.wait()
    kept = here.saved(7)
    assert [one.written.text for one in kept.free] == ["typed here", "typed there"], "one's own comes first"
    assert not kept.living


def test_a_text_is_gone_on_with_by_one_window_alone_and_is_its_own_from_then_on(tmp_path: Path) -> None:
    keep_scratch(tmp_path, Scratch(7, "p1", Written("left over"), 3))
    first, second = Writer(tmp_path), Writer(tmp_path)
    (one,), (same,) = first.saved(7).free, second.saved(7).free
    taken = first.take(one)
    assert taken is not None
    assert (taken.written.text, taken.base, taken.writer) == ("left over", 3, first.name)
    assert second.take(same) is None
    assert second.saved(7).living == read_scratches(tmp_path, 7)
    assert first.take(taken) == taken
    first.ended()
    assert [one.writer for one in second.saved(7).free] == [first.name]


def test_an_unfinished_file_of_a_killed_window_is_removed(tmp_path: Path) -> None:
    old, new = tmp_path / ".7-w0.json.abc.part", tmp_path / ".8-w1.json.abc.part"
    for part, age in ((old, 2 * 3600), (new, 0)):
        part.write_text("typed")
        os.utime(part, (time.time() - age,) * 2)
    here = Writer(tmp_path)
    here.keep(Scratch(7, here.name, Written("typed")))
    assert (old.exists(), new.exists()) == (False, True), "another window may be writing the new one"


def test_nothing_is_left_of_a_window_that_has_saved_all(tmp_path: Path) -> None:
    here = Writer(tmp_path)
    for case_id in (7, 8):
        here.keep(Scratch(case_id, here.name, Written("typed")))
    here.drop(7)
    assert [one.case_id for one in Writer(tmp_path).saved().living] == [8]
    here.drop(8)
    assert not list(tmp_path.iterdir())
    here.keep(Scratch(7, here.name, Written("again")))
    assert Writer(tmp_path).saved().living


def test_a_text_that_became_a_fix_is_not_unsaved(tmp_path: Path) -> None:
    window, texts = Writer(tmp_path / "scratch"), ("saved at quit", "typed later")
    with open_store(tmp_path / "casebook.db", create=True) as store:
        record_resolution(store, "fatal: bad object", "a fix")
        key = look(store.con, 1).key
        for text in texts:
            window.keep(Scratch(1, "", Written(text), key=key), apart=True)
        window.ended()
        edit(store, "kim", [look(store.con, 1)], Written(texts[0]))
        assert [one.scratch.written.text for one in unsaved_texts(store, window)] == [texts[1]]
        take_back(store, "kim")
        assert len(unsaved_texts(store, window)) == 2, "undone, it is in no case"


def test_a_text_that_follows_its_case_leaves_the_other_text_of_its_window(tmp_path: Path) -> None:
    window = Writer(tmp_path)
    window.keep(Scratch(1, "", Written("for the one")))
    window.keep(Scratch(2, "", Written("for the other, which was merged into it")))
    window.ended()
    (other,) = read_scratches(tmp_path, 2)
    assert take_along(tmp_path, Unsaved(other, 1)) == 1
    texts = {one.written.text for one in read_scratches(tmp_path, 1)}
    assert texts == {"for the one", "for the other, which was merged into it"}
    assert read_scratches(tmp_path, 2) == ()
