"""Every regular expression of the core, with how it is used: searched for in a text, or held against its start."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

import core
from core.base.lazy import _Lazy  # pyright: ignore[reportPrivateUsage]
from core.errors.identity.keylines.entry import Rule
from core.flows.harvest.command import parse_command

ROOT: Final = Path(__file__).parents[2]
_ANCHORED: Final = frozenset(("match", "fullmatch"))
_METHODS: Final = _ANCHORED | {"search", "sub", "subn", "split", "findall", "finditer"}


class Pattern(NamedTuple):
    """`name`: module and place; `anchored`: only ever held against the start of a text."""

    name: str
    source: str
    flags: int
    anchored: bool


@cache
def patterns() -> tuple[Pattern, ...]:
    """All of them, each source once; one that is searched for anywhere counts as searched for."""
    found: dict[tuple[str, int], Pattern] = {}
    for one in (*_globals(), *_inline(), *_made()):
        key = one.source, one.flags & (re.ASCII | re.IGNORECASE | re.MULTILINE | re.DOTALL | re.VERBOSE)
        if key not in found or (found[key].anchored and not one.anchored):
            found[key] = one._replace(flags=key[1])
    return tuple(found.values())


def _globals() -> Iterator[Pattern]:
    """What modules keep: by itself, or in tables."""
    for info in pkgutil.walk_packages(core.__path__, "core."):
        module = importlib.import_module(info.name)
        for name, value in vars(module).items():
            if not name.startswith("__") and _definition(info.name, name) == (info.name, name):
                yield from _inside(value, f"{info.name}.{name}", _uses().get((info.name, name), frozenset()), 4)


def _inside(value: object, name: str, uses: frozenset[str], depth: int) -> Iterator[Pattern]:
    if isinstance(value, (re.Pattern, _Lazy)):
        if isinstance(value.pattern, str):
            yield Pattern(name, value.pattern, int(value.flags), bool(uses) and uses <= _ANCHORED)
    elif isinstance(value, Rule):
        yield from _inside(value.pattern, name, _ANCHORED, 0)
    elif depth and isinstance(value, dict):
        for key, one in value.items():
            yield from _inside(one, f"{name}[{key!r:.20}]", frozenset(), depth - 1)
    elif depth and isinstance(value, (tuple, list, frozenset, set)):
        for at, one in enumerate(value):
            yield from _inside(one, f"{name}[{at}]", frozenset(), depth - 1)


def _made() -> Iterator[Pattern]:
    """What is put together when it is first used."""
    from core.text.secrets import scan as secret_scan
    from core.text.secrets import values

    scans = (*secret_scan._whole(), *(secret_scan._scan((sign,)) for sign in secret_scan._branches()))  # pyright: ignore[reportPrivateUsage]
    for at, scan in enumerate(scans):
        yield from _inside(scan.pattern, f"core.text.secrets.scan[{at}]", frozenset(), 0)
    status = parse_command("pytest; echo $?").status
    yield from _inside(status, "core.flows.harvest.command.printed_status", frozenset(), 0)
    for shape in values.SHAPES:
        yield Pattern(f"core.text.secrets.values.SHAPES[{shape.prefixes!s:.20}]", shape.pattern(), int(re.ASCII), True)


@cache
def _uses() -> dict[tuple[str, str], frozenset[str]]:
    """By module and name, the methods that are called of it, in whatever module."""
    found: dict[tuple[str, str], set[str]] = {}
    for module, nodes in _nodes():
        methods = {id(node.value): node.attr for node in nodes if isinstance(node, ast.Attribute)}
        for node in nodes:
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                found.setdefault(_definition(module, node.id), set()).add(methods.get(id(node), "?"))
    return {name: frozenset(methods - {"pattern"}) for name, methods in found.items()}


def _definition(module: str, name: str) -> tuple[str, str]:
    """The module of the core that defines what `module` calls `name`, and the name there, through every import."""
    here = module, name
    while (there := _imports().get(here)) is not None:
        here = there
    return here


@cache
def _imports() -> dict[tuple[str, str], tuple[str, str]]:
    return {
        (module, alias.asname or alias.name): (node.module, alias.name)
        for module, nodes in _nodes()
        for node in nodes
        if isinstance(node, ast.ImportFrom)
        and node.module
        and node.module.startswith("core.")
        and node.module != module
        for alias in node.names
    }


def _inline() -> Iterator[Pattern]:
    """`re.sub("…", …)` and its kind, as far as the pattern stands there."""
    for module, nodes in _nodes():
        for node in nodes:
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args):
                continue
            first = node.args[0]
            of_re = isinstance(node.func.value, ast.Name) and node.func.value.id == "re"
            if (
                of_re
                and node.func.attr in _METHODS
                and isinstance(first, ast.Constant)
                and isinstance(first.value, str)
            ):
                said = " ".join(
                    ast.unparse(one) for one in (*node.args[2:], *node.keywords) if "re." in ast.unparse(one)
                )
                flags = (
                    re.MULTILINE * ("MULTILINE" in said) | re.DOTALL * ("DOTALL" in said) | re.ASCII * ("ASCII" in said)
                )
                flags |= re.IGNORECASE * ("IGNORECASE" in said)
                yield Pattern(f"{module}:{first.value:.30}", first.value, int(flags), node.func.attr in _ANCHORED)


@cache
def _nodes() -> tuple[tuple[str, tuple[ast.AST, ...]], ...]:
    """Each module with the nodes of its tree."""
    files = sorted((ROOT / "core").rglob("*.py"))
    return tuple(
        (
            ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"),
            tuple(ast.walk(ast.parse(path.read_text(encoding="utf-8")))),
        )
        for path in files
    )
