"""People with a home folder, a casebook and a clone each.

git and hooks run as processes of their own; other commands run in this one, in the person's environment and folder.
"""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from cli.main import main
from core.errors.cases.record import record_resolution
from core.errors.lessons import Do, Lesson, When, lesson_json
from core.store import open_store
from tests.schemas import check_schema

ROOT = Path(__file__).resolve().parents[3]
NAME = ".casebook/lessons.jsonl"


@dataclass(frozen=True)
class Person:
    """A person: the home folder, and the working tree."""

    home: Path
    tree: Path

    @property
    def database(self) -> Path:
        return self.home / ".local/share/casebook/casebook.db"

    @property
    def file(self) -> Path:
        return self.tree / NAME

    @property
    def environ(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "CASEBOOK_", "GIT_"))}
        return kept | {
            "HOME": str(self.home), "LOGNAME": self.home.name, "USER": self.home.name, "PYTHONPATH": str(ROOT),
            "CASEBOOK_EMBEDDING_MODEL": "none", "CASEBOOK_HOOK_HOST": "false",
            "CASEBOOK_EMBEDDING_SERVICE": "false", "GIT_CONFIG_NOSYSTEM": "1", "CASEBOOK_HOOK_DEADLINE_MS": "60000",
        }  # fmt: skip

    def run(self, *args: str, stdin: str = "", code: int | None = 0) -> str:
        """What a casebook command prints; it must end with `code`, unless that is None."""
        ended, out, err = self._run_process(args, stdin) if args[0] == "hook" else self._run_here(args)
        assert code is None or ended == code, (args, ended, out, err)
        return out or err

    def _run_process(self, args: tuple[str, ...], stdin: str) -> tuple[int, str, str]:
        done = subprocess.run(
            [sys.executable, "-m", "cli", *args], input=stdin, capture_output=True, text=True, env=self.environ,
            cwd=self.tree, check=False, timeout=120,
        )  # fmt: skip
        return done.returncode, done.stdout, done.stderr

    def _run_here(self, args: tuple[str, ...]) -> tuple[int, str, str]:
        environ = self.environ
        streams = {name: io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for name in ("stdin", "stdout", "stderr")}
        with pytest.MonkeyPatch.context() as patch:
            for name in os.environ.keys() - environ.keys():
                patch.delenv(name)
            for name, value in environ.items():
                patch.setenv(name, value)
            for name, stream in streams.items():
                patch.setattr(sys, name, stream)
            patch.chdir(self.tree)
            ended = main(args)
        time.sleep(0.002)  # times are kept in milliseconds: no two commands have the same
        out, err = (_printed(streams[name]) for name in ("stdout", "stderr"))
        return ended, out, err

    def json(self, *args: str, code: int | None = 0) -> Any:
        """The object that a command prints; it satisfies its schema."""
        found = json.loads(self.run(*args, "--json", code=code))
        check_schema(found)
        return found

    def git(self, *args: str, code: int | None = 0) -> str:
        done = subprocess.run(
            ["git", *args], capture_output=True, text=True, env=self.environ, cwd=self.tree, check=False, timeout=120
        )
        assert code is None or done.returncode == code, (args, done.returncode, done.stdout, done.stderr)
        return done.stdout

    def commit(self, message: str) -> None:
        self.git("add", "-A")
        self.git("commit", "-qm", message)

    def fix(self, error: str, do: str, **more: Any) -> int:
        """A verified fix of this repository with a lesson; its number."""
        return add_fix(self.database, str(self.tree), error, do, **more)

    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.file.read_text("utf-8").splitlines()]


def _printed(stream: io.TextIOWrapper) -> str:
    stream.seek(0)
    return stream.read()


def add_fix(database: Path, folder: str, error: str, do: str, *, session: str = "", **more: Any) -> int:
    """A verified fix that a session in `folder` found, with its lesson."""
    repository = more.pop("repository", "github.com/acme/shop")
    found = record_resolution(database, error, f"**Run** `{do}`", status="verified", author="person")
    assert found.resolution_id is not None
    lesson = Lesson(When(more.pop("said", error), **more.pop("when", {})), Do("command", do), **more)
    session = session or f"session of {folder}"
    with open_store(database, write=True) as store, store.transaction() as con:
        con.execute(
            "INSERT OR IGNORE INTO session(id, agent, project, repository) VALUES (?1, 'codex', ?2, ?3)",
            (session, folder, repository),
        )
        con.execute(
            "UPDATE resolution SET session_id = ?, lesson = ? WHERE id = ?",
            (session, lesson_json(lesson), found.resolution_id),
        )
    return found.resolution_id


@pytest.fixture(scope="session")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a bare repository that has one commit, and a clone of it."""
    folder = tmp_path_factory.mktemp("shop")

    def git(*args: str) -> None:
        subprocess.run(["git", *args], cwd=folder, check=True, timeout=60)

    git("init", "-q", "--bare", "-b", "main", "shop.git")
    git("clone", "-q", "shop.git", "first")
    (folder / "first" / "README.md").write_text("# Shop\n")
    git("-C", "first", "add", "-A")
    git("-C", "first", "-c", "user.name=mina", "-c", "user.email=mina@example.com", "commit", "-qm", "begin")
    git("-C", "first", "push", "-q", "origin", "HEAD:main")
    git("clone", "-q", "shop.git", "clone")
    return folder


@pytest.fixture
def people(tmp_path: Path, shop: Path) -> Callable[..., list[Person]]:
    """People whose clones share one bare repository: copies, which take a tenth of what git needs to make them."""

    def make(*names: str) -> list[Person]:
        bare, url = tmp_path / "acme" / "shop.git", "https://github.com/acme/shop.git"
        shutil.copytree(shop / "shop.git", bare)
        found: list[Person] = []
        for name in names:
            one = Person(tmp_path / "home" / name, tmp_path / "home" / name / "work" / "shop")
            one.database.parent.mkdir(parents=True, mode=0o700)
            shutil.copytree(shop / "clone", one.tree)
            config = one.tree / ".git" / "config"
            theirs = f'[user]\n\tname = {name}\n\temail = {name}@example.com\n[url "{bare}"]\n\tinsteadOf = {url}\n'
            config.write_text(config.read_text().replace(str(shop / "shop.git"), url) + theirs)
            found.append(one)
        return found

    return make
