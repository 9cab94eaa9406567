"""Settings: defaults < file < environment < flag, each value with its origin, each complaint with its line."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.base.config.settings import SECTIONS, Settings, template
from core.base.config.settings_sources import Config, database_path, environment_name, key_lines, load_config
from core.base.fault import Fault
from core.base.paths import config_file, database_file, log_file


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "config.toml"
    path.write_text(text, encoding="utf-8")
    return path


def origin(config: Config, name: str) -> tuple[object, str, str]:
    found = next(s for s in config.settings if s.name == name)
    return found.value, found.origin, found.where


def test_each_layer_covers_the_one_below_and_says_so(tmp_path: Path) -> None:
    path = write(tmp_path, '[store]\npath = "file.db"\n[import]\ncodex = "file"\n[log]\nkeep = 7\nlevel = "debug"\n')
    environ = {"CASEBOOK_IMPORT_CODEX": "env", "CASEBOOK_STORE_PATH": "env.db"}
    config = load_config(path, environ, {"store.path": ("--db", "flag.db")})
    assert origin(config, "store.path") == ("flag.db", "flag", "--db")
    assert origin(config, "import.codex") == ("env", "environment", "CASEBOOK_IMPORT_CODEX")
    assert origin(config, "log.keep") == (7, "file", f"{path}:6")
    assert origin(config, "ui.ascii") == (False, "default", "")
    assert config.values.log.level == "debug"
    assert database_path(config.values) == Path("flag.db")
    assert config.warnings == ()


def test_without_a_file_there_are_defaults(tmp_path: Path) -> None:
    config = load_config(None, {"XDG_CONFIG_HOME": str(tmp_path)})
    assert not config.exists
    assert config.path == str(tmp_path / "casebook" / "config.toml")
    assert config.values == Settings()


def test_a_file_that_was_named_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(Fault) as caught:
        load_config(tmp_path / "none.toml", {})
    assert caught.value.code == "config_invalid"
    assert "none.toml" in caught.value.message
    with pytest.raises(Fault):
        load_config(tmp_path, {})  # a folder


def test_unknown_keys_are_named_with_their_line_and_do_no_harm(tmp_path: Path) -> None:
    path = write(tmp_path, '# mine\n[log]\nlevel = "off"\nlevle = "y"\n\n[colours]\nred = 1\n')
    config = load_config(path, {"CASEBOOK_LOG_LEVL": "info", "CASEBOOKISH": "1", "PATH": "/"})
    assert config.values.log.level == "off"
    first, second, third = config.warnings
    assert f"log.levle in {path}:4" in first
    assert "did you mean log.level" in first
    assert f"colours in {path}:6" in second
    assert "CASEBOOK_LOG_LEVL" in third


@pytest.mark.parametrize(
    ("text", "line", "cure"),
    [
        ("[log]\nkeep = '60'", 2, "an integer from 0 to 100"),
        ("[log]\nkeep = 9999", 2, "an integer from 0 to 100"),
        ("[log]\nkeep = true", 2, "an integer"),
        ("[ui]\n\nascii = 1", 3, "true or false"),
        ("[store]\npath = ['a']", 2, "text in quotes"),
        ("[log]\nlevel = 'loud'", 2, "one of off, error, warning, info, debug"),
        ("\n\nstore.path = 3", 3, "text in quotes"),
        ('[store]\npath = "a\\u0000b"', 2, "text in quotes"),
        ("[rag]\nscore_gate = '0.3'", 2, "a number from 0.0 to 1.0"),
        ("[rag]\nscore_gate = nan", 2, "a number from 0.0 to 1.0"),
        ("[models.llm]\ntemperature = true", 2, "a number"),
    ],
)
def test_a_wrong_value_is_told_with_its_line_and_the_cure(tmp_path: Path, text: str, line: int, cure: str) -> None:
    path = write(tmp_path, text)
    with pytest.raises(Fault) as caught:
        load_config(path, {})
    assert caught.value.code == "config_invalid"
    assert f"{path}:{line}" in caught.value.message
    assert cure in caught.value.message


@pytest.mark.parametrize("name", ["files", "project_files"])
def test_who_lists_several_paths_is_told_how_they_are_written(tmp_path: Path, name: str) -> None:
    with pytest.raises(Fault, match="must be text in quotes") as raised:
        load_config(write(tmp_path, f'[rules]\n{name} = ["a.md", "b.md"]\n'), {})
    assert raised.value.hint == f'write several files in one string: "first.md{os.pathsep}second.md"'
    with pytest.raises(Fault) as raised:
        load_config(write(tmp_path, f"[rules]\n{name} = 3\n"), {})
    assert raised.value.hint == "correct that value"


@pytest.mark.parametrize("text", ["[ui", "a = ", "x = " + "[" * 100_000, "n = " + "9" * 10_000, "[ui]\n[ui]\n"])
def test_what_is_no_toml_is_a_fault(tmp_path: Path, text: str) -> None:
    with pytest.raises(Fault) as caught:
        load_config(write(tmp_path, text), {})
    assert caught.value.code == "config_invalid"


def test_bytes_that_are_no_utf8_and_files_too_large_are_faults(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_bytes(b"# fine\n# \xff\n")
    with pytest.raises(Fault, match=r"config\.toml:2 is not UTF-8"):
        load_config(path, {})
    path.write_bytes(b"#" * (1 << 20) + b"\n")
    with pytest.raises(Fault, match="larger than"):
        load_config(path, {})


@pytest.mark.parametrize(("text", "value"), [("true", True), ("0", False), ("No", False)])
def test_the_environment_knows_yes_and_no(text: str, value: bool) -> None:
    assert load_config(None, {"CASEBOOK_UI_ASCII": text, "HOME": "/nowhere"}).values.ui.ascii is value


def test_a_number_with_a_point_may_be_written_without_one(tmp_path: Path) -> None:
    file = write(tmp_path, "[models.llm]\ntemperature = 1\n")
    config = load_config(file, {"CASEBOOK_RAG_SCORE_GATE": "0.45"})
    assert origin(config, "models.llm.temperature") == (1.0, "file", f"{file}:2")
    assert origin(config, "rag.score_gate") == (0.45, "environment", "CASEBOOK_RAG_SCORE_GATE")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("RAG_SCORE_GATE", "1e-1"),
        ("RAG_SCORE_GATE", "inf"),
        ("UI_ASCII", "maybe"),
        ("LOG_KEEP", "three"),
        ("LOG_KEEP", "٣"),
        ("LOG_KEEP", "-1"),
        ("LOG_KEEP", "--1"),
    ],
)
def test_a_wrong_variable_is_told_by_name(name: str, text: str) -> None:
    with pytest.raises(Fault, match=f"CASEBOOK_{name}"):
        load_config(None, {f"CASEBOOK_{name}": text, "HOME": "/nowhere"})


def test_the_template_is_toml_that_changes_nothing_and_every_line_of_it_works(tmp_path: Path) -> None:
    assert load_config(write(tmp_path, template("x")), {}).values == Settings()
    lines = [line.removeprefix("# ") if " = " in line else line for line in template("x").split("\n")]
    config = load_config(write(tmp_path, "\n".join(lines)), {})
    assert config.values == Settings()
    assert config.warnings == ()
    assert {s.origin for s in config.settings} == {"file"}
    assert {f"{section}.{name}" for section, kind in SECTIONS.items() for name in kind.specs} == {
        s.name for s in config.settings
    }


def test_the_names_of_variables() -> None:
    assert environment_name("log.max_bytes") == "CASEBOOK_LOG_MAX_BYTES"


def test_lines_of_keys() -> None:
    text = 'top = 1\n[a.b]\nkey = """\nfake = 1\n"""\n"quoted" = 2\n[[c]]\nd.e = 3\n'
    assert key_lines(text) == {
        ("top",): 1, ("a",): 2, ("a", "b"): 2, ("a", "b", "key"): 3, ("a", "b", "quoted"): 6, ("c",): 7, ("c", "d"): 8,
        ("c", "d", "e"): 8,
    }  # fmt: skip


@given(st.text(max_size=200))
def test_any_text_is_either_settings_or_a_fault_of_its_own_kind(text: str) -> None:
    from core.base.config.settings_sources import _apply_file, _defaults  # the file is beside the point here

    try:
        tomllib.loads(text)
    except (ValueError, RecursionError):
        with pytest.raises(Fault):
            _apply_file(_defaults(), [], Path("c.toml"), text)
        return
    _apply_file(_defaults(), [], Path("c.toml"), text)


def test_folders_follow_xdg_and_a_relative_one_is_ignored() -> None:
    environ = {"HOME": "/h", "XDG_DATA_HOME": "/d", "XDG_STATE_HOME": "here"}
    assert database_file(environ) == Path("/d/casebook/casebook.db")
    assert log_file(environ) == Path("/h/.local/state/casebook/casebook.log")
    assert config_file(environ) == Path("/h/.config/casebook/config.toml")
