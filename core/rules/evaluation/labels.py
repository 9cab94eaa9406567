"""Labels of tool calls: their files, and how a label names a rule.

A label names a rule by its id; if several rules have that id, with its title (`ERR-002: Force push`). An id alone,
as in older labels, is any rule that has it and that no label names with its title.
"""

from __future__ import annotations

import hashlib
import json
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, Protocol, cast

from core.base.atomic import write_file
from core.base.fault import Fault, why_unread
from core.process.lock import hold_lock
from core.rules.format.headings import rule_id
from core.rules.matching.call import ToolCall, read_call
from core.text import redact

_SIGN: Final = ": "
_TITLE: Final = 120

Half = Literal["tune", "report", "all"]

Verdict = Literal["right", "wrong", "missing"]
"""`right`: the rule applies and is shown; `missing`: it applies and is not; `wrong`: it does not apply."""

MAX_BYTES = 64 << 20


class Titled(Protocol):
    """A rule, or its description."""

    @property
    def id(self) -> str: ...

    @property
    def title(self) -> str: ...


def read_name(text: str) -> str:
    """A name as a person wrote it down (`err-2: Force  push`)."""
    head, sign, title = text.partition(_SIGN)
    return f"{rule_id(head.strip())}{_SIGN}{_plain(title)}" if sign and title.strip() else rule_id(text)


def id_of(name: str) -> str:
    return name.partition(_SIGN)[0]


def with_title(rule: Titled) -> str:
    """The name of a rule whose id is not its own alone; secrets masked, as it is written down."""
    title = _plain(redact(rule.title))
    return f"{rule.id}{_SIGN}{title}" if title else rule.id


def name_among(names: Collection[str], rule: Titled) -> str:
    """What these names call the rule; of a rule that none of them names, what they would."""
    if not any(one.startswith(rule.id + _SIGN) for one in names):
        return rule.id
    full = with_title(rule)
    return rule.id if full not in names and rule.id in names else full


def display_name(names: Collection[str], rule: Titled, *, doubled: bool) -> str:
    """What to call a rule that something is said of, where `names` were said before: with its title where its id is
    `doubled`, or where it is called so already."""
    full = with_title(rule)
    return full if doubled or full in names else rule.id


def rule_names(rules: Iterable[Titled], names: Iterable[str]) -> set[str]:
    """The names that these rules go by; those with a title only of ids that `names` have with one."""
    labeled = {id_of(one) for one in names if _SIGN in one}
    kept = tuple(rules)
    return {rule.id for rule in kept} | {with_title(rule) for rule in kept if rule.id in labeled}


def _plain(title: str) -> str:
    return " ".join(unicodedata.normalize("NFC", title).split())[:_TITLE].rstrip()


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
        content = json.dumps([self.call.tool_name, self.call.tool_input], sort_keys=True).encode()
        return "report" if hashlib.sha256(content).digest()[0] & 1 else "tune"


def read_labelled(path: Path) -> tuple[LabelledCall, ...]:
    """A file of JSON lines `{"tool_name", "tool_input", "expected": ["ERR-…"], "not", "silence", "hard", "lang",
    "about"}`.

    Raises Fault invalid_input with the line that is wrong, io_error where it cannot be read.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise Fault("io_error", f"cannot read {path}: {error.strerror}", "pass a file of labeled calls") from error
    return labelled_in(data, str(path))


def labelled_in(data: bytes, name: str) -> tuple[LabelledCall, ...]:
    """Return the calls of a file that was read; `name` is its name. Raises Fault as `read_labelled`."""
    lines = data.split(b"\n")
    found = [_labelled(line, f"{name}, line {at}") for at, line in enumerate(lines, 1) if line.strip()]
    if not found:
        raise Fault("invalid_input", f"{name} contains no labeled calls", "write one JSON object per line")
    return tuple(found)


def expected_elsewhere(calls: Iterable[LabelledCall], known: Collection[str]) -> dict[str, int]:
    """The rules that calls expect and that are not known by their names, with how many calls expect each: nothing can
    be right there."""
    return dict(Counter(one for call in calls for one in dict.fromkeys(call.expected) if one not in known))


def named_in(calls: Iterable[LabelledCall]) -> set[str]:
    """Every name that the labels of these calls have for a rule."""
    return {name for call in calls for name in (*call.expected, *call.unwanted)}


def of_half(calls: Iterable[LabelledCall], half: Half) -> tuple[LabelledCall, ...]:
    return tuple(one for one in calls if half in ("all", one.half))


def parse_labelled_call(call: ToolCall, item: Mapping[str, Any]) -> LabelledCall:
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
            "invalid_input", f"{where} is not JSON: {why_unread(error)}", "write one JSON object per line"
        ) from None
    if not isinstance(value, dict):
        raise Fault("invalid_input", f"{where} is not a JSON object", "write one JSON object per line")
    item = cast("dict[str, Any]", value)
    ids: object = item.get("expected")
    if not isinstance(ids, list) or not all(isinstance(one, str) for one in cast("list[object]", ids)):
        raise Fault(
            "invalid_input", f"{where} has no list of expected rules", 'if no rule applies, write "expected": []'
        )
    try:
        call = read_call(item)
    except Fault as fault:
        raise Fault(fault.code, f"{where}: {fault.message}", fault.hint) from None
    return parse_labelled_call(call, item)


@dataclass(frozen=True, slots=True)
class Label:
    """What was said of one call: the rules that apply, those that do not, whether silence is right.

    That one does not apply says nothing of the others.
    """

    applies: tuple[str, ...] = ()
    not_these: tuple[str, ...] = ()
    silence: bool = False

    def name_of(self, rule: Titled) -> str:
        return name_among((*self.applies, *self.not_these), rule)


Seen = Label | None | Literal["any"]
"""The label that the user sees, None for none; `any`: no check."""


class LabelConflict(Exception):
    """Another label is kept of the call than the one that was before the person: `label`. Nothing was changed."""

    def __init__(self, label: Label | None) -> None:
        super().__init__("another process labeled this call in the meantime")
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
    return tuple((_label_of(item), _label(item)) for item in found if item is not None)


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
        raise Fault("invalid_input", f"unknown rule: {verdict}", "choose one")
    given = _item(call)
    key = _key(given)
    with hold_lock(path.with_name(path.name + ".lock"), patience=2.0):
        lines = _lines(path)
        places = _places(lines, key, project)
        item = _parsed(lines[places[0]]) if places else None
        before = None if item is None else _label(item)
        if seen != "any" and not same_label(before, seen):
            raise LabelConflict(before)
        now = _changed_label(before or Label(), rule, verdict)
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
        write_file(path, (f"{line}\n".encode("utf-8", "surrogateescape") for line in kept), replace=True)
    return now


def _places(lines: Sequence[str], key: str, project: str | None) -> list[int]:
    """Which lines are about a call: those of the project, else those that name none."""
    found = [(at, item) for at, line in enumerate(lines) if (item := _parsed(line)) is not None and _key(item) == key]
    if project is None:
        return [at for at, _ in found]
    own = [at for at, item in found if project and item.get("project") == project]
    return own or [at for at, item in found if not item.get("project")]


def _changed_label(before: Label, rule: str | None, verdict: Verdict) -> Label | None:
    if rule is None:
        return Label((), before.not_these, True) if not before.silence else _stored_label((), before.not_these)
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
    return _stored_label(tuple(applies), tuple(not_these), silence=before.silence and not applies)


def _stored_label(applies: tuple[str, ...], not_these: tuple[str, ...], *, silence: bool = False) -> Label | None:
    return Label(applies, not_these, silence) if applies or not_these or silence else None


def _fields(label: Label) -> dict[str, Any]:
    """`hard`: a rule came up, and none applies; `silence`: none applies, and not only those that are `not` these."""
    fields = {"expected": list(label.applies), "not": list(label.not_these)}
    return {**fields, "hard": label.silence and bool(label.not_these), "silence": label.silence}


def _label(item: dict[str, Any]) -> Label:
    found = _label_of(item)
    return Label(found.expected, found.unwanted, found.silent)


def _label_of(item: dict[str, Any]) -> LabelledCall:
    """Return the label. Older files have no `silence`, and a line with rules in `not` alone counts as `hard`."""
    return parse_labelled_call(
        ToolCall(str(item["tool_name"]), cast("dict[str, Any]", item.get("tool_input") or {})), item
    )


def _item(call: ToolCall) -> dict[str, Any]:
    """The call as it is written down: secrets masked."""
    text = redact(json.dumps(dict(call.tool_input), ensure_ascii=False))
    try:
        given: object = json.loads(text)
    except ValueError:  # a mask fell on a sign of the JSON itself
        given = {"input": text}
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
        raise Fault("invalid_input", f"{path} is larger than {MAX_BYTES >> 20} MiB", "move it to another folder")
    return data.decode("utf-8-sig", "surrogateescape")  # a line that is no UTF-8 is written back as it is


def _parsed(line: str) -> dict[str, Any] | None:
    try:
        value: object = json.loads(line.encode("utf-8", "surrogateescape").decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict):
        return None
    item = cast("dict[str, Any]", value)
    named = isinstance(item.get("tool_name"), str) and isinstance(item.get("expected"), list)
    return item if named and isinstance(item.get("tool_input", {}), dict) else None
