"""The wheel, installed by `uv tool` and by `pip`: what it holds, and that it runs nothing of the folder it runs in."""

from __future__ import annotations

import importlib.metadata
import json
import os
import re
import subprocess
import sys
import sysconfig
import tomllib
import zipfile
from argparse import _SubParsersAction
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest

from cli.parser import build

ROOT = Path(__file__).parent.parent
OURS = ("core", "cli", "tui", "styles")
NAME = "agent-casebook"
HOSTILE = "import os; open(os.environ['MARKER'], 'a').write(__file__ + chr(10)); raise RuntimeError('project code')\n"
ERROR = "ModuleNotFoundError: No module named 'yaml'"
FAILED = {
    "session_id": "s1", "cwd": "/srv/shop", "hook_event_name": "PostToolUseFailure", "tool_name": "Bash",
    "tool_use_id": "t1", "tool_input": {"command": "python app.py"}, "error": f"Exit code 1\n{ERROR}",
}  # fmt: skip
HELLO = {
    "jsonrpc": "2.0", "id": 1, "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
}  # fmt: skip
PUSH = '{"command": "git push --force"}'
RULES = "### ERR-001: Never push with force\n\n**Pattern**: git push --force\n**Solution**: --force-with-lease\n"
HELP_OF_EACH = """
import contextlib, io, json, sys
from agent_casebook import main
for words in json.load(sys.stdin):
    sys.argv, out, code = ["casebook", *words, "--help"], io.StringIO(), None
    with contextlib.redirect_stdout(out):
        try:
            code = main()
        except SystemExit as end:
            code = end.code
    print(words, code, out.getvalue()[:6])
"""
"""Asks an installed copy for the help of many commands: a process for each would only start Python again."""


@dataclass(frozen=True)
class Installed:
    """An installed copy: its interpreter, and the command that a person types."""

    python: Path
    casebook: Path

    @property
    def isolated(self) -> list[str]:
        return [str(self.python), "-I", "-m", "agent_casebook"]


def uv(*words: str | Path, **env: str) -> None:
    """Run uv with the settings of whoever runs the tests, which no test's folder has."""
    kept = {key: value for key, value in os.environ.items() if key not in ("XDG_CONFIG_HOME", "XDG_DATA_HOME")}
    subprocess.run(["uv", *words], cwd=ROOT, check=True, env={**kept, **env}, capture_output=True)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    uv("build", "--wheel", "-q", "-o", folder)
    (found,) = folder.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def by_uv(wheel: Path) -> Installed:
    """Installed by `uv tool install`. What it depends on is the tests' own, so that nothing is downloaded."""
    folder = wheel.parent
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    needed = [*project["dependencies"], *(one for extra in project["optional-dependencies"].values() for one in extra)]
    names = sorted({re.split(r"[^\w.-]", one)[0] for one in needed})
    (folder / "none.txt").write_text("".join(f"{name} ; python_version < '3'\n" for name in names))
    uv("tool", "install", "--offline", "--python", sys.executable, "--overrides", folder / "none.txt", wheel,
       UV_TOOL_DIR=str(folder / "tools"), UV_TOOL_BIN_DIR=str(folder / "bin"))  # fmt: skip
    return lend(Installed(folder / "tools" / NAME / "bin" / "python", folder / "bin" / "casebook"))


@pytest.fixture(scope="module")
def by_pip(wheel: Path) -> Installed:
    """Installed by `pip install` into an environment of its own."""
    env = wheel.parent / "env"
    base = Path(sys.base_prefix) / "bin" / f"python{sys.version_info.major}.{sys.version_info.minor}"
    subprocess.run([base, "-m", "venv", env], check=True)
    pip = [env / "bin" / "pip", "install", "-q", "--no-index", "--no-deps", "--no-compile"]
    subprocess.run([*pip, "--disable-pip-version-check", wheel], check=True)  # what is run is compiled then
    return lend(Installed(env / "bin" / "python", env / "bin" / "casebook"))


def lend(copy: Installed) -> Installed:
    """Let an installed copy use the tests' own dependencies; their casebook is not among them."""
    (packages,) = (copy.python.parent.parent / "lib").glob("python*/site-packages")
    (packages / "lent.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return copy


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project whose packages have casebook's names, and a name of the standard library: each leaves a mark."""
    folder = tmp_path / "project"
    for name in OURS:
        (folder / name).mkdir(parents=True)
        (folder / name / "__init__.py").write_text(HOSTILE)
    for name in ("json", "orjson", "sitecustomize", "usercustomize"):
        (folder / f"{name}.py").write_text(HOSTILE)
    (folder / "notes").mkdir()
    (folder / "notes" / "ports.md").write_text("# Ports\n\nPort 3000 is taken by an old server.\n")
    (folder / "rules.md").write_text(RULES)
    (folder / "messages.json").write_text('["The retries stay at 3."]')
    (folder / "quotes.json").write_text(
        json.dumps({"entries": [{"entryId": "a", "evidence": [{"messageIndex": 0, "quote": "retries stay at 3"}]}]})
    )
    return folder


@dataclass
class Run:
    """Runs command lines in the project's folder, with PYTHONPATH=. as direnv and dev containers set it."""

    folder: Path

    @property
    def ran(self) -> set[str]:
        """The project's files that were run."""
        mark = self.folder.parent / "mark"
        return {Path(line).name for line in mark.read_text().splitlines()} if mark.exists() else set()

    def __call__(self, *words: str | Path, given: object = None, **env: str) -> subprocess.CompletedProcess[str]:
        home = self.folder.parent / "home"
        home.mkdir(exist_ok=True)
        kept = {key: value for key, value in os.environ.items() if not key.startswith(("XDG_", "CASEBOOK_", "PYTHON"))}
        own = {"HOME": str(home), "PYTHONPATH": ".", "MARKER": str(self.folder.parent / "mark"), "COLUMNS": "80"}
        model = {"CASEBOOK_EMBEDDING_MODEL": "all-mpnet-base-v2", "CASEBOOK_HOOK_HOST": "false"}
        model["CASEBOOK_HOOK_DEADLINE_MS"] = "60000"  # a busy machine is no reason for a hook to give up here
        said = "" if given is None else json.dumps(given) + "\n"
        return subprocess.run(
            words, cwd=self.folder, env={**kept, **own, **model, **env}, input=said, capture_output=True, text=True,
            check=False, timeout=120,
        )  # fmt: skip


@pytest.fixture
def run(project: Path) -> Run:
    return Run(project)


def commands() -> Iterator[list[str]]:
    """Every command and sub-command."""
    found = [(list[str](), build())]
    for words, parser in found:
        yield words
        for action in parser._actions:
            if isinstance(action, _SubParsersAction):
                found += [([*words, name], child) for name, child in action.choices.items()]


def test_the_wheel_holds_one_folder_with_all_it_needs(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    version = importlib.metadata.version(NAME)
    assert {Path(name).parts[0] for name in names} == {"agent_casebook", f"agent_casebook-{version}.dist-info"}
    for kind in ("core/samples/", "core/schemas/", "core/store/schema/", "styles/"):
        files = (path for path in (ROOT / kind).rglob("*") if path.suffix in (".jsonl", ".json", ".sql", ".tcss"))
        held = {f"agent_casebook/{path.relative_to(ROOT)}" for path in files}
        assert held
        assert held <= set(names), kind
    assert "agent_casebook/py.typed" in names


def test_the_first_command_installs_what_a_user_needs_and_the_second_is_what_ci_runs() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert project["tool"]["uv"]["default-groups"] == ["model"]
    readme, ci = (ROOT / "README.md").read_text(), (ROOT / ".ci" / "run").read_text()
    first, second = re.findall(r"^pip install uv && .*$", readme, re.MULTILINE)
    assert first == "pip install uv && uv run casebook demo"
    assert f"\n{second}\n" in ci
    assert "--group dev pytest" in second


@pytest.mark.parametrize("how", ["by_uv", "by_pip"])
def test_every_command_explains_itself_and_runs_nothing_of_the_project(
    how: str, run: Run, request: pytest.FixtureRequest
) -> None:
    copy: Installed = request.getfixturevalue(how)
    if how == "by_uv":
        told = [words for words in commands() if len(words) > 1]
        done = run(copy.python, "-I", "-c", HELP_OF_EACH, given=told)
        assert done.stdout.splitlines() == [f"{words} 0 usage:" for words in told], done.stderr
    lines = [[str(copy.casebook), *words, "--help"] for words in commands() if len(words) < 2]
    with ThreadPoolExecutor(2) as pool:
        for line, done in zip(lines, pool.map(lambda line: run(*line), lines), strict=True):
            assert (done.returncode, done.stdout[:6]) == (0, "usage:"), (line, done.stderr)
    assert run.ran <= {"sitecustomize.py"}  # Python itself runs it, before any program


def does(run: Run, *words: str, given: object = None) -> str:
    done = run(*words, given=given)
    assert done.returncode == 0, (words, done.stderr)
    return done.stdout


@pytest.mark.parametrize("how", ["by_uv", "by_pip"])
@pytest.mark.parametrize("typed", [True, False], ids=["typed", "isolated"])
def test_real_runs_run_nothing_of_the_project(how: str, typed: bool, run: Run, request: pytest.FixtureRequest) -> None:
    copy: Installed = request.getfixturevalue(how)
    casebook = [str(copy.casebook)] if typed else copy.isolated
    assert does(run, *casebook, "--version").startswith("casebook ")
    does(run, *casebook, "errors", "record", "--error", ERROR, "--resolution", "pip install pyyaml")
    assert "pip install pyyaml" in does(run, *casebook, "errors", "search", ERROR)
    assert "ModuleNotFoundError" in does(run, *casebook, "errors", "list")
    assert "ERR-001" in does(run, *casebook, "rules", "match", "--rules", "rules.md", "--tool", "Bash", "--input", PUSH)
    does(run, *casebook, "library", "ingest", "notes")
    assert "ports.md" in does(run, *casebook, "library", "search", "port 3000")
    assert '"alignment.v1"' in does(
        run, *casebook, "evidence", "align", "--messages", "messages.json", "--extracted", "quotes.json", "--json"
    )
    assert run(*casebook, "doctor").stdout.count("sqlite_open") == 1
    for words in (["schema"], ["config", "show"]):
        assert does(run, *casebook, *words)
    assert '"serverInfo"' in run(*casebook, "mcp", given=HELLO).stdout
    reply = json.loads(does(run, *casebook, "hook", given=FAILED))
    assert "pip install pyyaml" in reply["hookSpecificOutput"]["additionalContext"]
    if typed:
        assert "Known" in does(run, *casebook, "demo")
    assert run.ran <= ({"sitecustomize.py"} if typed else set())


def test_the_line_in_the_settings_runs_nothing_of_the_project_and_never_fails(by_uv: Installed, run: Run) -> None:
    does(run, str(by_uv.casebook), "errors", "record", "--error", ERROR, "--resolution", "pip install pyyaml")
    does(run, str(by_uv.casebook), "hooks", "install", "--settings", "settings.json")
    (run.folder.parent / "mark").unlink(missing_ok=True)
    (run.folder / "agent_casebook.py").write_text(HOSTILE)
    settings = json.loads((run.folder / "settings.json").read_text())
    line = settings["hooks"]["PostToolUseFailure"][0]["hooks"][0]["command"]
    assert "pip install pyyaml" in does(run, "sh", "-c", line, given=FAILED)
    hook = next(by_uv.python.parent.parent.glob("lib/python*/site-packages/agent_casebook/cli/commands/hook.py"))
    kept = hook.read_text()
    try:
        for damage in ("import nothing_of_the_kind\n", "half of a li"):
            hook.write_text(damage)
            done = run("sh", "-c", line, given=FAILED)
            assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
            for words in (["hook"], ["--db", "x.db", "hook"]):
                assert run(*by_uv.isolated, *words, given=FAILED).returncode == 0
    finally:
        hook.write_text(kept)
    assert run.ran == set()


def test_a_library_user_gets_the_packages_by_their_own_names_only(by_pip: Installed, run: Run) -> None:
    code = (
        "import agent_casebook, core.base.program, sys\n"
        "try:\n    import agent_casebook.core\nexcept ImportError:\n    print(core.base.program.VERSION)\n"
        "print(*[name for name in sys.modules if name.startswith('agent_casebook.') and sys.modules[name]])"
    )
    done = run(by_pip.python, "-I", "-c", code)
    assert done.stdout == f"{importlib.metadata.version(NAME)}\n\n", done.stderr
    code = "import sys; sys.path.insert(0, '.'); sys.modules['core'] = __import__('types').ModuleType('core'); "
    done = run(
        by_pip.python, "-I", "-c", code + "sys.modules['core'].__file__ = '/x/core/__init__.py'; import agent_casebook"
    )
    assert "another package named core is already loaded: /x/core/__init__.py" in done.stderr
