"""What a command may load: nothing heavy, and only the module of its own group."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]
Spawn = Callable[..., Any]
HEAVY = ("textual", "rich", "numpy", "fastembed", "onnxruntime", "watchfiles", "sqlite_vec", "tui")
_WATCHED = """
import sys
from cli.main import main
code = main(sys.argv[1:])
import json
print(json.dumps([code, sorted(sys.modules)]), file=sys.stderr)
"""


def loaded(spawn: Spawn, *args: str, stdin: bytes = b"", **env: str) -> tuple[int, set[str]]:
    done = spawn(*args, stdin=stdin, code=_WATCHED, **env)
    code, modules = json.loads(done.said.strip().split("\n")[-1])
    return code, set(modules)


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (("errors", "record", "--error", "Error: x y", "--resolution", "z"), 0),
        (("errors", "search", "Error: x y"), 1),
        (("errors", "search", "Error: x y", "--tiers", "all"), 1),
    ],
)  # fmt: skip
def test_nothing_heavy_is_loaded(spawn: Spawn, args: tuple[str, ...], code: int) -> None:
    ended, modules = loaded(spawn, *args)
    assert ended == code
    assert not [name for name in modules if name.partition(".")[0] in HEAVY]


def test_the_demonstration_loads_nothing_heavy_where_there_is_no_model(spawn: Spawn) -> None:
    ended, modules = loaded(spawn, "demo", CASEBOOK_EMBEDDING_MODEL="all-mpnet-base-v2")
    assert ended == 0
    assert not [name for name in modules if name.partition(".")[0] in HEAVY]


def test_an_undo_of_a_fix_loads_no_aligner(spawn: Spawn) -> None:
    assert loaded(spawn, "errors", "record", "--error", "Error: x y", "--resolution", "z")[0] == 0
    assert loaded(spawn, "errors", "verify", "1")[0] == 0
    ended, modules = loaded(spawn, "undo")
    assert ended == 0
    assert not [name for name in modules if name.startswith(("core.align.aligner", "core.align.guard"))]


SLOW = {
    "tomllib", "platformdirs", "tempfile", "csv", "subprocess", "asyncio", "importlib.metadata", "shutil", "random",
    "hashlib", "difflib", "logging", "zlib",
}  # fmt: skip
"""Of the standard library and beside it: what a search has no use for."""


@pytest.mark.parametrize("known", [False, True])
def test_a_search_loads_its_own_command_alone(spawn: Spawn, known: bool) -> None:
    if known:
        assert loaded(spawn, "errors", "record", "--error", "Error: x y", "--resolution", "z")[0] == 0
    ended, modules = loaded(spawn, "errors", "search", "-", stdin=b"Error: x y")
    assert ended == (0 if known else 1)
    own = {name for name in modules if name.startswith("cli.")}
    rooms = ("commands", "commands.errors", "format")
    used = ("main", "program", "parser", "output", "context", "commands.errors.search", "format.layout", "format.cases")
    assert own == {f"cli.{name}" for name in (*rooms, *used)}
    assert not modules & SLOW
    assert {name for name in modules if name.startswith("core.flows.")} == {
        *("core.flows.system", "core.flows.system.vectors", "core.flows.practice", "core.flows.practice.answer"),
    }


_FOLDER = """
import json
import sys
from core.flows.transcripts.git_folders import git_folder
found = git_folder(sys.argv[1])
print(json.dumps([found is not None and found.root, sorted(sys.modules)]), file=sys.stderr)
"""


def test_the_repository_of_a_folder_is_found_without_the_readers_of_transcripts(spawn: Spawn, tmp_path: Path) -> None:
    """Where a casebook has practice, each search asks for it."""
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD").write_text("ref: refs/heads/main")
    (tmp_path / "src").mkdir()
    done = spawn(str(tmp_path / "src"), code=_FOLDER)
    root, modules = json.loads(done.said.strip().split("\n")[-1])
    assert root == str(tmp_path)
    assert {name for name in modules if name.startswith(("core.flows.", "core.transcripts.", "core.store"))} == {
        *(f"core.flows.transcripts.{name}" for name in ("git_folders", "opening")),
        *("core.flows.transcripts", "core.transcripts.repository"),
    }


_MADE = """
import sys
from cli.main import main
main(sys.argv[1:])
kinds = {kind for module in list(sys.modules.values()) for kind in vars(module).values() if isinstance(kind, type)}
made = [f"{kind.__module__}.{kind.__name__}" for kind in kinds if "__dataclass_fields__" in vars(kind)]
print(*sorted(made), file=sys.stderr)
"""


PRACTICE = ("Approach", "FindingPlace", "KnownFailure", "Practice", "PracticeList")


def test_a_search_makes_no_dataclass_but_those_that_leave_as_json(spawn: Spawn) -> None:
    """Each takes a third of a millisecond to make, whether it is used or not; a NamedTuple a fifth of that."""
    for command in (("record", "--error", "Error: x y", "--resolution", "z"), ("search", "boom at once")):
        done = spawn("errors", *command, code=_MADE)
    answer = ("Hit", "OtherName", "Place", "Query", "SearchAnswer", "Similar", "Source")
    assert set(done.said.split()) == {
        *(f"core.errors.retrieval.answer.{name}" for name in answer),
        *(f"core.errors.lessons.{name}" for name in ("Do", "Lesson", "LessonEvidence", "When")),
        *(f"core.errors.practice.{name}" for name in PRACTICE),
        *("core.errors.identity.fingerprint.Identity", "core.errors.identity.keylines.select.KeyLine"),
        *(f"core.base.config.settings_sources.{name}" for name in ("Config", "Setting")),
        "core.embedding.models.catalogue.Thresholds",
        *("core.base.trace.Step", "core.errors.fixes.Evidence"),
    }


@pytest.mark.parametrize(
    "words", [("--help",), ("--bogus",), ("--tiers", "none", "x"), ("a", "b"), ("--version",), ("--jsonl", "x")]
)
def test_without_its_siblings_a_search_is_read_alike(run: Run, home: Path, words: tuple[str, ...]) -> None:
    """What begins with `errors search` is read by that command alone; an option before it has them all read."""
    base = ("--db", str(home / "none.db"))
    alone, among = run("errors", "search", *base, *words), run(*base, "errors", "search", *words)
    assert alone == among
    assert alone.out or alone.err


def test_the_version_loads_no_parser(spawn: Spawn) -> None:
    _, modules = loaded(spawn, "--version")
    assert not modules & {"argparse", "dataclasses", "core.errors", "cli.program"}
