"""Tool calls with the rules that apply to them: what a comparison is measured on."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast

from core.base.fault import Fault, why_unread
from core.rules.evaluation.label_names import Titled, name_among, read_name
from core.rules.matching.call import ToolCall, read_call

Half = Literal["tune", "report", "all"]


@dataclass(frozen=True, slots=True)
class LabelledCall:
    """A call and the names of the rules that apply (`evaluation.label_names`: mostly ids); none: it should be met with
    silence. `hard`: a word of some rule is in it, and yet none applies. `unwanted`: rules that came up, and were said
    to be wrong; where nothing else is said, it is not known whether others apply, unless `silence` says that none does.
    `project`: the folder whose rules were before whoever said so, empty where that is not known."""

    call: ToolCall
    expected: tuple[str, ...]
    hard: bool = False
    lang: str = ""
    about: str = ""
    unwanted: tuple[str, ...] = ()
    silence: bool = False
    project: str = ""

    @property
    def silent(self) -> bool:
        """Whether it should be met with silence."""
        return not self.expected and (self.silence or not self.unwanted)

    @property
    def undecided(self) -> bool:
        """Whether nothing is said of it but which rules are wrong."""
        return not self.expected and not self.silent

    def name_of(self, rule: Titled) -> str:
        """What the call's label calls a rule."""
        return name_among((*self.expected, *self.unwanted), rule)

    def missed(self, shown: Collection[str]) -> tuple[str, ...]:
        """The rules that apply and are not among those shown."""
        return tuple(one for one in dict.fromkeys(self.expected) if one not in shown)

    @property
    def half(self) -> Half:
        """Which half it belongs to, by the hash of what is asked: one is for tuning, the other for reporting."""
        said = json.dumps([self.call.tool_name, self.call.tool_input], sort_keys=True).encode()
        return "report" if hashlib.sha256(said).digest()[0] & 1 else "tune"


def read_labelled(path: Path) -> tuple[LabelledCall, ...]:
    """A file of JSON lines `{"tool_name", "tool_input", "expected": ["ERR-…"], "not", "silence", "hard", "lang",
    "about"}`.

    Raises Fault invalid_input with the line that is wrong, io_error where it cannot be read.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise Fault("io_error", f"cannot read {path}: {error.strerror}", "name a file of labelled calls") from error
    return labelled_in(data, str(path))


def labelled_in(data: bytes, name: str) -> tuple[LabelledCall, ...]:
    """The calls of a file that was read, `name` tells which. Raises Fault as `read_labelled`."""
    lines = data.split(b"\n")
    found = [_labelled(line, f"{name}, line {at}") for at, line in enumerate(lines, 1) if line.strip()]
    if not found:
        raise Fault("invalid_input", f"{name} holds no labelled call", "write one JSON object a line")
    return tuple(found)


def expected_elsewhere(calls: Iterable[LabelledCall], known: Collection[str]) -> dict[str, int]:
    """The rules that calls expect and that are not known by their names, with how many calls expect each: nothing can
    be right there."""
    return dict(Counter(one for call in calls for one in dict.fromkeys(call.expected) if one not in known))


def named_in(calls: Iterable[LabelledCall]) -> set[str]:
    """Every name that the labels of these calls have for a rule."""
    return {name for call in calls for name in (*call.expected, *call.unwanted)}


def of_half(calls: Iterable[LabelledCall], half: Half) -> tuple[LabelledCall, ...]:
    """The calls of one half, or all."""
    return tuple(one for one in calls if half in ("all", one.half))


def said_of(call: ToolCall, item: Mapping[str, Any]) -> LabelledCall:
    """A call with what its line of a file says of it."""
    expected, unwanted = _ids(item.get("expected")), _ids(item.get("not"))
    hard, silence = item.get("hard") is True, item.get("silence") is True and not expected
    about = str(item.get("about", ""))
    project: object = item.get("project")
    folder = project if isinstance(project, str) else ""
    return LabelledCall(call, expected, hard, str(item.get("lang", "")), about, unwanted, silence, folder)


def _ids(value: object) -> tuple[str, ...]:
    """The names of a list, ids as rule files are read."""
    given = cast("list[object]", value) if isinstance(value, list) else []
    return tuple(dict.fromkeys(read_name(str(one)) for one in given))


def _labelled(line: bytes, where: str) -> LabelledCall:
    try:
        value: object = json.loads(line.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError) as error:
        raise Fault(
            "invalid_input", f"{where} is no JSON: {why_unread(error)}", "write one JSON object a line"
        ) from None
    if not isinstance(value, dict):
        raise Fault("invalid_input", f"{where} is no JSON object", "write one JSON object a line")
    item = cast("dict[str, Any]", value)
    ids: object = item.get("expected")
    if not isinstance(ids, list) or not all(isinstance(one, str) for one in cast("list[object]", ids)):
        raise Fault("invalid_input", f"{where} has no list of expected rules", 'write "expected": [] for silence')
    try:
        call = read_call(item)
    except Fault as fault:
        raise Fault(fault.code, f"{where}: {fault.message}", fault.hint) from None
    return said_of(call, item)
