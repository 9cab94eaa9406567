"""The Rules pane with the real MiniLM: words answer at once, the model joins, an edit is followed by both."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from core.base.config.settings_sources import load_config
from core.embedding.models.catalogue import MINILM
from core.embedding.models.models import pulled_folder
from core.embedding.runtime.embedder import Embedder
from core.embedding.service.client import Embed
from core.process.worker import Call
from core.rules.evaluation.clusters import ToGroup
from core.store import open_store
from tests.tui.panes.rules.support import CALLS, PUSH, RULES, answered, idle, ids, opened, put_calls, told
from tests.tui.support import NOW, frame, until
from tui.panes.rules import matching
from tui.panes.rules.rule_actions import PickRule
from tui.panes.rules.screen import RulesScreen
from tui.runtime.vector_process import VectorProcess
from tui.services.environment import Surroundings
from tui.shell.app import CasebookApp

ROOT = Path(__file__).parents[4]


@pytest.fixture
def at_home(tmp_path: Path, minilm_folder: Path, minilm: Embedder, monkeypatch: pytest.MonkeyPatch) -> None:
    """A home of its own, with the model that all tests share."""
    for name in ("CONFIG", "DATA", "STATE", "CACHE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
    for name in [name for name in os.environ if name.startswith("CASEBOOK_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("CASEBOOK_EMBEDDING_AUTO", "false")
    folder = pulled_folder(MINILM)
    folder.parent.mkdir(parents=True)
    folder.symlink_to(minilm_folder)


def an_app(tmp_path: Path) -> tuple[CasebookApp, Path]:
    """The workbench with settings, and so with the model; the rule file it follows."""
    rules = tmp_path / "memory.md"
    rules.write_text(RULES, encoding="utf-8")
    casebook = put_calls(tmp_path / "calls.db", *CALLS)
    return CasebookApp(casebook, around=Surroundings(load_config(), rules=(rules,)), clock=lambda: NOW), rules


def told_of(screen: RulesScreen, call: str) -> str:
    """What the semantic step says of this call; empty before the last word about it is there."""
    ranked = screen.rank.ranked
    if ranked is None or ranked.soon or not answered(screen, call):
        return ""
    return next(step.reason for step in ranked.match.trace if step.stage == "semantic")


async def test_the_model_joins_and_follows_an_edit(
    tmp_path: Path, at_home: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    app, rules = an_app(tmp_path)
    read, grouped, ask = list[str](), list[int](), VectorProcess.ask

    def asked(process: VectorProcess, job: Any, question: Any, *given: Any) -> Any:
        if isinstance(question, Embed) and question.kind == "document":
            read.extend(question.texts)
        if isinstance(question, ToGroup):
            grouped.append(len(question.vectors))
        return ask(process, job, question, *given)

    monkeypatch.setattr(VectorProcess, "ask", asked)
    async with app.run_test(size=(200, 50)) as pilot:
        screen = await opened(pilot, app)

        def by_meaning() -> bool:
            ranked = screen.rank.ranked
            return ranked is not None and answered(screen, PUSH) and not ranked.match.fallback_used and idle(app)

        await until(pilot, by_meaning)
        ranked = screen.rank.ranked
        assert ranked is not None
        assert not ranked.soon
        assert all(one.similarity is not None for one in (*ranked.match.rules, *ranked.match.below))
        await until(pilot, lambda: "all-MiniLM-L6-v2@" in told(screen) and "up to date" in told(screen))
        await pilot.press("w")
        await until(pilot, lambda: isinstance(app.screen, PickRule))
        await pilot.press(*"retry", "enter")
        await until(pilot, lambda: "similarity 0." in frame(app) and "Missing requirements" in frame(app))
        assert sorted(text[:7] for text in read) == ["ERR-001", "ERR-002", "ERR-003", "ERR-004"]
        read.clear()
        rules.write_text(RULES.replace("Force push over a shared branch", "Letters fell off the sign"), "utf-8")
        await until(pilot, lambda: "Letters fell off the sign" in frame(app) and by_meaning())
        assert screen.rank.ranked is not None
        was = {one.id: one.relevance_score for one in (*ranked.match.rules, *ranked.match.below)}
        now = screen.rank.ranked.match
        by = [abs(one.relevance_score - was[one.id]) for one in (*now.rules, *now.below) if one.id == "ERR-001"]
        moved = bool(screen.rank.ranked.moved)
        assert moved == (max(by) >= 0.02), f"what moved is told by the same tiers as before: {by}"
        assert [text[:30] for text in read] == ["ERR-001: Letters fell off the "], "the edited rule is read alone"
        await pilot.press("c")
        await until(pilot, lambda: "4 rules, compared by meaning" in frame(app))
        assert grouped == [4], "they are compared in the process"
    with open_store(app.jobs.path) as store:
        kept = store.con.execute("SELECT count(*) FROM vector WHERE kind = 'rule'").fetchone()
    assert kept == (4,)


async def test_the_rule_one_was_at_stays_when_the_model_has_spoken(tmp_path: Path, at_home: None) -> None:
    app, rules = an_app(tmp_path)
    app.remember("rules", {"call": 3, "path": str(rules), "rule": "ERR-003", "line": 16})
    async with app.run_test(size=(200, 50)) as pilot:
        screen = await opened(pilot, app)
        await until(pilot, lambda: told_of(screen, PUSH) and idle(app))
        assert screen.rank.chosen is not None
        assert (screen.rank.chosen.id, screen.rank.rows.chosen > 0) == ("ERR-003", True)


async def test_a_process_that_died_is_begun_again_for_the_next_call(tmp_path: Path, at_home: None) -> None:
    app, _ = an_app(tmp_path)
    async with app.run_test(size=(200, 50)) as pilot:
        screen = await opened(pilot, app)
        await until(pilot, lambda: "is closest" in told_of(screen, PUSH))
        process = app.errors.meaning.process
        assert process is not None
        first = process._child
        assert first is not None
        first.kill()
        await pilot.press("j")
        await until(pilot, lambda: "is closest" in told_of(screen, "ls -la"))
        assert process._child not in (first, None)


async def test_while_the_process_keeps_it_waiting_keywords_answer(tmp_path: Path, at_home: None) -> None:
    app, _ = an_app(tmp_path)
    async with app.run_test(size=(200, 50)) as pilot:
        screen = await opened(pilot, app)
        await until(pilot, lambda: "is closest" in told_of(screen, PUSH) and idle(app))
        child = app.errors.meaning.process and app.errors.meaning.process._child
        assert child is not None
        assert child.pid is not None
        os.kill(child.pid, signal.SIGSTOP)
        await pilot.press("j")
        await until(pilot, lambda: answered(screen, "ls -la") and screen.rank.ranked is not None)
        assert screen.rank.ranked is not None
        assert screen.rank.ranked.soon
        assert "model loading" in frame(app)
        assert not any(verdict in frame(app) for verdict in ("o rule applies", "silence", "no model used"))
        (step,) = [step for step in screen.rank.ranked.match.trace if step.stage == "semantic"]
        assert step.reason == "the model is still loading"
        os.kill(child.pid, signal.SIGCONT)
        await until(pilot, lambda: "is closest" in told_of(screen, "ls -la"))


def dies(_call: Call, *_given: object) -> None:
    os._exit(9)


async def test_where_the_process_dies_keywords_answer_and_the_trace_says_so(
    tmp_path: Path, at_home: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.flows.system.vectors.answer_question", dies)
    monkeypatch.setattr(matching, "_AGAIN", 0.05)
    app, _ = an_app(tmp_path)
    async with app.run_test(size=(200, 50)) as pilot:
        screen = await opened(pilot, app)
        await until(pilot, lambda: "exited" in told_of(screen, PUSH))
        ranked = screen.rank.ranked
        assert ranked is not None
        assert ranked.unfinished, "it is asked again"
        assert ids(screen)[0] == "ERR-001"
        assert ranked.match.fallback_used
        await pilot.press("j")
        await until(pilot, lambda: "exited" in told_of(screen, "ls -la"))
        await pilot.press("c")
        await until(pilot, lambda: "compared by words" in frame(app))


STARTED = """
import asyncio, sys
from pathlib import Path
from core.base.config.settings_sources import load_config
from tests.tui.panes.rules.support import PUSH, answered, idle, opened
from tests.tui.quiet import nothing_gives_way
from tests.tui.support import until
from tui.shell.app import CasebookApp
from tui.services.environment import Surroundings

async def main():
    app = CasebookApp(Path(sys.argv[1]), around=Surroundings(load_config(), rules=(Path(sys.argv[2]),)))
    async with app.run_test(size=(200, 50)) as pilot:
        screen = await opened(pilot, app)
        await until(pilot, lambda: answered(screen, PUSH) and not screen.rank.ranked.match.fallback_used and idle(app))
        print(*sorted({name.partition(".")[0] for name in sys.modules}))

with nothing_gives_way():
    asyncio.run(main())
"""


def test_the_model_is_never_loaded_by_the_workbench_itself(tmp_path: Path, at_home: None) -> None:
    app, rules = an_app(tmp_path)
    done = subprocess.run(
        [sys.executable, "-c", STARTED, str(app.jobs.path), str(rules)], cwd=ROOT, check=False, capture_output=True,
        text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    loaded = set(done.stdout.split())
    assert "textual" in loaded
    assert not {"numpy", "onnxruntime", "fastembed", "tokenizers"} & loaded


async def test_without_a_casebook_no_model_is_promised(tmp_path: Path, at_home: None) -> None:
    """Vectors are kept in a casebook: where there is none yet, words alone compare, and the caption says so."""
    rules = tmp_path / "memory.md"
    rules.write_text(RULES, encoding="utf-8")
    app = CasebookApp(tmp_path / "none.db", around=Surroundings(load_config(), rules=(rules,)), clock=lambda: NOW)
    async with app.run_test(size=(200, 50)) as pilot:
        screen = await opened(pilot, app)
        await pilot.press("n", *"Bash", "tab", *'{"command":"git push"}')
        await until(pilot, lambda: answered(screen, "git push") and idle(app))
        assert screen.rank.ranked is not None
        assert not screen.rank.ranked.soon
        assert "keywords only" in str(screen.rank.border_title)
