"""Reading the `ERR-nnn` Markdown format: whatever is wrong with a file is said with its line, and no rule is lost.

A field may go on over lines, lists and fenced blocks; a fenced example is no rule (decision 16).
"""

from __future__ import annotations

import hashlib
import os
import re
import textwrap
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path

from core.fault import Fault
from core.rules.blocks import fenced
from core.rules.rule import Flaw, Rule, RuleFile, RuleList, Scope
from core.text import redact

MAX_BYTES = 16 << 20
"""A rule file larger than this is refused."""
_HEADING = re.compile(r"(#{1,6})(?:[ \t]+|(?=ERR))(.*)$")
_ID = re.compile(r"\**\[?(ERR)[-_ ]?(\d{1,9})\]?(?:\s*[:：.\-–—)]\s*|\s+|\**$)(.*)$", re.IGNORECASE)
_FIELD = re.compile(
    r"\s{0,3}(?:[-*+]\s+)?(?:\*\*|__)([^*_:：\n]{1,40}?)\s*(?:[:：]\s*(?:\*\*|__)|(?:\*\*|__)\s*[:：])(.*)$"
)
_LABELS = {
    "problem": "problem issue 문제 증상 問題 症状 現象 问题 现象",
    "root_cause": "rootcause cause 원인 근본원인 原因 根本原因 根因",
    "solution": "solution fix 해결 해결책 해결방법 해결방안 솔루션 解決 解決策 解決方法 対処法 解决 解决方法 解决方案",
    "prevention": "prevention 예방 예방책 예방방법 방지 재발방지 予防 予防策 再発防止 再発防止策 预防 预防措施",
    "date": "date 날짜 일자 日付 日期",
    "project": "project 프로젝트 プロジェクト 项目 專案",
    "category": "category 카테고리 분류 범주 カテゴリ カテゴリー 分類 分类 类别",
}
_BY_LABEL = {label: name for name, labels in _LABELS.items() for label in labels.split()}
_REQUIRED = ("problem", "root_cause", "solution", "prevention")
_SHORT = 5


def parse(path: Path, *, scope: Scope = "project") -> RuleFile:
    """The rules of one file. Raises Fault io_error where it cannot be read, invalid_input where it is too large."""
    try:
        with path.open("rb") as file:
            info = os.fstat(file.fileno())
            data = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        said = error.strerror if isinstance(error, OSError) else str(error)
        raise Fault("io_error", f"cannot read the rules {path}: {said}", "name a Markdown file of rules") from error
    if len(data) > MAX_BYTES:
        raise Fault("invalid_input", f"{path} is larger than {MAX_BYTES >> 20} MiB", "give the rules alone")
    text, flaws = _decoded(data, str(path))
    found = parse_text(text, str(path), scope=scope)
    sha = hashlib.sha256(data).hexdigest()
    return RuleFile(str(path), found.rules, (*flaws, *found.flaws), sha, info.st_size, info.st_mtime_ns)


def parse_files(paths: Iterable[Path], *, scope: Scope = "project") -> RuleList:
    """The rules of several files in order; ids that come in more than one of them are reported, none is left out."""
    return joined(parse(path, scope=scope) for path in paths)


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
    lines = [line.removesuffix("\r") for line in redact(text).split("\n")]
    inside, unclosed = fenced(lines)
    flaws = [Flaw(path, at + 1, "this fence or comment is never closed; it was read as text") for at in unclosed]
    parts: list[_Part] = []
    current: _Part | None = None
    for at, line in enumerate(lines):
        heading = None if inside[at] else _HEADING.match(line)
        named = _ID.match(heading.group(2).strip()) if heading else None
        if heading and named:
            current = _Part(at + 1, heading.group(1), named.group(1), named.group(2), named.group(3).strip(" *"))
            parts.append(current)
        elif heading and len(heading.group(1)) <= 3:
            current = None
        elif current is not None:
            current.take(at + 1, line, inside=inside[at])
    rules: list[Rule] = []
    seen: dict[str, list[int]] = {}  # the lines at which each id stands
    for part in parts:
        rule = part.rule(path, scope)
        lines_of = seen.setdefault(rule.id, [])
        nth = len(lines_of)
        lines_of.append(rule.line)
        if nth:
            flaws.append(Flaw(path, rule.line, f"{rule.id} is there already, in line {lines_of[0]}", rule.id))
        rules.append(replace(rule, nth=nth))
        flaws += [Flaw(path, line, message, rule.id) for line, message in part.flaws(rule)]
    return RuleFile(path, tuple(rules), tuple(sorted(flaws, key=lambda flaw: flaw.line)))


@dataclass(slots=True)
class _Part:
    """The lines of one rule while they are read."""

    line: int
    marks: str
    prefix: str
    digits: str
    title: str
    fields: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    at: dict[str, int] = field(default_factory=dict[str, int])
    notes: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    unknown: dict[str, str] = field(default_factory=dict[str, str])
    current: str = ""

    def take(self, number: int, line: str, *, inside: bool) -> None:
        """The next line under the heading."""
        found = None if inside else _FIELD.match(line)
        if found:
            label = found.group(1).strip()
            name = _BY_LABEL.get(re.sub(r"[\s_\-]+", "", label).casefold(), "")
            if not name:
                name = f"extra:{label}"
                self.unknown[name] = label
            self.current = name
            self.at.setdefault(name, number)
            self.fields.setdefault(name, []).append(found.group(2).strip())
        elif self.current:
            self.fields[self.current].append(line)
        elif line.strip():
            self.notes.append((number, line))

    def rule(self, path: str, scope: Scope) -> Rule:
        """The rule that the lines make."""
        texts = {name: _text(lines) for name, lines in self.fields.items()}
        extra = {label: texts[name] for name, label in self.unknown.items()}
        notes = _text([line for _, line in self.notes])
        rule_id = f"ERR-{self.digits.zfill(3)}"
        named = Rule(rule_id, self.title, notes=notes, extra=extra, path=path, line=self.line, scope=scope)
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

    def flaws(self, rule: Rule) -> list[tuple[int, str]]:
        """What is wrong with it, each with its line."""
        out: list[tuple[int, str]] = []
        if self.prefix != "ERR" or len(self.digits) != 3:
            out.append((self.line, f"the id {self.prefix}-{self.digits} is not written ERR- and three digits"))
        if len(rule.title) < 1:
            out.append((self.line, f"{rule.id} has no title"))
        for name in _REQUIRED:
            text, label = getattr(rule, name), name.replace("_", " ").title()
            if name not in self.at:
                out.append((self.line, f"{rule.id} has no {label}"))
            elif len(text.strip()) < _SHORT:
                out.append((self.at[name], f"the {label} of {rule.id} has fewer than {_SHORT} characters"))
        if rule.date and not _is_date(rule.date):
            out.append((self.at["date"], f"the Date of {rule.id} is no date like 2026-01-31"))
        out += [(self.at[name], f"nobody knows the field {label!r}") for name, label in self.unknown.items()]
        if self.notes:
            out.append((self.notes[0][0], f"text of {rule.id} stands under no field"))
        return out


def _text(lines: list[str]) -> str:
    """The lines of a field as one text: the first stands behind its label, the rest keeps its own shape."""
    rest = textwrap.dedent("\n".join(lines[1:])) if len(lines) > 1 else ""
    text = re.sub(
        r"\n[ \t]*(?:-{3,}|\*{3,}|_{3,})[ \t]*(?=\n|\Z)",
        "\n",
        f"{lines[0]}\n{rest}" if rest else lines[0] if lines else "",
    )
    return text.strip()


def _is_date(text: str) -> bool:
    try:
        date.fromisoformat(text.strip())
    except ValueError:
        return False
    return True


def _decoded(data: bytes, path: str) -> tuple[str, list[Flaw]]:
    """UTF-8, or UTF-16 where the file says so; what is neither becomes U+FFFD and is reported."""
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        return data.decode(encoding), []
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        return data.decode(encoding, "replace"), [Flaw(path, line, "this is no UTF-8; the bad bytes were replaced")]
