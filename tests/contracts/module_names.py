"""Modules and files of the project that its texts name: in strings, docstrings, comments, the manuals, pyproject.

A text that names a module which does not exist is either a child process that will not start or a false sentence.
"""

from __future__ import annotations

import ast
import importlib
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TOPS = ("core", "cli", "tui", "styles", "bench", "screenshots", "agent_casebook")
CODE = (*TOPS, "tests")
MANUALS = ("README.md", "CONTRIBUTING.md", "docs/*/*.md", "tests/contracts/README.md")

_BEFORE = r"(?<![\w./\\$@~-])"
MODULE = re.compile(rf"{_BEFORE}(?:{'|'.join(TOPS)})(?:\.[A-Za-z_]\w*)+(?![\w/-])")
"""A dotted name. `core.errors.search` counts wherever it is in a text, `/srv/core.py` and `my-core.dump` do not."""
_STARTS = tuple(f"{top}." for top in TOPS)
FROM = re.compile(rf"{_BEFORE}from (?P<module>(?:{'|'.join(CODE)})[\w.]*) import (?P<names>[\w, ]+)")
"""An import inside a text, as a child process gets it."""
FILE = re.compile(rf"{_BEFORE}(?:{'|'.join(TOPS)})(?:/[\w.*-]+)+/?")
ENDINGS = (".py", ".md", ".toml", ".json", ".tcss", ".sql")
"""What makes a dotted name the name of a file."""
BARE = re.compile(r"`(?P<name>[a-z]\w*\.py)`")
"""A file of the project by its name alone, in backticks."""

ABSENT = "agent_casebook.core"
"""The name under which the core must not be found: the launcher and its test say so."""
WRITTEN = "bench/out"
"""The folder that the measurements make."""
OTHERS = frozenset({"json.py", "sitecustomize.py"})
"""Files of a project that casebook runs in."""


_FIRST = re.compile(r"^(?!from |import |#|\)|\s)", re.MULTILINE)
_IMPORTS = re.compile(r"^(?:from|import) .*\n", re.MULTILINE)
_ANY = re.compile(rf"\b(?:{'|'.join(CODE)})[./]|`[a-z]\w*\.py`")


@dataclass(frozen=True, order=True)
class Place:
    """A text of the project and where it is."""

    path: str
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}"


@cache
def _modules(tops: Iterable[str]) -> list[Path]:
    made = ROOT / "bench" / "out"  # copies that a bench made
    return sorted(path for top in tops for path in (ROOT / top).rglob("*.py") if not path.is_relative_to(made))


@cache
def texts() -> tuple[Place, ...]:
    """Every string constant and every comment of the code, every line of the manuals and of pyproject."""
    found: list[Place] = []
    for path in _modules(CODE):
        name = path.relative_to(ROOT).as_posix()
        text = path.read_text(encoding="utf-8")
        if not _may_name(text):
            continue
        found += [Place(name, node.lineno, str(node.value)) for node in _strings(ast.parse(text))]
        lines = text.split("\n") if "#" in text else []
        found += [Place(name, at, line.partition("#")[2]) for at, line in enumerate(lines, 1) if "#" in line]
    for path in [ROOT / "pyproject.toml", *(path for glob in MANUALS for path in sorted(ROOT.glob(glob)))]:
        lines = path.read_text(encoding="utf-8").split("\n")
        found += [Place(path.relative_to(ROOT).as_posix(), at, line) for at, line in enumerate(lines, 1)]
    return tuple(found)


def _may_name(text: str) -> bool:
    """Whether a source may name something of the project beside the imports at its top; to parse it takes long.

    Only imports between its docstring and its first statement are left out, so none inside a string is."""
    start = text.find('"""', 3) + 3 if text.startswith('"""') else 0
    first = _FIRST.search(text, start)
    at = first.start() if first else len(text)
    return bool(_ANY.search(text[:start] + _IMPORTS.sub("", text[start:at]) + text[at:]))


def _strings(tree: ast.AST) -> Iterator[ast.Constant]:
    """Its string constants, in no order; `ast.walk` takes twice as long."""
    left = [tree]
    while left:
        node = left.pop()
        if isinstance(node, ast.Constant):
            if isinstance(node.value, str):
                yield node
            continue
        for value in vars(node).values():
            if isinstance(value, ast.AST):
                left.append(value)
            elif isinstance(value, list):
                left += [one for one in value if isinstance(one, ast.AST)]


@cache
def exists(name: str) -> bool:
    """Whether a dotted name is a module, a package, or an attribute of one."""
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        base = ROOT.joinpath(*parts[:length])
        if base.with_suffix(".py").is_file() or (base.is_dir() and any(base.glob("*.py"))):
            return length == len(parts) or _has(".".join(parts[:length]), parts[length:])
    return False


def _has(module: str, names: list[str]) -> bool:
    value: object = importlib.import_module(module)
    for name in names:
        fields = getattr(value, "__dataclass_fields__", {})
        if not hasattr(value, name):
            return name in fields or name in getattr(value, "__annotations__", {})
        value = getattr(value, name)
    return True


def missing_modules(places: Iterable[Place]) -> Iterator[str]:
    """The places that name a module which does not exist, or a name that its module lacks."""
    for place in places:
        # Most texts name none; a pattern that may begin anywhere takes long to say so.
        for found in MODULE.findall(place.text) if any(one in place.text for one in _STARTS) else ():
            if found != ABSENT and not found.endswith(ENDINGS) and not exists(found):
                yield f"{place} names {found}"
        for found in FROM.finditer(place.text) if " import " in place.text else ():
            names = [name.split(" as ")[0].strip() for name in found["names"].split(",")]
            yield from (
                f"{place} imports {name} from {found['module']}"
                for name in names
                if name and not exists(f"{found['module']}.{name}")
            )


def missing_files(places: Iterable[Place]) -> Iterator[str]:
    """The places that name a file or a folder of the project which does not exist."""
    for place in places:
        for braced in _expanded(place.text) if place.path == "pyproject.toml" else [place.text]:
            for found in FILE.findall(braced):
                name = found.rstrip("/.")
                if not f"{name}/".startswith(f"{WRITTEN}/") and not _is_file(name):
                    yield f"{place} names {name}"


def _is_file(name: str) -> bool:
    """Whether a path is one from the project's folder, from the tests', or from the folder that a wheel makes."""
    return any(any(ROOT.glob(one)) for one in (name, f"tests/{name}", name.removeprefix("agent_casebook/")))


def missing_file_names(places: Iterable[Place]) -> Iterator[str]:
    """The places that name, in backticks, a file by its name alone when no file has that name."""
    known = {path.name for path in _modules(CODE)}
    for place in places:
        if not place.path.startswith("tests/"):
            for found in BARE.finditer(place.text):
                if found["name"] not in known | OTHERS:
                    yield f"{place} names {found['name']}"


def _expanded(line: str) -> list[str]:
    """A line with `{a,b}` as one line for each of them."""
    parts = re.split(r"\{([^{}]*,[^{}]*)\}", line)
    choices = [part.split(",") if at % 2 else [part] for at, part in enumerate(parts)]
    return ["".join(chosen) for chosen in product(*choices)]


def places() -> list[str]:
    """Where the code looks for files beside itself: each expression with `__file__`, as a path of the project.

    A module in another folder finds another place there. Modules themselves are `*.py`, because they move.
    """
    found: list[str] = []
    for path in _modules(TOPS):
        text = path.read_text(encoding="utf-8")
        if "__file__" in text:
            found += (f"{one}" for one in _evaluated(ast.parse(text), path))
    return sorted(found)


def _evaluated(tree: ast.AST, path: Path) -> Iterator[str]:
    """The largest expressions with `__file__` that mean a path by themselves."""
    names = {"Path": Path, "os": os, "__file__": str(path)}
    for node in ast.iter_child_nodes(tree):
        if not any(isinstance(one, ast.Name) and one.id == "__file__" for one in ast.walk(node)):
            continue
        value: object = None
        if isinstance(node, ast.expr) and not isinstance(node, ast.Name):
            with suppress(Exception):
                value = eval(compile(ast.Expression(node), str(path), "eval"), dict(names))
        if isinstance(value, str | Path):
            yield _named(Path(value))
        else:
            yield from _evaluated(node, path)


def _named(place: Path) -> str:
    if not place.is_relative_to(ROOT):
        return "outside"
    name = place.relative_to(ROOT).as_posix()
    if name == WRITTEN or (place.exists() and place.suffix != ".py"):
        return name
    return "*.py" if place.is_file() else f"missing {name}"


def places_text(_folder: Path) -> str:
    """The places, a line each, with how often the code looks there."""
    return "".join(f"{count} {name}\n" for name, count in sorted(Counter(places()).items()))
