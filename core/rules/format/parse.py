"""Parser of rule files: bytes, rules, and the labelled fields of each rule, in several languages."""

from __future__ import annotations

import errno
import hashlib
import os
import re
import select
import stat
import textwrap
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path

from core.base.fault import Fault
from core.base.managed_block import blocks
from core.rules.format.headings import Heading, begins_rule, fenced, heading_at
from core.rules.format.rule import Cost, Flaw, Rule, RuleFile, RuleList, Scope
from core.text import redact
from core.text.cleaning import encoding_of

_FIELD = re.compile(
    r"\s{0,3}([-*+]\s+)?(?:\*\*|__)([^*_:：\n]{1,40}?)\s*(?:[:：]\s*(?:\*\*|__)|(?:\*\*|__)\s*[:：])(.*)$"
)
LABELS = {
    "problem": "problem issue 문제 문제점 문제상황 증상 현상 이슈 問題 問題点 事象 症状 現象 问题 问题描述 现象",
    "root_cause": "rootcause cause 원인 근본원인 발생원인 原因 根本原因 根因 问题原因",
    "solution": (
        "solution fix 해결 해결책 해결방법 해결방안 해결법 해법 대응방안 대처방법 솔루션 "
        "解決 解決策 解決方法 解決法 対処 対処法 対処方法 対応策 対策 解决 解决方法 解决方案 解决办法 解決方案 解決辦法"
    ),
    "prevention": (
        "prevention 예방 예방책 예방방법 예방조치 방지 방지책 방지방법 방지대책 재발방지 재발방지책 재발방지대책 "
        "予防 予防策 予防方法 防止策 再発防止 再発防止策 预防 预防措施 预防方法 防范措施 預防 預防措施"
    ),
    "date": "date 날짜 일자 日付 日時 日期",
    "project": "project 프로젝트 프로젝트명 プロジェクト プロジェクト名 项目 项目名称 專案",
    "category": "category 카테고리 분류 범주 유형 カテゴリ カテゴリー 分類 種別 分类 类别 類別 类型",
}
_BY_LABEL = {label: name for name, labels in LABELS.items() for label in labels.split()}
_OTHER_WORDS = (
    "data", "rate", "protect", "projet", "projekt", "projek", "problema", "probleme", "problemi", "problemy",
    "probleem", "solucion", "prevencion",
)  # fmt: skip
"""Words, of other languages too, that come as near to a label as a slip of the hand does."""
_SHORT_FIELD = 4
REQUIRED = ("problem", "root_cause", "solution", "prevention")

WAIT_S = 5.0
"""How long a pipe may say nothing."""
_FLAGS = os.O_RDONLY | sum(getattr(os, name, 0) for name in ("O_CLOEXEC", "O_NONBLOCK", "O_BINARY"))

MAX_BYTES = 16 << 20
"""A rule file larger than this is refused."""
_SHORT = 5
_USUAL = re.compile(r"ERR-[0-9]{3}")
_LINE_ACROSS = re.compile(r"[ \t]*(?:-{3,}|\*{3,}|_{3,})[ \t]*")
_MARKUP = re.compile(r"\s*(?:(?:<!--(?:(?!-->).)*-->|</?[A-Za-z][^<>]*>)\s*)+")
_QUOTE = re.compile(r" {0,3}>[ \t]?")
_ASTRAY = "these fields are not under a heading such as ### ERR-001: title"
_UNCLOSED = "this code fence or comment is not closed. casebook reads it as text"
_EXAMPLE = "this code fence contains a rule. casebook reads it as an example"
_NO_MARK = "this is not UTF-8 but probably UTF-16 or UTF-32. Save it as UTF-8"
_BEGIN = 4_096
_FlawAt = tuple[int, str, Cost]
"""A line, what is wrong with it, what that costs."""
_RETURNS = re.compile(r"(?<!\r)\r++\n")
_BREAK = re.compile(r"[\r\n]")
_BREAK_IN_LINE = re.compile(r"[\u2028\u2029]")


@dataclass(frozen=True, slots=True)
class Field:
    """A line that begins a field: its label as written, the field (empty: unknown), the text behind the label, and
    whether the line is an item of a list."""

    label: str
    name: str
    text: str
    listed: bool

    @property
    def key(self) -> str:
        """The label, however it was written."""
        return _key(self.label)


def field_of(line: str) -> Field | None:
    """The field that a line begins; None where it begins none."""
    found = _FIELD.match(line)
    if found is None:
        return None
    label = found.group(2).strip()
    return Field(label, _BY_LABEL.get(_key(label), ""), found.group(3).strip(), found.group(1) is not None)


def field_name(line: str) -> str:
    """The name of the known field that a line begins, else empty."""
    found = field_of(line)
    return found.name if found else ""


def nearest_field(label: str) -> str:
    """Return the field that an unknown label probably means: one letter is wrong, missing or extra, or two are swapped;
    else empty. English labels only: elsewhere one other letter soon makes another word."""
    key = _key(label)
    if not (key.isascii() and key.isalpha()) or key in _BY_LABEL or key in _OTHER_WORDS:
        return ""
    return next((name for name in LABELS if _is_slip(key, len(label.split()), name)), "")


def is_plural(label: str, name: str) -> bool:
    """Whether a label is the plural of a field's own."""
    return _key(label) == f"{_key(name)}s"


def _is_slip(key: str, words: int, name: str) -> bool:
    """Whether a label is a field's own but for one slip. `Solution B` has a word more; and in one as short as `Date`
    another letter makes another word: its own letters must all be there."""
    meant = _key(name)
    if abs(len(meant) - len(key)) > 1 or words > len(name.split("_")):
        return False
    if len(meant) <= _SHORT_FIELD and sorted(key) != sorted(meant):
        return False
    from rapidfuzz.distance import OSA

    return OSA.distance(key, meant, score_cutoff=1) == 1


def _key(label: str) -> str:
    return re.sub(r"[\s_\-]+", "", unicodedata.normalize("NFC", label)).casefold()


RULES_KIND = "rules"
"""The kind of casebook's block that holds rules which a person accepted."""


def read_bytes(path: Path, most: int, wait_s: float = WAIT_S) -> tuple[bytes, os.stat_result]:
    """At most so many bytes, with what the system says of the file. Raises OSError (TimeoutError where a pipe says
    nothing for too long), ValueError for what can be no name."""
    handle = os.open(path, _FLAGS)
    try:
        info = os.fstat(handle)
        piped = not stat.S_ISREG(info.st_mode) and not stat.S_ISDIR(info.st_mode)
        data = _read(handle, most, wait_s if piped else None)
        return data, os.fstat(handle) if piped else info
    finally:
        os.close(handle)


def _read(handle: int, most: int, wait_s: float | None) -> bytes:
    read = bytearray()
    while len(read) < most:
        if wait_s is not None:
            _wait(handle, wait_s)
        more = os.read(handle, min(1 << 20, most - len(read)))
        if not more:
            break
        read += more
    return bytes(read)


def _wait(handle: int, wait_s: float) -> None:
    """Wait until there is something to read, or no writer is left."""
    if not hasattr(select, "poll"):  # Windows
        return
    ready = select.poll()
    ready.register(handle, select.POLLIN)
    if not ready.poll(wait_s * 1000):
        raise TimeoutError(errno.ETIMEDOUT, f"no data for {wait_s:g} s")


def parse(path: Path, *, scope: Scope = "project") -> RuleFile:
    """The rules of one file. Raises Fault as `bytes_of` does."""
    data, info = bytes_of(path)
    text, flaws = _decoded(data, str(path))
    found = parse_text(text, str(path), scope=scope)
    sha = hashlib.sha256(data).hexdigest()
    return RuleFile(str(path), found.rules, (*flaws, *found.flaws), sha, info.st_size, info.st_mtime_ns)


def bytes_of(path: Path) -> tuple[bytes, os.stat_result]:
    """A rule file as it lies there. Raises Fault io_error where it cannot be read, invalid_input: it is too large."""
    try:
        data, info = read_bytes(path, MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise Fault("io_error", f"cannot read the rules {path}: {reason}", "pass a Markdown file of rules") from error
    if len(data) > MAX_BYTES:
        raise Fault("invalid_input", f"{path} is larger than {MAX_BYTES >> 20} MiB", "pass a file with rules only")
    return data, info


def joined(files: Iterable[RuleFile]) -> RuleList:
    """Several files as one list, with the ids that more than one of them has."""
    read = list(files)
    seen: dict[str, Rule] = {}
    flaws = [flaw for one in read for flaw in one.flaws]
    for rule in (rule for one in read for rule in one.rules):
        first = seen.setdefault(rule.id, rule)
        if first.path != rule.path:
            where = f"{rule.id} is also in {first.path}, line {first.line}"
            flaws.append(Flaw(rule.path, rule.line, where, rule.id))
    return RuleList(tuple(r for one in read for r in one.rules), tuple(flaws), tuple(one.path for one in read))


def parse_text(text: str, path: str = "", *, scope: Scope = "project") -> RuleFile:
    """The rules of a text. Secrets are masked before anything else sees them; every line keeps its number."""
    lines, numbers = _lines(_without_blocks(redact(text)))
    inside, unclosed, doubtful = fenced(lines, begins_rule)
    flaws_found: list[_FlawAt] = [(numbers[at], _UNCLOSED, "lost") for at in unclosed]
    flaws_found.extend((numbers[at], _EXAMPLE, "odd") for at in doubtful)
    reading = _Reading(lines, numbers, inside)
    reading.read()
    flaws = [Flaw(path, line, message, cost=cost) for line, message, cost in (*flaws_found, *reading.flaws)]
    rules: list[Rule] = []
    seen: dict[str, list[int]] = {}  # the lines at which each id stands
    for part in reading.parts:
        rule = part.rule(path, scope)
        lines_of = seen.setdefault(rule.id, [])
        nth = len(lines_of)
        lines_of.append(rule.line)
        if nth:
            flaws.append(Flaw(path, rule.line, f"{rule.id} already exists in line {lines_of[0]}", rule.id))
        rules.append(replace(rule, nth=nth) if nth else rule)
        flaws += [Flaw(path, line, message, rule.id, cost) for line, message, cost in part.flaws(rule)]
    return RuleFile(path, tuple(rules), tuple(sorted(flaws, key=lambda flaw: flaw.line)))


def _without_blocks(text: str) -> str:
    """The text with blanks for casebook's own blocks, except accepted rules: what it wrote is no rule of the user."""
    if "<!-- casebook:start" not in text:
        return text
    try:
        found = blocks(text)
    except Fault:
        return text
    for block in found:
        if block.kind != RULES_KIND:
            inner = "".join(sign if sign in "\r\n" else " " for sign in text[block.start : block.end])
            text = text[: block.start] + inner + text[block.end :]
    return text


def _lines(text: str) -> tuple[list[str], list[int]]:
    """The lines of a text, and the number that an editor gives each: a line may end as on any system."""
    lines = _BREAK.split(_RETURNS.sub("\n", text))
    numbers = list(range(1, len(lines) + 1))
    if "\u2028" in text or "\u2029" in text:
        split = [(piece, at) for at, line in enumerate(lines, 1) for piece in _BREAK_IN_LINE.split(line)]
        lines, numbers = [piece for piece, _ in split], [at for _, at in split]
    return lines, numbers


class _Reading:
    """A text while it is read: the rules found so far, the one that takes the lines now, and what is wrong."""

    def __init__(self, lines: Sequence[str], numbers: Sequence[int], inside: Sequence[bool]) -> None:
        self.lines, self.numbers, self.inside = lines, numbers, inside
        self.parts: list[_Part] = []
        self.flaws: list[_FlawAt] = []
        self.current: _Part | None = None
        self.astray: set[str] = set()  # the fields that stand under no rule, since the last heading

    def read(self) -> None:
        """Every line."""
        at = 0
        while at < len(self.lines):
            heading = None if self.inside[at] else heading_at(self.lines, at)
            if heading is not None and self._begins(at, heading):
                self._begin(at, heading)
                at += heading.lines
                continue
            if heading is not None and heading.ends:
                self.current, self.astray = None, set()
            elif self.current is not None:
                if not self.current.take(self.numbers[at], self.lines[at], inside=self.inside[at]):
                    self.current, self.astray = None, {self._field_at(at)}
            elif not self.inside[at]:
                self._stray(at)
            at += 1

    def _begins(self, at: int, heading: Heading) -> bool:
        """Return whether a heading begins a rule; one that may, and does not, is reported."""
        named = heading.named
        if named is None:
            return False
        if heading.marked and heading.lines == 1 and named.sure and not named.span and not heading.deep:
            return True
        if self._followed(at, heading):
            return True
        if heading.marked and heading.lines == 1 and not named.span:
            self._doubt(at, heading)
        return False

    def _followed(self, at: int, heading: Heading) -> bool:
        """Whether the fields of a rule come behind a heading that leaves room for doubt."""
        behind = at + heading.lines
        if heading.lines == 2 and (at == 0 or not self.lines[at - 1].strip()):
            return True
        if heading.ends:
            return any(self._field_at(place) in REQUIRED for place in self._section(behind))
        first = next(
            (place for place in range(behind, min(behind + 4, len(self.lines))) if self.lines[place].strip()), 0
        )
        name = self._field_at(first) if first else ""
        return bool(name) and (self.current is None or heading.lines == 2 or name in self.current.at)

    def _section(self, begin: int) -> Iterator[int]:
        """The lines from one on to the next that looks like a heading."""
        for place in range(begin, len(self.lines)):
            if not self.inside[place]:
                if self.lines[place].lstrip().startswith("#"):
                    return
                yield place

    def _field_at(self, at: int) -> str:
        return "" if self.inside[at] else field_name(self.lines[at].lstrip("> \t"))

    def _doubt(self, at: int, heading: Heading) -> None:
        named = heading.named
        if named is None:
            return
        if heading.deep:
            message = f"this looks like the heading of {named.id} but is indented like code. casebook reads it as text"
        elif heading.level <= 3 or named.first:
            message = (
                f"this heading contains {named.id} but does not have the form ### {named.id}: title. "
                "casebook does not read it as a rule"
            )
        else:
            return
        self.flaws.append((self.numbers[at], message, "lost"))

    def _begin(self, at: int, heading: Heading) -> None:
        named = heading.named
        if named is None:
            return
        self.current = _Part(self.numbers[at], named.id, named.written, named.title, quoted=heading.quoted)
        self.astray = set()
        self.parts.append(self.current)
        wrong = ""
        cost: Cost = "lost" if named.span or named.several else "odd"
        if not heading.marked:
            wrong = f"the heading of {named.id} has no ### before it"
        elif heading.quoted:
            wrong = f"the heading of {named.id} is in a block quote"
        elif named.span or named.several:
            wrong = f"this heading names more than {named.id}"
        elif not named.sure or heading.deep:
            wrong = f"the heading of {named.id} is not written ### {named.id}: title"
        if wrong:
            self.flaws.append((self.numbers[at], wrong, cost))

    def _stray(self, at: int) -> None:
        """Report fields outside a rule, once for each new beginning."""
        name = self._field_at(at)
        if name not in REQUIRED:
            return
        if not self.astray or name in self.astray:
            self.flaws.append((self.numbers[at], _ASTRAY, "lost"))
            self.astray.clear()
        self.astray.add(name)


@dataclass(slots=True)
class _Part:
    """The lines of one rule while they are read."""

    line: int
    id: str
    written: str
    title: str
    quoted: bool = False
    fields: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    at: dict[str, int] = field(default_factory=dict[str, int])
    labels: dict[str, Field] = field(default_factory=dict[str, Field])
    notes: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    unknown: dict[str, str] = field(default_factory=dict[str, str])
    again: list[_FlawAt] = field(default_factory=list[tuple[int, str, Cost]])
    mistyped: list[tuple[int, str, str]] = field(default_factory=list[tuple[int, str, str]])
    current: str = ""

    def take(self, number: int, line: str, *, inside: bool) -> bool:
        """The next line under the heading; False where it is the first field of a rule that lost its heading."""
        text = _QUOTE.sub("", line, count=1) if self.quoted else line
        found = None if inside else field_of(text)
        if found and not found.name and (meant := nearest_field(found.label)):
            self.mistyped.append((number, found.label, meant))
        if found and found.name and found.name in self.at:
            message = f"a second {found.label} in {self.id}: the heading of another rule may be missing"
            if self._of_another(found):
                self.again.append((number, f"{message}. The rest was not read", "lost"))
                return False
            self.again.append((number, message, "lost"))
            if (found.listed and not self.labels[found.name].listed) or found.name not in REQUIRED:
                found = None
        if found and found.listed and not found.name and self.current:
            found = None  # a step with a bold word, of the field before it
        if found:
            name = found.name or f"extra:{found.label}"
            if not found.name:
                self.unknown[name] = found.label
            self.current = name
            self.at.setdefault(name, number)
            self.labels.setdefault(name, found)
            self.fields.setdefault(name, []).append(found.text)
        elif self.current and not self._is_dated(text):
            self.fields[self.current].append(text)
        elif text.strip() and not _LINE_ACROSS.fullmatch(text):
            self.notes.append((number, text))
        return True

    def _is_dated(self, line: str) -> bool:
        """Return whether a line follows a date, which has one line: later text belongs to no field."""
        return self.current == "date" and bool(line.strip()) and any(map(str.strip, self.fields["date"]))

    def _of_another(self, found: Field) -> bool:
        """Whether a field that is there already is the first of a rule whose heading was lost."""
        first = self.labels[found.name]
        begins = found.name == "problem" or found.name == next(iter(self.at))
        return begins and found.key == first.key and found.name != self.current and found.listed <= first.listed

    def rule(self, path: str, scope: Scope) -> Rule:
        """The rule that the lines make."""
        texts = {name: _text(lines) for name, lines in self.fields.items()}
        extra = {label: texts[name] for name, label in self.unknown.items()}
        notes = _text([line for _, line in self.notes])
        named = Rule(self.id, self.title, notes=notes, extra=extra, path=path, line=self.line, scope=scope)
        return replace(
            named,
            problem=texts.get("problem", ""),
            root_cause=texts.get("root_cause", ""),
            solution=texts.get("solution", ""),
            prevention=texts.get("prevention", ""),
            date=texts.get("date", ""),
            project=texts.get("project", ""),
            category=texts.get("category", ""),
        )

    def flaws(self, rule: Rule) -> list[_FlawAt]:
        """What is wrong with it, each with its line."""
        out: list[_FlawAt] = []
        out += self.again
        if not _USUAL.fullmatch(self.written):
            out.append((self.line, f"the id {self.written} is not ERR- followed by three digits", "odd"))
        if len(rule.title) < 1:
            out.append((self.line, f"{rule.id} has no title", "odd"))
        for name in REQUIRED:
            text, label = getattr(rule, name), _display_field(name)
            if name not in self.at:
                cost: Cost = "odd" if name in ("problem", "solution") else "missing"
                out.append((self.line, f"{rule.id} has no {label}", cost))
            elif _length(text.strip()) < _SHORT:
                out.append((self.at[name], f"the {label} of {rule.id} has fewer than {_SHORT} characters", "odd"))
        if rule.date and not _is_date(rule.date):
            out.append((self.at["date"], f"the Date of {rule.id} does not have the format 2026-01-31", "odd"))
        slips = [one for one in self.mistyped if one[2] not in self.at or not is_plural(*one[1:])]
        for number, label, name in slips:
            out.append((number, f"{label!r} is probably a mistyped {_display_field(name)}", "lost"))
        known = {label for _, label, _ in slips}
        for name, label in self.unknown.items():
            if label not in known:
                out.append((self.at[name], f"unknown field {label!r}", "odd"))
        if stray := [number for number, line in self.notes if not _MARKUP.fullmatch(line)]:
            out.append((stray[0], f"{rule.id}: this text is not under a field (kept as a note)", "odd"))
        return out


def _display_field(name: str) -> str:
    """A field as one writes it."""
    return name.replace("_", " ").title()


def _text(lines: list[str]) -> str:
    """Return the lines of a field as one text: the first follows its label, the rest keeps its indentation."""
    rest = textwrap.dedent("\n".join(lines[1:])) if len(lines) > 1 else ""
    text = re.sub(
        rf"\n{_LINE_ACROSS.pattern}(?=\n|\Z)",
        "\n",
        f"{lines[0]}\n{rest}" if rest else lines[0] if lines else "",
    )
    return text.strip()


def _length(text: str) -> int:
    """Characters, a letter of Korean, Japanese or Chinese as two: it says as much."""
    return sum(2 if unicodedata.east_asian_width(c) in "WFH" else 1 for c in unicodedata.normalize("NFC", text))


def _is_date(text: str) -> bool:
    try:
        date.fromisoformat(text.strip())
    except ValueError:
        return False
    return True


def _decoded(data: bytes, path: str) -> tuple[str, list[Flaw]]:
    """UTF-8, or UTF-16 or UTF-32 where the file says so; what is none of them becomes U+FFFD and is reported."""
    encoding = encoding_of(data)
    begin = data[:_BEGIN]
    if encoding == "utf-8-sig" and begin.count(0) * 20 > len(begin):
        return data.decode(encoding, "replace"), [Flaw(path, 0, _NO_MARK)]
    try:
        return data.decode(encoding), []
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        message = f"this is not {encoding.removesuffix('-sig').upper()}: casebook replaced invalid bytes"
        return data.decode(encoding, "replace"), [Flaw(path, line, message)]
