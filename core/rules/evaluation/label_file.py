"""What a person says about a call and a rule (right, wrong, missing), kept as labelled calls for `rules compare`.

One file of JSON lines beside the casebook. A line that is no labelled call is left as it stands.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast

from core.base.atomic import write_file
from core.base.fault import Fault
from core.process.lock import hold_lock
from core.rules.evaluation.label_names import Titled, id_of, name_among
from core.rules.evaluation.labelled import LabelledCall, said_of
from core.rules.matching.call import ToolCall
from core.text import redact

Verdict = Literal["right", "wrong", "missing"]
"""`right`: the rule applies and is shown; `missing`: it applies and is not; `wrong`: it does not apply."""

MAX_BYTES = 64 << 20


@dataclass(frozen=True, slots=True)
class Label:
    """What was said of one call: the rules that apply, those that do not, whether silence is right.

    That one does not apply says nothing of the others.
    """

    applies: tuple[str, ...] = ()
    not_these: tuple[str, ...] = ()
    silence: bool = False

    def name_of(self, rule: Titled) -> str:
        """What it calls a rule."""
        return name_among((*self.applies, *self.not_these), rule)


Seen = Label | None | Literal["any"]
"""The label somebody has before them, None for none; `any`: nobody looks."""


class SaidOtherwise(Exception):
    """Another label is kept of the call than the one that was before the person: `label`. Nothing was changed."""

    def __init__(self, label: Label | None) -> None:
        super().__init__("the call was labelled elsewhere")
        self.label = label


def same_label(one: Label | None, other: Label | None) -> bool:
    """Whether two labels say the same, as the file would."""
    return (one is None) == (other is None) and _fields(one or Label()) == _fields(other or Label())


def label_file(database: Path) -> Path:
    """Where the labels of a casebook are kept."""
    return database.with_name(f"{database.stem}-rule-calls.jsonl")


def read_labels(path: Path) -> tuple[tuple[LabelledCall, Label], ...]:
    """Every labelled call of the file with its label, in order; none where there is no file. Raises Fault io_error."""
    found = (_parsed(line) for line in _lines(path))
    return tuple((_labelled(item), _label(item)) for item in found if item is not None)


def broken_lines(path: Path) -> tuple[int, ...]:
    """The lines of the file, counted from 1, that are no labelled call. Raises Fault io_error."""
    found = enumerate(_data(path).split("\n"), 1)
    return tuple(at for at, line in found if line.strip() and _parsed(line) is None)


def label_of(path: Path, call: ToolCall, project: str | None = None) -> Label | None:
    """What was said of this call among the rules of a project (None: of any); None: nothing. Raises Fault io_error."""
    lines = _lines(path)
    places = _places(lines, _key(_item(call)), project)
    item = _parsed(lines[places[0]]) if places else None
    return None if item is None else _label(item)


def put_label(
    path: Path,
    call: ToolCall,
    rule: str | None,
    verdict: Verdict,
    about: str = "",
    *,
    seen: Seen = "any",
    project: str | None = None,
) -> Label | None:
    """Say something of a call; what was said the same way already is taken back. Its label now, None for none left.

    `rule` is its name (`evaluation.label_names`); None with `right`: silence is the right answer. `seen` is the label
    that whoever says it has before them, `project` the folder whose rules they have; a label of earlier days, without
    one, becomes theirs.
    Raises SaidOtherwise where the file has another one, Fault invalid_input where no rule is named and it is needed,
    io_error where the file cannot be written, timeout where another process holds it.
    """
    if rule is None and verdict != "right":
        raise Fault("invalid_input", f"no rule is named as {verdict}", "choose one")
    given = _item(call)
    key = _key(given)
    with hold_lock(path.with_name(path.name + ".lock"), patience=2.0):
        lines = _lines(path)
        places = _places(lines, key, project)
        item = _parsed(lines[places[0]]) if places else None
        before = None if item is None else _label(item)
        if seen != "any" and not same_label(before, seen):
            raise SaidOtherwise(before)
        now = _said(before or Label(), rule, verdict)
        kept = [line for at, line in enumerate(lines) if at not in places[1:]]
        if now is None:
            kept = [line for at, line in enumerate(lines) if at not in places]
        else:
            where = {"project": project} if project else {}
            line = _line({**given, **(item or {"about": redact(about)}), **where, **_fields(now)})
            if places:
                kept[places[0]] = line
            else:
                kept.append(line)
        write_file(path, (f"{line}\n" for line in kept), replace=True)
    return now


def _places(lines: Sequence[str], key: str, project: str | None) -> list[int]:
    """Which lines are about a call: those of the project, else those that name none."""
    found = [(at, item) for at, line in enumerate(lines) if (item := _parsed(line)) is not None and _key(item) == key]
    if project is None:
        return [at for at, _ in found]
    own = [at for at, item in found if project and item.get("project") == project]
    return own or [at for at, item in found if not item.get("project")]


def _said(before: Label, rule: str | None, verdict: Verdict) -> Label | None:
    if rule is None:
        return Label((), before.not_these, True) if not before.silence else _kept((), before.not_these)
    applies, not_these = list(before.applies), list(before.not_these)
    here, there = (not_these, applies) if verdict == "wrong" else (applies, not_these)
    if rule in here:
        here.remove(rule)
    else:
        if id_of(rule) in here:
            here.remove(id_of(rule))  # it was said of one of those with this id: of this one
        here.append(rule)
        if rule in there:
            there.remove(rule)
    return _kept(tuple(applies), tuple(not_these), silence=before.silence and not applies)


def _kept(applies: tuple[str, ...], not_these: tuple[str, ...], *, silence: bool = False) -> Label | None:
    return Label(applies, not_these, silence) if applies or not_these or silence else None


def _fields(label: Label) -> dict[str, Any]:
    """`hard`: a rule came up, and none applies; `silence`: none applies, and not only those that are `not` these."""
    said = {"expected": list(label.applies), "not": list(label.not_these)}
    return {**said, "hard": label.silence and bool(label.not_these), "silence": label.silence}


def _label(item: dict[str, Any]) -> Label:
    found = _labelled(item)
    return Label(found.expected, found.unwanted, found.silent)


def _labelled(item: dict[str, Any]) -> LabelledCall:
    """In files of earlier days no line says `silence`, and one with rules in `not` alone is told as `hard`."""
    return said_of(ToolCall(str(item["tool_name"]), cast("dict[str, Any]", item.get("tool_input") or {})), item)


def _item(call: ToolCall) -> dict[str, Any]:
    """The call as it is written down: secrets masked."""
    said = redact(json.dumps(dict(call.tool_input), ensure_ascii=False))
    try:
        given: object = json.loads(said)
    except ValueError:  # a mask fell on a sign of the JSON itself
        given = {"input": said}
    return {"tool_name": redact(call.tool_name), "tool_input": given}


def _key(item: dict[str, Any]) -> str:
    return json.dumps([item.get("tool_name"), item.get("tool_input") or {}], sort_keys=True)


def _line(item: dict[str, Any]) -> str:
    return json.dumps(item, ensure_ascii=False).encode("utf-8", "replace").decode()


def _lines(path: Path) -> Sequence[str]:
    return [line for line in _data(path).split("\n") if line.strip()]


def _data(path: Path) -> str:
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise Fault("io_error", f"cannot read {path}: {error.strerror}", "check the file") from error
    if len(data) > MAX_BYTES:
        raise Fault("invalid_input", f"{path} is larger than {MAX_BYTES >> 20} MiB", "put it aside")
    return data.decode("utf-8", "replace")


def _parsed(line: str) -> dict[str, Any] | None:
    try:
        value: object = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict):
        return None
    item = cast("dict[str, Any]", value)
    named = isinstance(item.get("tool_name"), str) and isinstance(item.get("expected"), list)
    return item if named and isinstance(item.get("tool_input", {}), dict) else None
