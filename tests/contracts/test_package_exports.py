"""What a program that imports casebook's packages may name: the exports of each package, and that each is there."""

from __future__ import annotations

import importlib
import pkgutil
import subprocess
import sys
from types import ModuleType

import pytest

import core
from tests.contracts.goldens import assert_golden
from tests.contracts.python_api import PUBLIC, ROOT, exports

SCORED = {
    "core.errors": ("normalize_error", "fingerprint", "key_line", "identify", "search"),
    "core.align": ("align",),
    "core.rules": ("match", "find_relevant_rules_semantic"),
}
"""What other people's programs import."""


def packages() -> list[ModuleType]:
    """The packages of the core."""
    found = pkgutil.walk_packages(core.__path__, "core.")
    return [importlib.import_module(one.name) for one in found if one.ispkg]


def test_the_exports_of_the_public_packages() -> None:
    assert_golden("exports.txt")


@pytest.mark.parametrize("name", PUBLIC)
def test_every_export_resolves(name: str) -> None:
    assert exports(name)
    for one in exports(name):
        found: dict[str, object] = {}
        exec(f"from {name} import {one}", found)
        assert found[one] is not None, one


@pytest.mark.parametrize("name", sorted(SCORED))
def test_what_others_import_is_a_function_of_the_package(name: str) -> None:
    package = importlib.import_module(name)
    for one in SCORED[name]:
        assert callable(getattr(package, one)), one
        assert not isinstance(getattr(package, one), ModuleType), one


@pytest.mark.parametrize("first", ["", "[import_module(one.name) for one in walk_packages(core.__path__, 'core.')]"])
def test_an_export_is_what_it_is_whatever_was_imported_before(first: str) -> None:
    """A module with the name of an export takes its place in the package as soon as somebody imports the module."""
    code = (
        "import core; from importlib import import_module; from pkgutil import walk_packages; "
        "from types import ModuleType\n"
        f"{first}\n"
        f"for package in {PUBLIC!r}:\n"
        "    for name in import_module(package).__all__:\n"
        "        exec(f'from {package} import {name} as found')\n"
        "        if isinstance(found, ModuleType): print(f'{package}.{name}')"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True, text=True)
    assert done.stdout.split() == ["core.store.jobs"]  # the one export that is a module


def test_every_name_of_a_lazy_table_resolves() -> None:
    tables = {one.__name__: later for one in packages() if (later := getattr(one, "_LATER", None))}
    assert len(tables) >= 5
    for name, later in tables.items():
        package = importlib.import_module(name)
        for module, names in later.items():
            assert importlib.import_module(f"{name}.{module}")
            assert all(getattr(package, one) is not None for one in names.split())
            assert set(names.split()) <= set(package.__all__), (name, module)
