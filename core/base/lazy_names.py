"""Names of a package that are loaded when they are first asked for: a start costs what it uses, not what there is."""

from __future__ import annotations

from collections.abc import Callable, Mapping


def lazy_names(package: str, later: Mapping[str, tuple[str, ...]]) -> Callable[[str], object]:
    """The `__getattr__` of a package whose modules hold names for `later`. Raises AttributeError for any other name."""
    modules = {name: module for module, names in later.items() for name in names}

    def load(name: str) -> object:
        module = modules.get(name)
        if module is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        from importlib import import_module

        return getattr(import_module(f"{package}.{module}"), name)

    return load
