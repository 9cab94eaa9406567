"""The shape of the house: ceilings, floors that a subprocess can see, names that no dependency takes."""

from __future__ import annotations

import ast
import importlib.metadata
import importlib.util
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from tests.syntax import nodes_of

ROOT = Path(__file__).parent.parent
OURS = ("agent_casebook", "core", "cli", "tui", "styles")
SOURCES = sorted(path for folder in OURS for path in (ROOT / folder).rglob("*.py"))
FILE, CLASS, FUNCTION, CHILDREN = 600, 300, 60, 20
SMALL = 80
SMALL_WITH_ONE_IMPORTER = 1
"""How many are left of the modules below `SMALL` lines that only a neighbour imports. Lower it when you fold one."""
UNCLEAR_NAMES = {"told", "beside", "stands", "heard", "lit", "led", "anew", "said", "asked", "worded"}
"""Words that say nothing about a value: no part of an identifier in `core` or `tui`."""
PUBLISHED_NAMES = {
    "told": "field of the JSON schemas fetch_result, file_place, insights, lesson and practice",
    "beside": "field of the JSON schema curation, fact in the trace of the answer gate",
    "Beside": "definition in the JSON schema curation",
    "anew": "field of the JSON schema answer_event",
    "said": "field of the JSON schemas answer, answer_event and practice, column of a table, detail of a fault",
    "said_in": "field of the JSON schema rule_drafts",
}
"""Identifiers that have such a word because a published format has it: fields, attributes and keywords only."""

_NAME_FIELDS = frozenset({"id", "attr", "name", "arg", "asname", "rest"})

Nodes = dict[Path, list[ast.AST]]


@pytest.fixture(scope="module")
def sources() -> Nodes:
    """The nodes of each module of `SOURCES`. To parse them takes longer than any check of them: once for all tests."""
    return {path: nodes_of(path.read_text(encoding="utf-8")) for path in SOURCES}


def test_nothing_outgrows_its_ceiling(sources: Nodes) -> None:
    large: list[str] = []
    for path, nodes in sources.items():
        lines = path.read_text(encoding="utf-8").count("\n")
        large += [f"{path}: {lines} lines"] * (lines > FILE)
        for node in nodes:
            if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                size = (node.end_lineno or node.lineno) - node.lineno + 1
                if size > (CLASS if isinstance(node, ast.ClassDef) else FUNCTION):
                    large.append(f"{path}: {node.name} has {size} lines")
    assert large == []


def test_no_identifier_has_a_word_that_says_nothing_about_its_value(sources: Nodes) -> None:
    found: list[str] = []
    for path in (*_code("core"), *_code("tui")):
        published = {
            id(part.target)
            for node in sources[path]
            if isinstance(node, ast.ClassDef)
            for part in node.body
            if isinstance(part, ast.AnnAssign)
        }
        for node in sources[path]:
            for name in _identifiers(node):
                if UNCLEAR_NAMES.isdisjoint(_words(name)):
                    continue
                free = isinstance(node, ast.Attribute | ast.keyword) or id(node) in published or name[0].isupper()
                if not (free and name in PUBLISHED_NAMES):
                    found.append(f"{path.relative_to(ROOT)}:{getattr(node, 'lineno', 0)}: {name}")
    assert found == [], "name the value: message, reason, details, text, label, summary"


@cache
def _words(name: str) -> frozenset[str]:
    return frozenset(part.lower() for part in re.findall(r"[A-Z]?[a-z]+|[A-Z]+", name))


def _identifiers(node: ast.AST) -> Iterator[str]:
    """The names that a node binds or reads."""
    for field in _NAME_FIELDS.intersection(node._fields):
        if isinstance(name := getattr(node, field), str):
            yield name


def test_a_docstring_explains_names_that_its_module_has(sources: Nodes) -> None:
    """A name that is explained (`name`: what it is) is an identifier of the module, or a value in it."""
    found: list[str] = []
    for path, nodes in sources.items():
        documented = [node for node in nodes if isinstance(node, ast.ClassDef | ast.FunctionDef)]
        docstrings = {id(node.body[0].value) for node in documented if isinstance(node.body[0], ast.Expr)}
        names = {name for node in nodes for name in _identifiers(node)}
        known = {part for name in names for part in (name, *name.split("_"))}
        for node in nodes:
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
                known.update(re.findall(r"\w+", node.value))
        for node in documented:
            explained = re.findall(r"`([a-z_]+)`:", ast.get_docstring(node) or "")
            found += [f"{path.relative_to(ROOT)}: {node.name}: {name}" for name in explained if name not in known]
    assert found == []


def test_no_folder_of_code_has_too_many_children() -> None:
    """Modules and folders of code count; data, schemas, samples, snapshots and pictures do not."""
    modules = [path.relative_to(ROOT) for folder in (*OURS, "bench", "screenshots", "tests") for path in _code(folder)]
    children: dict[Path, set[str]] = {}
    for module in modules:
        for folder in module.parents:
            children.setdefault(folder, set()).add(module.relative_to(folder).parts[0])
    assert {str(folder): len(names) for folder, names in children.items() if len(names) > CHILDREN} == {}


def test_a_small_module_of_one_neighbour_is_part_of_it(sources: Nodes) -> None:
    """A module below 80 lines whose only importer lies in the same folder belongs inside it.

    Late imports, imports for types and names in strings count as importers; a module that is a program has none."""
    paths = {".".join(path.relative_to(ROOT).with_suffix("").parts): path for path in SOURCES}
    texts = {name: path.read_text("utf-8") for name, path in paths.items()}
    importers: dict[str, set[str]] = {name: set() for name in texts}
    for name, path in paths.items():
        for word in _named(sources[path]) & texts.keys():
            importers[word].add(name)
    small = [
        f"{name} ({texts[name].count(chr(10))} lines) into {by}"
        for name, (by, *others) in ((name, sorted(by)) for name, by in importers.items() if by)
        if not others and texts[name].count("\n") < SMALL and "__name__ ==" not in texts[name]
        if by.rpartition(".")[0] == name.rpartition(".")[0] and not by.endswith(("__init__", "__main__"))
    ]
    print(*small, sep="\n")
    assert len(small) <= SMALL_WITH_ONE_IMPORTER


def _named(nodes: list[ast.AST]) -> set[str]:
    """What a module imports or names in a string, anywhere in it."""
    named: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Import | ast.ImportFrom):
            named.update(_imported([node]))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            named.update(re.findall(r"\w+(?:\.\w+)+", node.value))
    return named


def _code(folder: str) -> Iterator[Path]:
    return (path for path in (ROOT / folder).rglob("*.py") if "data" not in path.relative_to(ROOT).parts)


def _body(nodes: list[ast.AST]) -> list[ast.stmt]:
    assert isinstance(nodes[0], ast.Module)
    return nodes[0].body


def _imported(body: list[ast.stmt]) -> Iterator[str]:
    """The modules that loading this one loads; what `from package import module` may be is named both ways."""
    for node in body:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (str(node.module), *(f"{node.module}.{alias.name}" for alias in node.names))
        elif isinstance(node, ast.Try) or (isinstance(node, ast.If) and "TYPE_CHECKING" not in ast.dump(node.test)):
            yield from _imported(node.body)


def test_no_module_waits_for_one_that_waits_for_it(sources: Nodes) -> None:
    """Two threads that load modules of a circle at once: one of them gets a module without its names (ImportError).

    A package is part of it: its submodules name what they need by the module that has it, not `from package import`."""
    names = {".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path for path in SOURCES}
    needs = {
        name: sorted({one for one in _imported(_body(sources[path])) if one in names}) for name, path in names.items()
    }
    TopologicalSorter(needs).prepare()  # raises CycleError, which names the modules


def test_the_terminal_builds_no_markup_from_foreign_text(sources: Nodes) -> None:
    """`from_markup(f"…")` and `escape(` crash on other people's brackets; `splitlines` moves offsets."""
    found: list[str] = []
    for path in (ROOT / "tui").rglob("*.py"):
        for node in sources[path]:
            if isinstance(node, ast.Call):
                name = getattr(node.func, "attr", getattr(node.func, "id", ""))
                built = name == "from_markup" and isinstance(node.args[0], ast.JoinedStr)
                if built or name in ("escape", "splitlines"):
                    found.append(f"{path}:{node.lineno} {name}")
    assert found == []


def test_only_the_terminal_floor_leans_on_what_textual_keeps_private(sources: Nodes) -> None:
    """Each minor release may change those names: they are used in one folder, where tests hold them."""
    package = importlib.util.find_spec("textual")
    assert package is not None and package.submodule_search_locations
    theirs = set[str]().union(
        *(
            _private_names(nodes_of(path.read_text(encoding="utf-8")))
            for path in Path(package.submodule_search_locations[0]).rglob("*.py")
        )
    )
    modules = [path for path in (ROOT / "tui").rglob("*.py") if "terminal" not in path.relative_to(ROOT).parts]
    ours = set[str]().union(
        *(_private_names(sources[path]) for path in modules)
    )  # a name of both is ours, unless it handles a message
    theirs -= {"_exit", *(name for name in ours if not name.startswith("_on_"))}
    found = [f"{path.relative_to(ROOT)}: {name}" for path in modules for name in _textual_names(sources[path], theirs)]
    assert found == []


def _private_names(nodes: list[ast.AST]) -> set[str]:
    """The private functions that a module defines, and the private attributes that it sets."""
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            found.add(node.name)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            found.add(node.attr)
    return {name for name in found if name.startswith("_") and not name.startswith("__")}


def _textual_names(nodes: list[ast.AST], private: set[str]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and f"{node.module}.".startswith("textual."):
            yield from (name for name in (node.module or "", *(one.name for one in node.names)) if "._" in f".{name}")
        elif isinstance(node, ast.Attribute) and node.attr in private:
            yield f"{node.attr} in line {node.lineno}"
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name in private:
            yield node.name


def test_no_dependency_ships_a_module_of_our_names() -> None:
    for dist in importlib.metadata.distributions():
        if dist.metadata["Name"] == "agent-casebook":
            continue
        tops = {Path(str(file)).parts[0] for file in dist.files or () if file.suffix in (".py", ".so", ".pyd")}
        assert not tops & {*OURS, *(f"{name}.py" for name in OURS)}, dist.metadata["Name"]


def test_the_core_loads_no_terminal_and_no_model() -> None:
    code = (
        "import sys, pkgutil, importlib, core\n"
        "[importlib.import_module(m.name) for m in pkgutil.walk_packages(core.__path__, 'core.')]\n"
        "print(*sorted({name.split('.')[0] for name in sys.modules}))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True, text=True)
    loaded = set(done.stdout.split())
    assert "apsw" in loaded
    assert not loaded & {"textual", "rich", "tui", "cli", "numpy", "fastembed", "onnxruntime", "sqlite_vec"}


def test_no_module_is_named_like_a_function_its_package_exports(sources: Nodes) -> None:
    """`import package.name` would give the function, and `from package import name` the module, or the reverse."""
    clashes: list[str] = []
    for path in SOURCES:
        if path.name == "__init__.py":
            children = {child.stem for child in path.parent.iterdir()}
            imports = (node for node in sources[path] if isinstance(node, ast.ImportFrom))
            exported = {alias.name for node in imports if not _is_package(node.module) for alias in node.names}
            exported |= {node.name for node in _body(sources[path]) if isinstance(node, ast.FunctionDef)}
            clashes += [f"{path.parent.relative_to(ROOT)}: {name}" for name in exported & children]
    assert clashes == []


def _is_package(module: str | None) -> bool:
    """True for `core.store`: what is imported from there is a module (`jobs`), not a function."""
    return (ROOT / str(module).replace(".", "/")).is_dir()
