"""The tools of agents without the server: casebooks that are missing, damaged, read-only; arguments of any kind."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.base.config.settings import Value
from core.base.config.settings_sources import default_config
from core.base.fault import Fault
from core.errors import observe, record_resolution
from core.errors.cases.record import Name
from core.errors.identity.fingerprint import identify
from core.flows.ingest.api import ingest
from core.flows.mcp import library_tools
from core.flows.mcp.context import Desk
from core.flows.mcp.registry import TOOLS, call
from core.flows.mcp.tool import checked
from core.library.ask.answer import Answer
from tests.casebooks import new_casebook
from tests.core.llm.llm_server import Reply, llm_server


def desk(database: Path, endpoint: str = "http://127.0.0.1:9") -> Desk:
    values: dict[str, Value] = {
        "models.llm.endpoint": endpoint, "embedding.model": "all-mpnet-base-v2", "embedding.service": False,
    }  # fmt: skip
    config = default_config({name: ("test", value) for name, value in values.items()})
    return Desk(database, config.values, lambda: config)


@pytest.fixture
def library(tmp_path: Path) -> Path:
    (tmp_path / "notes").mkdir()
    lines = "\n".join(f"line {n} of the long list, which goes on" for n in range(1, 301))
    (tmp_path / "notes" / "long.md").write_text(f"# Long\n\n{lines}\n")
    with new_casebook(tmp_path / "c.db") as store:
        ingest(store, [tmp_path / "notes"])
    return tmp_path / "c.db"


def test_a_casebook_that_is_missing_or_damaged_is_named(tmp_path: Path) -> None:
    missing, damaged = tmp_path / "none.db", tmp_path / "bad.db"
    damaged.write_text("this is no database, whatever its name says\n" * 100)
    with pytest.raises(Fault, match=r"none\.db") as caught:
        call("fetch", {"name": "a.md"}, desk(missing))
    assert caught.value.code == "not_indexed"
    for tool, arguments in (("search", {"query": "x"}), ("error_search", {"text": "Error: x"})):
        with pytest.raises(Fault, match=r"bad\.db"):
            call(tool, arguments, desk(damaged))
    assert not missing.exists(), "to look makes none"


def test_an_agent_gets_the_known_error_before_a_weak_match_of_another(tmp_path: Path) -> None:
    daemon = "Error response from daemon: could not "
    itself = f"{daemon}create, the container name is already in use now"
    with new_casebook(tmp_path / "c.db") as store:
        record_resolution(store, f"{daemon}reach network frontend declared as external, but missing", "create it")
        name = identify(itself)
        with store.transaction() as con:
            observe(
                con, Name(name.key_line, name.normalized, name.fingerprint, name.tool), session_id=None,
                message_idx=None, tool="Bash", project="shop", ts="2026-03-01T10:00:00.000Z", raw=itself,
            )  # fmt: skip
    found: Any = call("error_search", {"text": itself}, desk(tmp_path / "c.db"))
    assert found.match is None
    assert [(one.tier, one.resolution) for one in found.candidates] == [("fingerprint", None), ("prefix", "create it")]
    assert found.candidates[0].reason == "known error, but it has no fix yet"


def test_a_long_text_comes_in_parts_that_join(library: Path) -> None:
    found: Any = call("fetch", {"name": "long.md", "max_chars": 5_000}, desk(library))
    assert (found.truncated, found.line_start) == (True, 1)
    text = [found.text]
    while found.next is not None:
        found = call("fetch", {"name": found.next, "max_chars": 5_000}, desk(library))
        text.append(found.text)
    assert "\n".join(text) == (library.parent / "notes" / "long.md").read_text()
    around: Any = call("fetch", {"name": "long.md#L10-L11", "around": 2}, desk(library))
    assert (around.line_start, around.line_end, around.text.count("\n")) == (8, 13, 5)


def test_a_file_that_changed_since_says_so(library: Path) -> None:
    (library.parent / "notes" / "long.md").write_text("# Long\n\nanother text\n")
    found: Any = call("fetch", {"name": "long.md#L3"}, desk(library))
    assert (found.state, found.text) == ("changed", "another text")
    assert "changed" in found.told


def test_a_casebook_that_cannot_be_written_answers_all_the_same(library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from core.flows.ask import api

    whole = api.ask_library

    def refusing(database: Path, question: str, options: Any, *rest: Any, **more: Any) -> Answer:
        if options.keep:
            raise Fault("db_readonly", "it cannot be written")
        return whole(database, question, options, *rest, **more)

    monkeypatch.setattr(api, "ask_library", refusing)
    assert library_tools.ASK.name == "ask"
    with llm_server([Reply(("Line 7 of the long list goes on [1].",))]) as server:
        found = call("ask", {"question": "Which line of the long list goes on?"}, desk(library, server.endpoint))
    assert isinstance(found, Answer)


@pytest.mark.parametrize("project", ["a\0b", "\ud800"])
def test_a_project_that_no_path_can_name_is_refused(tmp_path: Path, project: str) -> None:
    call_ = {"tool_name": "Bash", "tool_input": {"command": "ls"}, "project": project}
    for tool, arguments in (("match_rules", call_), ("error_search", {"text": "Error: x", "project": project})):
        with pytest.raises(Fault, match="not allowed in paths") as caught:
            call(tool, arguments, desk(tmp_path / "c.db"))
        assert caught.value.code == "invalid_input"


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(0.1, 0.9) | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=10), inner, max_size=3),
    max_leaves=8,
)


@given(st.sampled_from(TOOLS), st.data())
@settings(max_examples=50)
def test_the_check_says_what_the_schema_says(tool: Any, data: st.DataObject) -> None:
    names = [*tool.shape["properties"], "another"]
    arguments = data.draw(st.dictionaries(st.sampled_from(names), _JSON, max_size=4))
    right = jsonschema.Draft202012Validator(tool.shape).is_valid(arguments)
    try:
        assert checked(arguments, tool.shape) is arguments
        assert right
    except Fault as fault:
        assert not right
        assert fault.code == "invalid_input"
