"""Line numbers of the keys of a TOML text, which the standard parser does not report."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple, cast

from core.base.config.settings import FIELDS, KEYS, SECTIONS, Settings, Spec, Value
from core.base.fault import Fault
from core.base.lazy import lazy_pattern
from core.base.paths import config_file, database_file


def key_lines(text: str) -> dict[tuple[str, ...], int]:
    """Return the 1-based line of each key of a TOML text by its path (table and key).

    tomllib tells no lines, so this reads what settings files are made of: tables, keys, dotted keys. Lines inside a
    triple-quoted string are passed over.
    """
    lines: dict[tuple[str, ...], int] = {}
    table: tuple[str, ...] = ()
    quote = ""
    for number, line in enumerate(text.split("\n"), 1):
        if quote:
            quote = "" if quote in line else quote
            continue
        bare = line.strip()
        if bare.startswith("["):
            table = _path(bare.strip("[").partition("]")[0])
            _mark(lines, table, number)
        elif "=" in bare and not bare.startswith("#"):
            _mark(lines, table + _path(bare.partition("=")[0]), number)
            quote = next((q for q in ('"""', "'''") if bare.count(q) == 1), "")
    return lines


def _mark(lines: dict[tuple[str, ...], int], path: tuple[str, ...], number: int) -> None:
    for size in range(1, len(path) + 1):
        lines.setdefault(path[:size], number)


def _path(dotted: str) -> tuple[str, ...]:
    return tuple(part.strip().strip("\"'") for part in dotted.split("."))


_DECIMAL = lazy_pattern(r"-?[0-9]{1,9}(\.[0-9]{1,9})?")
MAX_BYTES = 1 << 20
"""A settings file larger than this is not read: no hand wrote it."""

OriginKind = Literal["default", "file", "environment", "flag"]


@dataclass(frozen=True, slots=True)
class Setting:
    """One value, and where it came from: the kind of place and its name (a file with its line, a variable, a flag)."""

    name: str
    value: Value
    origin: OriginKind
    where: str


class KeyChoice(NamedTuple):
    """The keys that the settings file gives an action, as they are written there (none: it has no key), and where."""

    action: str
    keys: tuple[str, ...]
    where: str


@dataclass(frozen=True, slots=True)
class Config:
    """The settings in force (`config.v1`): the file that was looked for, every value, and complaints."""

    SCHEMA: ClassVar[str] = "config.v1"

    path: str
    exists: bool
    settings: tuple[Setting, ...]
    warnings: tuple[str, ...]

    @property
    def values(self) -> Settings:
        """Return the same values with their types."""
        parts: dict[str, Any] = {}
        for section, kind in SECTIONS.items():
            own = {s.name.rpartition(".")[2]: s.value for s in self.settings if s.name.rpartition(".")[0] == section}
            parts[FIELDS.get(section, section)] = kind(**own)
        return Settings(**parts)

    @property
    def keys(self) -> tuple[KeyChoice, ...]:
        """The keys that were set. Which actions and keys there are, only the workbench knows."""
        chosen = (s for s in self.settings if s.name.partition(".")[0] == KEYS)
        return tuple(KeyChoice(s.name.partition(".")[2], tuple(str(s.value).split()), s.where) for s in chosen)


def from_home(name: str) -> Path:
    """Return a path as a person writes it, expanding `~`.

    Raises Fault invalid_input for an unknown home, and for a NUL character or half of a surrogate pair.
    """
    try:
        if b"\0" not in os.fsencode(name):
            return Path(name).expanduser()
    except RuntimeError:
        raise Fault("invalid_input", f"unknown user in {name}", "pass an absolute path") from None
    except UnicodeEncodeError:
        pass
    raise Fault("invalid_input", "the path contains a character that is not allowed in paths", "pass another path")


def database_path(settings: Settings, environ: Mapping[str, str] | None = None) -> Path:
    """The database in force: the one the settings name, else casebook.db in the data folder."""
    return from_home(settings.store.path) if settings.store.path else database_file(environ)


def load_config(
    path: Path | None = None,
    environ: Mapping[str, str] | None = None,
    flags: Mapping[str, tuple[str, Value]] | None = None,
) -> Config:
    """The settings in force.

    `path` names the file, which must then exist; without it the user's own file is read if there is one. `flags` maps
    a setting's name to the flag that sets it and its value. Raises Fault `config_invalid` naming file, line and cure.
    """
    env = os.environ if environ is None else environ
    place = config_file(env) if path is None else path
    raw = _read(place, required=path is not None)
    found = _defaults()
    warnings: list[str] = []
    if raw is not None:
        _apply_file(found, warnings, place, raw)
    _apply_environment(found, warnings, env)
    found.update(_flagged(flags))
    return Config(str(place), raw is not None, tuple(found.values()), tuple(warnings))


def default_config(flags: Mapping[str, tuple[str, Value]] | None = None) -> Config:
    """The settings where neither file nor environment is asked: for those that must work when these are broken."""
    return Config("", False, tuple({**_defaults(), **_flagged(flags)}.values()), ())


def _flagged(flags: Mapping[str, tuple[str, Value]] | None) -> dict[str, Setting]:
    return {name: Setting(name, value, "flag", flag) for name, (flag, value) in (flags or {}).items()}


def _defaults() -> dict[str, Setting]:
    return {
        f"{section}.{key}": Setting(f"{section}.{key}", spec.default, "default", "")
        for section, kind in SECTIONS.items()
        for key, spec in kind.specs.items()
    }


def _read(place: Path, *, required: bool) -> str | None:
    cure = "pass an existing file to --config, or create one: casebook config init"
    try:
        with place.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        if not required:
            return None
        raise Fault("config_invalid", f"settings file {place} not found", cure) from None
    except OSError as error:
        raise Fault("config_invalid", f"cannot read the settings file {place}: {error.strerror}", cure) from error
    if len(data) > MAX_BYTES:
        raise Fault("config_invalid", f"the settings file {place} is larger than {MAX_BYTES:,} bytes", cure)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise Fault("config_invalid", f"{place}:{line} is not UTF-8", "save the file as UTF-8") from error


def _apply_file(found: dict[str, Setting], warnings: list[str], place: Path, text: str) -> None:
    import tomllib  # only those who have a settings file pay for it

    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise Fault("config_invalid", f"{place} is not valid TOML: {error}", "correct that line") from error
    except (RecursionError, ValueError) as error:
        raise Fault("config_invalid", f"{place} cannot be parsed as TOML: {error}", "simplify the file") from error
    lines = key_lines(text)
    keys = tables.get(KEYS)
    if isinstance(keys, dict):
        _apply_keys(found, cast("dict[str, object]", tables.pop(KEYS)), lines, (KEYS,), str(place))
    for section, table in _tables(tables):
        path = tuple(section.split("."))
        if section not in SECTIONS or not isinstance(table, dict):
            warnings.append(_unknown(section, f"{place}:{lines.get(path, 1)}", (*SECTIONS, KEYS)))
            continue
        for key, value in cast("dict[str, Any]", table).items():
            name, line = f"{section}.{key}", lines.get((*path, key), lines.get(path, 1))
            if name not in found:
                warnings.append(_unknown(name, f"{place}:{line}", tuple(found)))
                continue
            found[name] = Setting(name, _checked(name, value, f"{place}:{line}"), "file", f"{place}:{line}")


def _tables(tables: Mapping[str, object]) -> Iterator[tuple[str, object]]:
    """Sections by name; a table that only holds sections (`models` of `[models.llm]`) is opened."""
    for name, table in tables.items():
        if isinstance(table, dict) and any(section.startswith(f"{name}.") for section in SECTIONS):
            yield from ((f"{name}.{inner}", value) for inner, value in cast("dict[str, object]", table).items())
        else:
            yield name, table


def _apply_keys(
    found: dict[str, Setting],
    table: dict[str, object],
    lines: dict[tuple[str, ...], int],
    path: tuple[str, ...],
    file: str,
) -> None:
    """Take in `[keys]`; `case.why = "t"` is read by TOML as a table in a table, `"case.why" = "t"` is not."""
    for key, value in table.items():
        here = (*path, *key.split("."))
        if isinstance(value, dict):
            _apply_keys(found, cast("dict[str, object]", value), lines, here, file)
            continue
        name, where = ".".join(here), f"{file}:{lines.get(here, lines.get((KEYS,), 1))}"
        keys = cast("list[object]", value) if isinstance(value, list) else [value]
        if not all(isinstance(one, str) and "\0" not in one for one in keys):
            expected = "a key in quotes, or a list of such keys"
            raise Fault(
                "config_invalid",
                f"{name} must be {expected}, but {where} has {_display_value(keys)}",
                "correct that value",
            )
        found[name] = Setting(name, " ".join(cast("list[str]", keys)), "file", where)


def _apply_environment(found: dict[str, Setting], warnings: list[str], environ: Mapping[str, str]) -> None:
    by_variable = {environment_name(name): name for name in found}
    prefixes = tuple(environment_name(section) + "_" for section in SECTIONS)
    for variable in sorted(environ):
        if not variable.startswith(prefixes):
            continue
        name = by_variable.get(variable)
        if name is None:
            warnings.append(_unknown(variable, "the environment", tuple(by_variable)))
            continue
        value = _from_text(name, environ[variable], variable)
        found[name] = Setting(name, value, "environment", variable)


def environment_name(name: str) -> str:
    """The environment variable that sets a setting: `log.max_bytes` is `CASEBOOK_LOG_MAX_BYTES`."""
    return "CASEBOOK_" + name.replace(".", "_").upper()


def _unknown(name: str, where: str, known: tuple[str, ...]) -> str:
    import difflib

    near = difflib.get_close_matches(name, known, 1, 0.75)
    return f"unknown setting {name} in {where}" + (f", did you mean {near[0]}?" if near else " (ignored)")


def _spec(name: str) -> Spec:
    section, _, key = name.rpartition(".")
    return SECTIONS[section].specs[key]


def _from_text(name: str, text: str, variable: str) -> Value:
    """A value from the environment, where everything is text."""
    default = _spec(name).default
    value: object = text
    if isinstance(default, bool):
        value = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}.get(text.lower(), text)
    elif isinstance(default, int):
        value = int(text) if text.isascii() and text.removeprefix("-").isdigit() and len(text) < 20 else text
    elif isinstance(default, float):
        value = float(text) if _DECIMAL.fullmatch(text) else text
    return _checked(name, value, f"the environment variable {variable}")


def _checked(name: str, value: object, where: str) -> Value:
    spec = _spec(name)
    kind = type(spec.default)
    if kind is float and type(value) is int and abs(value) < 2**53:
        value = float(value)
    expected = {bool: "true or false", int: "an integer", float: "a number", str: "text in quotes"}[kind]
    if spec.choices:
        expected = "one of " + ", ".join(spec.choices)
    elif spec.least is not None:
        expected += f" from {spec.least} to {spec.most}"
    right = type(value) is kind
    right = right and (not spec.choices or value in spec.choices)
    right = right and (spec.least is None or spec.least <= cast("float", value))
    right = right and (spec.most is None or cast("float", value) <= spec.most)
    right = right and not (isinstance(value, str) and "\0" in value)
    if not right:
        message = f"{name} must be {expected}, but {where} has {_display_value(value)}"
        raise Fault("config_invalid", message, _cure(spec, value))
    return cast("Value", value)


def _cure(spec: Spec, value: object) -> str:
    listed = spec.paths and isinstance(value, list)
    return f'write several files in one string: "first.md{os.pathsep}second.md"' if listed else "correct that value"


def _display_value(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 40 else text[:40] + "…"
