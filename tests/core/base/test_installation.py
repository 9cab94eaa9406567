"""The command that installs an extra is the one that fits how casebook was installed."""

from __future__ import annotations

import json
import re
import shlex
import tomllib
from pathlib import Path

import pytest

from core.base.installation import Installation, look, remedy
from core.base.program import DISTRIBUTION

ROOT = Path(__file__).parents[3]
PYTHON = "/opt/my env/bin/python"


def test_the_name_is_that_of_the_distribution() -> None:
    assert tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["name"] == DISTRIBUTION


def copy_in(prefix: Path, installer: str = "") -> Path:
    """An installed copy in the environment `prefix`: the folder of its packages."""
    packages = prefix / "lib" / "python3.12" / "site-packages"
    (packages / "agent_casebook").mkdir(parents=True)
    info = packages / "agent_casebook-0.1.0.dist-info"
    info.mkdir()
    (info / "INSTALLER").write_text(installer + "\n")
    return packages / "agent_casebook"


@pytest.mark.parametrize(
    ("requirement", "wanted"),
    [
        ('{ name = "agent-casebook" }', "agent-casebook[mcp]"),
        ('{ name = "agent-casebook", extras = ["pdf"] }', "agent-casebook[pdf,mcp]"),
        ('{ name = "agent-casebook", directory = "/src/a b" }', "agent-casebook[mcp] @ file:///src/a%20b"),
        ('{ name = "agent-casebook", git = "https://h/x?rev=1" }', "agent-casebook[mcp] @ git+https://h/x?rev=1"),
        ('{ name = "other" }, { name = "agent-casebook" }', "agent-casebook[mcp]"),
    ],
)
def test_a_tool_of_uv_keeps_its_extras_and_its_source(tmp_path: Path, requirement: str, wanted: str) -> None:
    root = copy_in(tmp_path, "uv")
    (tmp_path / "uv-receipt.toml").write_text(f"[tool]\nrequirements = [{requirement}]\n")
    found = look(tmp_path, root, PYTHON)
    assert shlex.split(found.remedy("mcp")) == ["uv", "tool", "install", wanted]
    assert found.upgrade() == "uv tool upgrade agent-casebook"


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ("agent-casebook", "agent-casebook[mcp]"),
        ("agent-casebook[code, pdf]", "agent-casebook[code,pdf,mcp]"),
        ("/src/casebook", "agent-casebook[mcp] @ file:///src/casebook"),
        ("/src/casebook[pdf]", "agent-casebook[pdf,mcp] @ file:///src/casebook"),
        ("agent-casebook[pdf] @ file:///src/c", "agent-casebook[pdf,mcp] @ file:///src/c"),
        ("git+https://h/x", "agent-casebook[mcp] @ git+https://h/x"),
    ],
)
def test_an_application_of_pipx_keeps_its_extras_and_its_source(tmp_path: Path, given: str, wanted: str) -> None:
    root = copy_in(tmp_path, "pip")
    (tmp_path / "pipx_metadata.json").write_text(json.dumps({"main_package": {"package_or_url": given}}))
    assert shlex.split(look(tmp_path, root, PYTHON).remedy("mcp")) == ["pipx", "install", "--force", wanted]


def test_elsewhere_the_interpreter_says_which_environment_is_meant(tmp_path: Path) -> None:
    pip = look(tmp_path, copy_in(tmp_path / "a", "pip"), PYTHON)
    assert shlex.split(pip.remedy("mcp")) == [PYTHON, "-m", "pip", "install", "agent-casebook[mcp]"]
    uv = look(tmp_path, copy_in(tmp_path / "b", "uv"), PYTHON)
    assert shlex.split(uv.remedy("mcp"))[:5] == ["uv", "pip", "install", "--python", PYTHON]


@pytest.mark.parametrize(
    ("record", "source"),
    [
        ({"url": "file:///src/a%20b", "dir_info": {}}, "file:///src/a%20b"),
        ({"url": "https://h/x", "vcs_info": {"vcs": "git", "commit_id": "c0ffee"}}, "git+https://h/x"),
        ({"url": "https://h/agent_casebook-0.1.0.whl", "archive_info": {}}, "https://h/agent_casebook-0.1.0.whl"),
    ],
)
@pytest.mark.parametrize("installer", ["pip", "uv"])
def test_a_copy_that_is_from_no_index_is_not_looked_up_in_one(
    tmp_path: Path, installer: str, record: dict[str, object], source: str
) -> None:
    root = copy_in(tmp_path, installer)
    (root.parent / "agent_casebook-0.1.0.dist-info" / "direct_url.json").write_text(json.dumps(record))
    found = look(tmp_path, root, PYTHON)
    assert found.installer == installer
    assert shlex.split(found.remedy("mcp"))[-1] == f"agent-casebook[mcp] @ {source}"
    assert shlex.split(found.upgrade())[-1] == f"agent-casebook @ {source}"


def test_a_checkout_is_synced(tmp_path: Path) -> None:
    assert remedy("mcp") == "uv sync --extra mcp"
    assert look(tmp_path, ROOT, PYTHON).upgrade() == "git pull && uv sync"


@pytest.mark.parametrize("name", ["uv-receipt.toml", "pipx_metadata.json"])
@pytest.mark.parametrize("text", ["", "[", "{}", '{"main_package": {"package_or_url": 3}}', "[tool]\nrequirements = 3"])
def test_a_receipt_that_cannot_be_read_is_an_installation_by_pip(tmp_path: Path, name: str, text: str) -> None:
    root = copy_in(tmp_path)
    (tmp_path / name).write_text(text)
    assert look(tmp_path, root, PYTHON).installer == "pip"


def test_every_remedy_names_the_distribution_and_no_text_names_the_other_project() -> None:
    for installer in ("uv tool", "pipx", "uv", "pip"):
        copy = Installation(installer, PYTHON)
        assert all(DISTRIBUTION in line for line in (copy.remedy("ko"), copy.upgrade()))
    texts = [path for folder in ("core", "cli", "tui", "docs") for path in (ROOT / folder).rglob("*.*")]
    wrong = re.compile(
        r"(pip|pipx|tool) (install|upgrade|inject|uninstall) (-\S+ )*['\"]?casebook\b|(?<!-)casebook\[[a-z]"
    )
    found = [
        f"{path}: {hit[0]}"
        for path in [*texts, ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
        if path.suffix in (".py", ".md", ".toml") and (hit := wrong.search(path.read_text(encoding="utf-8")))
    ]
    assert found == []


def test_until_a_release_no_page_takes_the_package_from_an_index() -> None:
    """The name is in no index yet: a stranger could take it, and the command would install the stranger's code."""
    taken = re.compile(rf"(?<!un)install [^\n`]*{DISTRIBUTION}\b")
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]
    assert [(page.name, hit[0]) for page in pages for hit in taken.finditer(page.read_text("utf-8"))] == []
