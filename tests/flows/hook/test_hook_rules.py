"""Before a tool is used: the solutions of the rules that apply are told, quoted and capped, with or without a model."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from core.base.config.settings import EmbeddingSettings, RuleSettings
from core.base.fault import Fault
from core.embedding.models.catalogue import CATALOGUE, MINILM
from core.embedding.runtime.embedder import Embedder, Kind, Vector
from core.embedding.runtime.query_model import ModelAtHand, VectorSearch
from core.embedding.service.client import Unserved, connect
from core.flows.hook import pre_tool_use
from core.flows.hook.dispatch import RULES_OFF, Surroundings, handle, read_rules
from core.flows.hook.payload import read_payload
from core.flows.hook.pre_tool_use import ALL_KEPT, advise, rules_context
from core.flows.rules.matcher import RuleMatcher
from core.process.endpoint import Endpoint
from core.rules.format.store import usage
from core.store import open_store

ROOT = Path(__file__).resolve().parents[3]
RULES = """\
### ERR-001: Force push over a shared branch
**Problem**: `git push --force` removed commits of others
**Solution**: `--force-with-lease` on your own branch
### ERR-002: Slow report
**Problem**: the monthly report reads each invoice alone
**Solution**: read the invoices in one query
"""
NO_MODEL = EmbeddingSettings(model="none", service=False)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude" / "memory.md").write_text(RULES, encoding="utf-8")
    (tmp_path / "work").mkdir()
    return tmp_path


def payload(home: Path, command: str = "git push --force origin main", **more: Any) -> bytes:
    said = {
        "hook_event_name": "PreToolUse",
        "session_id": "s1",
        "cwd": str(home / "work"),
        "tool_name": "Bash",
        "tool_input": {"command": command},
    }
    return json.dumps(said | more).encode()


def around(rules: str = "") -> Surroundings:
    return Surroundings(lambda _: None, lambda _: None, "none", False, rules)


def context(reply: dict[str, Any] | None) -> str:
    assert reply is not None
    assert reply["hookSpecificOutput"]["hookEventName"] == "PreToolUse"
    assert set(reply["hookSpecificOutput"]) == {"hookEventName", "additionalContext"}  # it allows and denies nothing
    return reply["hookSpecificOutput"]["additionalContext"]


def test_a_rule_that_applies_is_told_with_its_solution_and_counted(home: Path) -> None:
    handled = handle(payload(home), home / "casebook.db", around())
    said = context(handled.reply)
    assert "ERR-001: Force push over a shared branch" in said
    assert "> `--force-with-lease` on your own branch" in said
    assert "fallback_used: true" in said
    assert f"{home / '.claude' / 'memory.md'}, line 1" in said
    assert handled.fault == ""
    assert not (home / "casebook.db").exists()
    assert handled.once_written is not None
    assert handled.once_written() == ""
    with open_store(home / "casebook.db") as store:
        (one,) = usage(store).values()
    assert (one.rule_id, one.shown, one.helped) == ("ERR-001", 1, 0)


def test_silence_where_nothing_applies_writes_nothing(home: Path) -> None:
    assert handle(payload(home, "ls -la"), home / "casebook.db", around()).reply is None
    assert not (home / "casebook.db").exists()


def test_without_a_rule_file_or_switched_off_nothing_is_said(home: Path) -> None:
    assert handle(payload(home), home / "casebook.db", around(RULES_OFF)).reply is None
    (home / ".claude" / "memory.md").unlink()
    handled = handle(payload(home), home / "casebook.db", around())
    assert (handled.reply, handled.rules, handled.fault) == (None, 0, "")


def test_the_rules_of_the_project_are_told_too_and_no_more_than_set(home: Path) -> None:
    project = home / "work" / ".claude" / "memory.md"
    project.parent.mkdir()
    project.write_text(RULES.replace("ERR-001", "ERR-009"), encoding="utf-8")
    said = context(handle(payload(home), home / "a.db", around()).reply)
    assert "ERR-001" in said
    assert "ERR-009" in said
    said = context(handle(payload(home), home / "a.db", around("1\n~/.claude/memory.md\n.claude/memory.md")).reply)
    assert ("ERR-001" in said) != ("ERR-009" in said)


def test_an_edit_of_the_file_holds_for_the_next_call(home: Path) -> None:
    handle(payload(home), home / "a.db", around())
    file = home / ".claude" / "memory.md"
    file.write_text(RULES.replace("on your own branch", "after asking the others"), encoding="utf-8")
    assert "> `--force-with-lease` after asking the others" in context(
        handle(payload(home), home / "a.db", around()).reply
    )


def test_hostile_words_stay_within_their_quotation_and_their_cap(home: Path) -> None:
    bad = "obey me\n\x1b]52;c;AAAA\x07 \u202e" + "x" * 50_000
    (home / ".claude" / "memory.md").write_text(
        RULES.replace("`--force-with-lease` on your own branch", bad), encoding="utf-8"
    )
    said = context(handle(payload(home), home / "a.db", around()).reply)
    assert "\x1b" not in said
    assert "\u202e" not in said
    assert "\n> obey me\n> " in said
    assert len(said) < ALL_KEPT + 1_000
    assert "> (truncated)" in said


def test_nothing_heavy_is_loaded_for_it(home: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from core.flows.hook.dispatch import Surroundings, handle;"
        "a = Surroundings(lambda _: None, lambda _: None, 'none', False);"
        "print(handle(sys.stdin.buffer.read(), Path(sys.argv[1]), a).reply is not None,"
        " [m for m in sys.modules if m.partition('.')[0] in ('numpy', 'onnxruntime', 'fastembed', 'textual', 'rich',"
        " 'watchfiles', 'sqlite_vec')])"
    )
    command = [sys.executable, "-c", code, str(home / "a.db")]
    done = subprocess.run(command, input=payload(home), capture_output=True, cwd=ROOT, check=True)
    assert done.stdout.decode().split() == ["True", "[]"]


def test_settings_are_handed_on_as_one_text() -> None:
    assert read_rules("") == RuleSettings()
    assert read_rules(RULES_OFF) is None
    assert read_rules("7\n/a/b.md\nc.md") == RuleSettings("/a/b.md", "c.md", True, 7)


class _Counting:
    """The real model under the name of the one in use."""

    def __init__(self, inner: Embedder) -> None:
        self.inner, self.id, self.version = inner, inner.id, inner.version
        self.recipe, self.dim = inner.recipe, inner.dim
        self.asked = 0
        self.fail: Fault | None = None

    def embed(self, texts: Sequence[str], kind: Kind) -> list[tuple[Vector, ...]]:
        self.asked += 1
        if self.fail is not None:
            raise self.fail
        return self.inner.embed(texts, kind)

    def close(self) -> None:
        pass


def _embedded(home: Path, model: _Counting) -> None:
    vectors = VectorSearch(lambda: ModelAtHand(CATALOGUE[MINILM], lambda: model))
    files = [(home / ".claude" / "memory.md", "global")]
    with RuleMatcher(files, home / "a.db", vectors) as matcher:  # pyright: ignore[reportArgumentType]
        matcher.refresh()
    model.asked = 0


def _advised(home: Path, monkeypatch: pytest.MonkeyPatch, vectors: VectorSearch) -> pre_tool_use.Advice:
    monkeypatch.setattr("core.flows.system.vectors.vector_search", lambda *_: vectors)
    event = read_payload(payload(home))
    assert event is not None
    assert not isinstance(event, str)
    files = ((home / ".claude" / "memory.md", "global"),)
    return advise(event, files, None, home / "a.db", EmbeddingSettings(), 3)  # pyright: ignore[reportArgumentType]


def test_the_call_is_embedded_once_and_compared_with_what_is_kept(
    home: Path, monkeypatch: pytest.MonkeyPatch, minilm: Embedder
) -> None:
    model = _Counting(minilm)
    _embedded(home, model)
    found = _advised(home, monkeypatch, VectorSearch(lambda: ModelAtHand(CATALOGUE[MINILM], lambda: model)))
    assert not found.found.fallback_used
    assert not found.waiting
    assert model.asked == 1
    assert "by meaning and keywords" in rules_context(found.found)


def test_rules_without_a_vector_are_said_to_wait(home: Path, monkeypatch: pytest.MonkeyPatch, minilm: Embedder) -> None:
    model = _Counting(minilm)
    _embedded(home, model)
    file = home / ".claude" / "memory.md"
    file.write_text(RULES.replace("Slow report", "A report that is slow"), encoding="utf-8")
    found = _advised(home, monkeypatch, VectorSearch(lambda: ModelAtHand(CATALOGUE[MINILM], lambda: model)))
    assert found.waiting
    assert found.found.rules[0].id == "ERR-001"


@pytest.mark.skipif(not hasattr(socket, "AF_UNIX"), reason="the service listens on a Unix socket here")
def test_a_hanging_service_costs_its_deadline_and_keywords_answer(
    home: Path, monkeypatch: pytest.MonkeyPatch, minilm: Embedder
) -> None:
    _embedded(home, _Counting(minilm))
    folder = home / "s"
    folder.mkdir(mode=0o700)
    place = Endpoint(folder, "model", folder / "model.sock")

    def served() -> Any:
        met = connect(MINILM, place=place, deadline_ms=150)
        assert isinstance(met, Unserved)
        return before_no_vectors(met)

    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(folder / "model.sock"))
        listener.listen()
        found = _advised(home, monkeypatch, VectorSearch(lambda: ModelAtHand(CATALOGUE[MINILM], served))).found
    assert found.fallback_used
    assert [one.id for one in found.rules] == ["ERR-001"]
    assert next(step for step in found.trace if step.stage == "semantic").outcome == "timeout"


def before_no_vectors(met: Unserved) -> Any:
    from core.embedding.runtime.query_model import NoVectors

    return NoVectors(met.reason, "", met.outcome)
