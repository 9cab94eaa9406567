"""Tool calls of imported sessions by page, and the cache of a rule, read from a casebook."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core.rules.calls import about, call_keys, call_rows, stored_call
from core.rules.format.parse import parse
from core.rules.format.store import sync
from core.rules.matching.semantic import cache_state
from core.store import Store, open_store
from tests.core.rules.explanation.test_reasons import RULES


def put_calls(store: Store, *calls: tuple[str, str]) -> None:
    with store.transaction() as con:
        con.execute("INSERT INTO session(id, agent, project) VALUES ('s', 'plain', '/w/shop')")
        for at, (name, given) in enumerate(calls):
            con.execute(
                "INSERT INTO tool_call(session_id, tool_use_id, name, input_json, call_idx) VALUES ('s', ?, ?, ?, ?)",
                (f"t{at}", name, given, at),
            )


def test_calls_come_newest_first_and_any_page_is_read_by_its_keys(tmp_path: Path) -> None:
    many = [("Bash", json.dumps({"command": f"echo {at}"})) for at in range(500)]
    with open_store(tmp_path / "c.db", write=True, create=True) as store:
        put_calls(store, *many, ("Write", '{"file_path": "a.py", "content": "x"}'))
        keys = call_keys(store)
        assert len(keys) == 501
        assert [row.about for row in call_rows(store, keys[:2])] == ["a.py x", "echo 499"]
        assert [row.about for row in call_rows(store, keys[300:302])] == ["echo 200", "echo 199"]
        assert len(call_keys(store, "Write")) == 1
        whole = stored_call(store, keys[1])
        assert whole is not None
        assert (whole.call.tool_name, whole.call.tool_input, whole.session) == ("Bash", {"command": "echo 499"}, "s")
        assert stored_call(store, 10_000) is None
        assert call_rows(store, [10_000]) == ()


def test_inputs_that_are_no_objects_or_huge_are_shown_all_the_same(tmp_path: Path) -> None:
    huge = json.dumps({"content": "lang " * 100_000})
    with open_store(tmp_path / "c.db", write=True, create=True) as store:
        put_calls(store, ("Odd", "not json"), ("Odd", "[1, 2]"), ("Write", huge), ("Odd", "{}"))
        rows = call_rows(store, call_keys(store))
        assert [row.about[:8] for row in rows] == ["{}", "lang lan", "[1, 2]", "not json"]
        assert all(len(row.about) <= 300 for row in rows)
        found = stored_call(store, call_keys(store)[3])
        assert found is not None
        assert found.call.tool_input == {"input": "not json"}


def test_the_cache_of_a_rule_says_what_is_kept_of_it(tmp_path: Path) -> None:
    path = tmp_path / "memory.md"
    path.write_text(RULES, encoding="utf-8")
    file = parse(path)
    with open_store(tmp_path / "c.db", write=True, create=True) as store:
        assert cache_state(store, file.rules[0]).looked is None
        sync(store, [file], 1_000.0)
        kept = cache_state(store, file.rules[0])
        assert (kept.looked, kept.current, kept.waiting, kept.vectors) == (1_000.0, True, True, ())
        assert kept.file_sha == file.sha256
        path.write_text(RULES.replace("shared branch", "branch of others"), encoding="utf-8")
        assert not cache_state(store, parse(path).rules[0]).current


PATCH = "*** Begin Patch\n*** Update File: a.py\n@@ def run():\n same\n-x = 1\n+x = 2\n*** End Patch\n"


@pytest.mark.parametrize(
    "given",
    [
        {"input": PATCH},
        {"command": ["apply_patch", PATCH]},
        {"command": ["bash", "-lc", f"apply_patch <<'EOF'\n{PATCH}EOF"]},
    ],
)
def test_a_patch_is_told_by_its_file_and_by_what_it_changes(given: dict[str, Any]) -> None:
    assert about("apply_patch" if "input" in given else "shell", json.dumps(given)) == "a.py -x = 1 +x = 2"


def test_a_patch_that_was_cut_off_is_told_as_far_as_it_goes() -> None:
    whole = json.dumps({"input": PATCH.replace("x = 2", "y" * 9_000)})
    assert about("apply_patch", whole[:4_000], whole=False).startswith("a.py -x = 1 +yyy")


def test_who_only_speaks_of_patches_makes_none() -> None:
    said = "grep -rn '*** Begin Patch' docs"
    assert about("Bash", json.dumps({"command": said})) == said
