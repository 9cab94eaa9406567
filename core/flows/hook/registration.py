"""casebook's hooks in an agent's settings file: added, found and removed. All other bytes of the file stay as they are.

A change is shown first, then made beside a copy of the old file."""

from __future__ import annotations

import difflib
import json
import os
import re
import shlex
import stat
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, cast

from core.base.atomic import make_parents, write_file
from core.base.fault import Fault
from core.base.managed_block import read_small_file, remove_file
from core.base.paths import make_folder, user_folder
from core.flows.hook.agents.forms import CLAUDE_CODE, EVENTS, HookForm

__all__ = [
    "EVENTS", "AgentHooks", "HooksReport", "Registered", "add_hooks", "command_line", "install", "registered",
    "registered_lines", "remove_hooks", "status", "uninstall",
]  # fmt: skip
_DECODER = json.JSONDecoder()
_BLANK = " \t\n\r"


class Part(NamedTuple):
    """A member of an object or an element of an array: `start` to `end`, half-open; its value begins at `value`."""

    key: str
    start: int
    value: int
    end: int


def parse(text: str, name: str) -> Any:
    """The value of a JSON text. Raises Fault invalid_input that names the line of what is wrong, comments included."""
    try:
        return json.loads(text, object_pairs_hook=_no_twins)
    except json.JSONDecodeError as error:
        rest = text[error.pos :].lstrip(_BLANK + ",")
        what = "a comment, which JSON does not allow" if rest.startswith(("//", "/*", "#")) else error.msg
        raise Fault(
            "invalid_input", f"{name}:{error.lineno}: {what}", "correct the file manually (casebook left it unchanged)"
        ) from error
    except (_TwinError, RecursionError) as error:
        raise Fault(
            "invalid_input", f"{name}: {error}", "correct the file manually (casebook left it unchanged)"
        ) from error


def parts_of(text: str, start: int) -> list[Part]:
    """The members or elements of the object or array that begins at `start` in a text that `parse` took."""
    in_object = text[start] == "{"
    at, found = _skip(text, start + 1), list[Part]()
    while text[at] not in "}]":
        begin, key = at, ""
        if in_object:
            key, at = _DECODER.raw_decode(text, at)
            at = _skip(text, _skip(text, at) + 1)
        end = _DECODER.raw_decode(text, at)[1]
        found.append(Part(key, begin, at, end))
        at = _skip(text, end)
        if text[at] == ",":
            at = _skip(text, at + 1)
    return found


def add_part(text: str, start: int, source: str, outer: str, step: str, newline: str) -> str:
    """`text` with `source` as a further member or element of the container at `start`, on lines of its own.

    `outer` is the indent of the line that the container begins on, `step` one level of it.
    """
    source = source.replace("\n", newline + outer + step)
    parts = parts_of(text, start)
    if parts:
        end = parts[-1].end
        return f"{text[:end]},{newline}{outer}{step}{source}{text[end:]}"
    close = _skip(text, start + 1)
    return f"{text[: start + 1]}{newline}{outer}{step}{source}{newline}{outer}{text[close:]}"


def drop_part(text: str, start: int, index: int) -> str:
    """`text` without the part number `index` of the container at `start`, its comma and the blanks before it."""
    parts = parts_of(text, start)
    if len(parts) == 1:
        return text[: start + 1] + text[_skip(text, parts[0].end) :]
    if index:
        return text[: parts[index - 1].end] + text[parts[index].end :]
    return text[: parts[0].start] + text[parts[1].start :]


def _skip(text: str, at: int) -> int:
    while text[at] in _BLANK:
        at += 1
    return at


class _TwinError(ValueError):
    """An object has a duplicate key: which one counts is undefined."""


def _no_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        keys = [key for key, _ in pairs]
        raise _TwinError(f"duplicate key {next(key for key in keys if keys.count(key) > 1)!r}")
    return found


_OURS = re.compile(r"""(?:casebook(?:\.exe)?["']?|cli\.main["']?)\s+hook(?:\s|$)""")


@dataclass(frozen=True, slots=True)
class Registered:
    """The events that an agent's settings send to casebook, and whether they are all there with the same command."""

    events: tuple[str, ...]
    complete: bool


def command_line(program: Sequence[str], options: Sequence[str] = ()) -> str:
    """The line that an agent runs: `program hook options`, in POSIX shell.

    It exits 0 and says nothing after the interpreter is gone, or casebook is. On Windows agents give it to the shell of
    Git for Windows, which takes a path with slashes.
    """
    interpreter, *rest = program
    interpreter = shlex.quote(Path(interpreter).as_posix())
    return f"[ -x {interpreter} ] && {interpreter} {shlex.join([*rest, 'hook', *options])} 2>/dev/null || true"


def registered(text: str, name: str, command: str, form: HookForm = CLAUDE_CODE) -> Registered:
    """What a settings text says of casebook. Raises Fault as `install` does."""
    hooks = _hooks(text, name)
    found = {event: own for event, groups in hooks.items() if (own := [one for one in groups if _is_ours(one)])}
    return Registered(tuple(found), found == {event: [form.entry(event, command)] for event in form.events})


def registered_lines(text: str, name: str) -> dict[str, str]:
    """The command line of casebook for each event that has one. Raises Fault as `install` does."""
    hooks = _hooks(text, name)
    return {event: line for event, groups in hooks.items() for one in groups if _is_ours(one) for line in _lines(one)}


def install(text: str, name: str, command: str, form: HookForm = CLAUDE_CODE) -> str:
    """The settings `text` (of the file `name`) with casebook's hooks, each once, calling `command`.

    An empty text is taken as empty settings. Raises Fault invalid_input, with its line, for what is no JSON or has
    another shape than an agent's settings.
    """
    if registered(text, name, command, form).complete:
        return text
    old = new = text if text.strip("\ufeff \t\r\n") else form.empty
    if form.version and json.loads(new.lstrip("\ufeff")).get("version") != form.version:
        raise Fault(
            "invalid_input",
            f'{name} has no "version": {form.version}',
            "add this line. Otherwise, the agent rejects the file",
        )
    outer, newline = _style(new)
    for event in form.events:
        group = json.dumps(form.entry(event, command), indent=outer)
        new = _replace(new, name, event, group, newline) or _add(new, event, group, outer, newline)
    new = _drop(new, name, lambda event, nth: event not in form.events or nth > 0)
    _check(old, new, name)
    return new


def uninstall(text: str, name: str, form: HookForm = CLAUDE_CODE) -> str:
    """The settings text without casebook's hooks, and without the lists that only held them.

    An object `hooks` that only held them goes too, but not where the file has a version: the agent rejects it then.
    """
    new = _drop(text, name, lambda event, nth: True, keep_hooks=bool(form.version))
    _check(text, new, name)
    return new


def _drop(text: str, name: str, unwanted: Callable[[str, int], bool], *, keep_hooks: bool = False) -> str:
    """The text without those of casebook's groups that are `unwanted`: by their event, and which one of it they are."""
    new = text
    while (place := next((one for one in _ours(new, name) if unwanted(one.event.key, one.nth)), None)) is not None:
        top, hooks, event, index, _ = place
        new = drop_part(new, event.value, index)
        if not parts_of(new, event.value):
            new = drop_part(new, hooks.value, _index(new, hooks.value, event.key))
            if not keep_hooks and not parts_of(new, hooks.value):
                new = drop_part(new, top, _index(new, top, "hooks"))
    return new


def _replace(text: str, name: str, event: str, group: str, newline: str) -> str:
    """The text with `group` in the place of casebook's first group of an event; empty if it has none."""
    place = next((one for one in _ours(text, name) if one.event.key == event), None)
    if place is None:
        return ""
    part = parts_of(text, place.event.value)[place.at]
    if json.loads(text[part.value : part.end]) == json.loads(group):
        return text
    return text[: part.value] + group.replace("\n", newline + _indent(text, part.start)) + text[part.end :]


def _is_ours(group: object) -> bool:
    """Whether a group of hooks, or a hook, calls casebook and nothing else."""
    lines = _lines(group)
    return bool(lines) and all(isinstance(one, str) and _OURS.search(one) for one in lines)


def _lines(group: object) -> list[Any]:
    """The command lines of a group of hooks (Claude Code, Codex, Gemini CLI) or of a hook (Copilot CLI, Cursor)."""
    source = cast("dict[str, Any]", group) if isinstance(group, dict) else {}
    listed = source.get("hooks", [source])
    hooks = cast("list[Any]", listed) if isinstance(listed, list) else []
    found = [cast("dict[str, Any]", hook) for hook in hooks if isinstance(hook, dict)]
    return [hook.get("command", hook.get("bash")) for hook in found]


def _hooks(text: str, name: str) -> dict[str, list[Any]]:
    """The `hooks` of a settings text. Raises Fault where they have another shape than they should."""
    body = text.lstrip("\ufeff")
    value: object = parse(body, name) if body.strip() else {}
    if not isinstance(value, dict):
        raise _odd(name, text, 0, "the settings are not a JSON object")
    hooks = cast("dict[str, Any]", value).get("hooks", {})
    if not isinstance(hooks, dict):
        raise _odd(name, text, text.find('"hooks"'), "hooks is not an object")
    for event, groups in cast("dict[str, Any]", hooks).items():
        if not isinstance(groups, list):
            raise _odd(name, text, text.find(json.dumps(event, ensure_ascii=False)), f"hooks.{event} is not a list")
    return cast("dict[str, list[Any]]", hooks)


def _odd(name: str, text: str, at: int, what: str) -> Fault:
    line = text.count("\n", 0, max(0, at)) + 1
    return Fault("invalid_input", f"{name}:{line}: {what}", "correct the file manually (casebook left it unchanged)")


class _Place(NamedTuple):
    """A group of casebook: where the settings begin, the member `hooks`, its event, and the group's index `at` there.

    `nth`: how many of casebook's groups are before it in its event.
    """

    top: int
    hooks: Part
    event: Part
    at: int
    nth: int


def _ours(text: str, name: str) -> Iterator[_Place]:
    """Each group of casebook."""
    if not any(_is_ours(group) for groups in _hooks(text, name).values() for group in groups):
        return
    top = text.index("{")
    hooks = next(part for part in parts_of(text, top) if part.key == "hooks")
    for event in parts_of(text, hooks.value):
        nth = 0
        for index, part in enumerate(parts_of(text, event.value)):
            if _is_ours(json.loads(text[part.value : part.end])):
                yield _Place(top, hooks, event, index, nth)
                nth += 1


def _index(text: str, start: int, key: str) -> int:
    return next(index for index, part in enumerate(parts_of(text, start)) if part.key == key)


def _add(text: str, event: str, group: str, step: str, newline: str) -> str:
    """`text` with one more group of an event, and with what it takes around it."""
    top = text.index("{")
    base = _indent(text, top)
    hooks = next((part for part in parts_of(text, top) if part.key == "hooks"), None)
    if hooks is None:
        text = add_part(text, top, '"hooks": {}', base, step, newline)
        return _add(text, event, group, step, newline)
    inner = _indent(text, hooks.start)
    there = next((part for part in parts_of(text, hooks.value) if part.key == event), None)
    if there is None:
        text = add_part(text, hooks.value, f"{json.dumps(event)}: []", inner, step, newline)
        return _add(text, event, group, step, newline)
    return add_part(text, there.value, group, _indent(text, there.start), step, newline)


def _indent(text: str, at: int) -> str:
    """The blanks that begin the line of `at`."""
    begin = max(text.rfind("\n", 0, at), text.rfind("\r", 0, at)) + 1
    line = text[begin:at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _style(text: str) -> tuple[str, str]:
    """One level of indent as the text has it (two blanks where it has none), and its line ending."""
    newline = "\r\n" if "\r\n" in text else "\n"
    parts = parts_of(text, text.index("{"))
    own = _indent(text, parts[0].start) if parts and "\n" in text[: parts[0].start] else ""
    return own or "  ", newline


def _check(old: str, new: str, name: str) -> None:
    """Raise where anything but casebook's own groups differs between two settings texts."""
    if _others(old, name) != _others(new, name):
        raise Fault(
            "generic", f"{name}: the change would modify other settings", "report the structure of this file as a bug"
        )


def _others(text: str, name: str) -> object:
    body = text.lstrip("\ufeff")
    value = cast("dict[str, Any]", parse(body, name)) if body.strip() else {}
    hooks = {
        event: kept for event, groups in _hooks(text, name).items() if (kept := [g for g in groups if not _is_ours(g)])
    }
    rest = {key: part for key, part in value.items() if key != "hooks"}
    return rest | ({"hooks": hooks} if hooks else {})


@dataclass(frozen=True, slots=True)
class AgentHooks:
    """casebook's hooks of one agent. `answers`: whether the installed hook answered a test (None: not tested);
    `fault` says why not; `notes`: what else keeps it from answering."""

    agent: str
    path: str
    installed: bool
    events: tuple[str, ...]
    answers: bool | None = None
    fault: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class HooksReport:
    """casebook's hooks in one settings file: which events they listen to, and what a command changed there.

    `agents`: what `hooks status` tested.
    """

    SCHEMA: ClassVar[str] = "hooks.v1"

    path: str
    installed: bool
    events: tuple[str, ...]
    changed: bool = False
    backup: str | None = None
    diff: tuple[str, ...] = ()
    agent: str = "claude-code"
    agents: tuple[AgentHooks, ...] = ()


def status(path: Path, command: str, form: HookForm = CLAUDE_CODE) -> HooksReport:
    """What the file says of casebook; a missing one says nothing. Raises Fault where it cannot be understood."""
    found = registered(read_settings(path), str(path), command, form)
    return HooksReport(str(path), found.complete, found.events, agent=form.agent)


def add_hooks(path: Path, command: str, form: HookForm = CLAUDE_CODE, *, dry: bool = False) -> HooksReport:
    """Put casebook's hooks into the file, each once. Raises Fault; then nothing was changed."""
    return _change(path, command, lambda text: install(text, str(path), command, form), form, dry=dry)


def remove_hooks(path: Path, command: str, form: HookForm = CLAUDE_CODE, *, dry: bool = False) -> HooksReport:
    """Take casebook's hooks out of the file. Raises Fault; then nothing was changed.

    A file that `add_hooks` created is removed if nothing else is in it. A file that was there before, or a link, stays.
    """
    return _change(path, command, lambda text: uninstall(text, str(path), form), form, dry=dry)


def _change(path: Path, command: str, edit: Callable[[str], str], form: HookForm, *, dry: bool) -> HooksReport:
    old = read_settings(path)
    new = edit(old)
    kept = path.is_symlink() or str(path.absolute()) not in _created()
    if new != old and not kept and json.loads(new.lstrip("\ufeff")) == json.loads(form.empty):
        new = ""
    diff = tuple(
        line.rstrip("\r\n")
        for line in difflib.unified_diff(
            old.splitlines(keepends=True), new.splitlines(keepends=True), str(path), str(path), n=2
        )
    )
    found = registered(new, str(path), command, form)
    report = HooksReport(str(path), found.complete, found.events, False, None, diff, form.agent)
    if dry or old == new:
        return report
    there = path.exists()
    backup = write_settings(path, old, new) if new else remove_file(path.resolve())
    if there != bool(new):
        _record(path, created=bool(new))
    return replace(report, changed=True, backup=backup)


def _record_file() -> Path:
    return user_folder("state") / "created_settings"


def _created() -> tuple[str, ...]:
    """The settings files that casebook created, by their absolute paths."""
    try:
        return tuple(_record_file().read_text("utf-8").splitlines())
    except (OSError, UnicodeDecodeError):
        return ()


def _record(path: Path, *, created: bool) -> None:
    """Keep that casebook created a settings file, or removed it again.

    Where the record cannot be written, `remove_hooks` leaves the file.
    """
    name = str(path.absolute())
    names = [one for one in _created() if one != name] + [name] * created
    try:
        make_folder(_record_file().parent)
        write_file(_record_file(), [f"{one}\n" for one in names], replace=True)
    except (OSError, Fault):
        return


def read_settings(path: Path) -> str:
    """The text of a settings file; empty if it is missing. Raises Fault."""
    data = read_small_file(path) or b""
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise Fault(
            "invalid_input", f"{path}:{line}: not UTF-8", "save the file as UTF-8 (casebook left it unchanged)"
        ) from error


def write_settings(path: Path, old: str, new: str) -> str | None:
    """Write the file atomically, with a copy of the old one; return that copy's path. A link stays a link."""
    target = path.resolve()
    make_parents(target, "check the path and its permissions")
    if not target.exists():
        write_file(target, [new], replace=False)
        return None
    mode = stat.S_IMODE(target.stat().st_mode)
    backup = _backup(target)
    write_file(backup, [old], replace=False)
    if read_settings(target) != old:
        raise Fault("io_error", f"{path} was changed by another program", "run the command again")
    write_file(target, [new], replace=True)
    for made in (backup, target):
        os.chmod(made, mode)  # noqa: PTH101 as its owner had it
    return str(backup)


def _backup(target: Path) -> Path:
    for number in range(1, 10_000):
        place = target.with_name(f"{target.name}.casebook-{number}.bak")
        if not place.exists():
            return place
    raise Fault("io_error", f"there are 9,999 backups of {target}", "remove some of the backups")
