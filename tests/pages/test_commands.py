"""Commands, options and settings that README.md and docs/ name are those of the program."""

from __future__ import annotations

import argparse
import re
import tomllib
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

from cli.parser import build
from core.base.config.settings import SECTIONS
from tui.actions.registry import BY_NAME

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
_NOT_SETTINGS = ("keys", "variables")
"""Tables of a settings or theme file with free keys."""
_ENDINGS = ("md", "toml", "v1")
"""Of files and schemas (`rules.toml`, `insights.v1`)."""


@cache
def tokens(page: Path) -> Sequence[Token]:
    """What a page consists of; to read a page takes long, and several tests do."""
    return MarkdownIt().enable("table").parse(page.read_text(encoding="utf-8"))


def code(page: Path, *kinds: str) -> Iterator[tuple[str, str]]:
    """Each piece of code with its language."""
    for token in tokens(page):
        for one in (token, *(token.children or ())):
            if one.type in kinds:
                yield one.info, one.content


def commands(text: str) -> Iterator[list[str]]:
    """The words after each `casebook` of a text, without comments, pipes and optional brackets."""
    for line in text.split("\n"):
        for part in re.split(r" (?:\||&&|>|<|#|\(|--) ?", line):
            found = re.match(r"\s*(?:\w+=\S+ )*(?:\S* run |\S*\$\()?casebook (?:help )?(.*)", part)
            if found:
                yield re.sub(r"[\[\]]", " ", re.sub(r"'[^']*'|\"[^\"]*\"", "TEXT", found[1])).split()


def unknown(parser: argparse.ArgumentParser, words: list[str]) -> str | None:
    """The first word that is neither a command nor an option here. `a|b` stands for both."""
    for at, word in enumerate(words):
        children = parser._subparsers and parser._subparsers._group_actions[0].choices
        if word.startswith("--"):
            names = [
                one if one.startswith("--") else f"--{one}" for one in word.split("=")[0].rstrip("…,.").split("|--")
            ]
            if any(name not in parser._option_string_actions for name in names):
                return word
        elif isinstance(children, dict) and re.fullmatch(r"[a-z|-]+", word):
            for name in word.split("|"):
                if name not in children:
                    return word
                if wrong := unknown(children[name], words[at + 1 :]):
                    return wrong
            return None
    return None


def test_each_command_and_option_exists() -> None:
    parser = build()
    found = [
        (page.name, words)
        for page in PAGES
        for _, text in code(page, "fence", "code_block", "code_inline")
        for words in commands(text)
    ]
    assert len(found) > 150
    assert [(name, " ".join(words), wrong) for name, words in found if (wrong := unknown(parser, words))] == []


def test_the_front_page_is_short() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 150


def test_each_setting_exists() -> None:
    named: list[tuple[str, str, str]] = []
    for page in PAGES:
        for _, text in code(page, "code_inline"):
            section, _, key = text.split(" ")[0].rpartition(".")
            if section in SECTIONS and text not in BY_NAME and key not in _ENDINGS:
                named.append((page.name, section, key))
        for _, text in code(page, "fence", "code_block"):
            if re.match(rf"\[({'|'.join(map(re.escape, SECTIONS))})\]\n", text):
                named += [(page.name, *one) for one in _keys(tomllib.loads(text))]
    assert len(named) > 20
    assert [one for one in named if one[1] not in SECTIONS or one[2] not in SECTIONS[one[1]].specs] == []


def _keys(top: dict[str, object], under: str = "") -> Iterator[tuple[str, str]]:
    for name, value in top.items():
        if isinstance(value, dict) and name not in _NOT_SETTINGS:
            yield from _keys(value, f"{under}.{name}".lstrip("."))
        elif not isinstance(value, dict):
            yield under, name


def test_an_unknown_command_or_option_is_found() -> None:
    parser = build()
    assert unknown(parser, ["errors", "lst"]) == "lst"
    assert unknown(parser, ["errors", "list|shw"]) == "list|shw"
    assert unknown(parser, ["errors", "list", "--stat"]) == "--stat"
    assert unknown(parser, ["models", "pull", "ID", "--force"]) is None
