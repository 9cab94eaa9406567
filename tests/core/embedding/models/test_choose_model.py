"""Choosing a model changes one line of the settings file and no other."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path

import pytest

from core.base.config.settings import template
from core.base.config.settings_sources import load_config
from core.base.fault import Fault
from core.embedding.models.choose_model import choose_model, with_model

ID = "all-MiniLM-L6-v2"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", f'[embedding]\nmodel = "{ID}"\n'),
        ("[ui]\nascii = true", f'[ui]\nascii = true\n\n[embedding]\nmodel = "{ID}"\n'),
        ('[embedding]\nmodel = "x" # why\nthreads=2\n', f'[embedding]\nmodel = "{ID}" # why\nthreads=2\n'),
        ("[embedding]\n  model   =  'x'\n", f'[embedding]\n  model   =  "{ID}"\n'),
        ('embedding.model = "x"\n[ui]\n', f'embedding.model = "{ID}"\n[ui]\n'),
        ("[embedding]\nthreads = 2\n[ui]\n", f'[embedding]\nmodel = "{ID}"\nthreads = 2\n[ui]\n'),
        ('[embedding]\r\nmodel = "x"\r\n', f'[embedding]\r\nmodel = "{ID}"\r\n'),
        (
            '# model = "x"\n[other]\nmodel = "y"\n',
            f'# model = "x"\n[other]\nmodel = "y"\n\n[embedding]\nmodel = "{ID}"\n',
        ),
    ],
)
def test_one_line_changes(before: str, after: str) -> None:
    assert with_model(before, ID) == after
    assert with_model(after, ID) == after


def test_the_commented_template_keeps_its_comments(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text(template("x"), encoding="utf-8")
    choose_model(file, ID)
    new = [line for line in file.read_text(encoding="utf-8").split("\n") if line not in template("x").split("\n")]
    assert new == [f'model = "{ID}"']
    assert load_config(file).values.embedding.model == ID
    choose_model(file, "")
    assert load_config(file).values.embedding.model == ""


def test_a_file_is_made_with_its_folder(tmp_path: Path) -> None:
    choose_model(tmp_path / "a" / "b" / "config.toml", ID)
    assert tomllib.loads((tmp_path / "a" / "b" / "config.toml").read_text()) == {"embedding": {"model": ID}}


@pytest.mark.skipif(os.name != "posix", reason="links")
def test_a_link_stays_a_link(tmp_path: Path) -> None:
    real, link = tmp_path / "dotfiles.toml", tmp_path / "config.toml"
    real.write_text("[ui]\nascii = true\n")
    link.symlink_to(real)
    choose_model(link, ID)
    assert link.is_symlink()
    assert tomllib.loads(real.read_text())["embedding"]["model"] == ID


@pytest.mark.parametrize(
    "text",
    [
        "[embedding\nmodel",
        "embedding = 3\n",
        'embedding = { model = "x", threads = 2 }\n',
        'x = """\n[embedding]\n"""\n[embedding]\nthreads = 1\n',
        '[embedding]\nmodel = """\nx"""\n',
        "\xff\xfe",
    ],
)
def test_what_cannot_be_changed_safely_stays_as_it_is(tmp_path: Path, text: str) -> None:
    file = tmp_path / "config.toml"
    file.write_bytes(text.encode("latin-1"))
    try:
        choose_model(file, ID)
    except Fault as fault:
        assert fault.code == "config_invalid"
        assert file.read_bytes() == text.encode("latin-1")
    else:
        before, after = tomllib.loads(text), tomllib.loads(file.read_text())
        assert after.pop("embedding") == {**before.pop("embedding"), "model": ID}
        assert before == after


@pytest.mark.parametrize(
    "before",
    ['embedding = { model = "x" }\n', "embedding.threads = 2\n", "['embedding']\nthreads = 1\n", "[[embedding]]\n"],
)
def test_a_form_that_takes_no_line_is_not_called_invalid(before: str, tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text(before)
    with pytest.raises(Fault, match="without changing other lines") as caught:
        choose_model(file, ID)
    assert caught.value.hint == f'set this manually: embedding.model = "{ID}"'
    assert file.read_text() == before


def test_a_large_file_with_a_byte_order_mark_stays_whole_and_keeps_its_rights(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    before = '\ufeff[embedding]\nmodel = "x"\n' + "# why\n" * 200_000
    file.write_text(before, encoding="utf-8")
    file.chmod(0o644)
    choose_model(file, ID)
    assert file.read_text(encoding="utf-8") == before.replace('"x"', f'"{ID}"')
    assert os.name != "posix" or file.stat().st_mode & 0o777 == 0o644
