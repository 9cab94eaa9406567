"""Lessons (`lesson.v1`): when a fix applies, what to do, what not to do, how to check it, and its evidence.

A lesson is shown as a card for people, and in at most 60 tokens for an agent. Commands have placeholders where they
hold for one person or one moment only (paths below home, branches, numbers, ids). Reading adds how often the lesson was
used, whether its tool has another version since, and where it also applies. Functions take an open connection and
write nothing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, ClassVar, Final, Literal, cast, get_args

import apsw

from core.base.lazy import lazy_pattern
from core.errors.command_text import flat, short_command, telling_part, utf8_size
from core.errors.identity.codes import lack_of
from core.text import clean, words

Scope = Literal["session", "project", "general"]
DoKind = Literal["command", "hunk", "words"]
SCOPES: Final[tuple[Scope, ...]] = get_args(Scope)
DO_KINDS: Final[tuple[DoKind, ...]] = get_args(DoKind)

_ENCODE: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
HUNK_LINES: Final = 10
"""The most lines of a hunk that is the `do` of a lesson."""
WHEN_FIELDS: Final = ("error", "tool", "version", "system", "sandbox")
DO_FIELDS: Final = ("text", "file", "instead_of")
NO_SANDBOX: Final = "off"


@dataclass(frozen=True, slots=True)
class When:
    """When a lesson applies: the line that names the error, the tool that printed it, that tool's version, the system.

    `sandbox`: the agent's sandbox in which the error was seen (`workspace-write, no network`), `off` outside of one.
    What is not known is empty.
    """

    error: str
    tool: str = ""
    version: str = ""
    system: str = ""
    sandbox: str = ""


@dataclass(frozen=True, slots=True)
class Do:
    """What to do: a command with placeholders, a hunk of `file` (lines of a diff), or a sentence.

    `instead_of` is the command that failed, where the fix is another command.
    """

    kind: DoKind
    text: str
    file: str = ""
    instead_of: str = ""


@dataclass(frozen=True, slots=True)
class LessonEvidence:
    """A message that a lesson rests on, and why."""

    session: str
    message: int
    why: str


@dataclass(frozen=True, slots=True)
class Lesson:
    """What a fix teaches. `not`: what was tried and did not help; `check`: the command that showed the error gone.

    `because` is a sentence of the agent or the person that shares a term with the error or its command, else what `do`
    changes. `workaround`: it hides the failure. Counted when read: how often it was `told`, how often it `helped`, and
    when last. `recheck` says why the lesson must be checked again, null where nothing moved. `offered`: the scope that
    a person may confirm.
    """

    SCHEMA: ClassVar[str] = "lesson.v1"

    when: When
    do: Do
    dead_ends: tuple[str, ...] = field(default=(), metadata={"wire": "not"})
    check: str = ""
    because: str | None = None
    scope: Scope = "project"
    evidence: tuple[LessonEvidence, ...] = ()
    workaround: bool = False
    told: int = 0
    helped: int = 0
    last_helped: str | None = None
    recheck: str | None = None
    offered: Scope | None = None


def lesson_json(lesson: Lesson) -> str:
    """A lesson as it is kept in the `lesson` column: without what is counted when it is read."""
    when = {name: getattr(lesson.when, name) for name in WHEN_FIELDS if name != "sandbox" or lesson.when.sandbox}
    kept: dict[str, object] = {
        "when": when, "do": {name: getattr(lesson.do, name) for name in ("kind", *DO_FIELDS)}, "check": lesson.check,
        "because": lesson.because, "scope": lesson.scope, "evidence": [asdict(one) for one in lesson.evidence],
        "workaround": lesson.workaround, "not": lesson.dead_ends,
    }  # fmt: skip
    return _ENCODE(kept)


def parse_lesson(text: str | None) -> Lesson | None:
    """The lesson in a `lesson` column; None where there is none, or none that can be read."""
    if not text:
        return None
    try:
        found: object = json.loads(text)
        return _lesson(cast("dict[str, Any]", found)) if isinstance(found, dict) else None
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None


def _lesson(found: dict[str, Any]) -> Lesson | None:
    when, do = found["when"], found["do"]
    kind, scope = do["kind"], found.get("scope", "project")
    if kind not in DO_KINDS or scope not in SCOPES or not str(do["text"]).strip():
        return None
    return Lesson(
        when=When(*(str(when.get(name) or "") for name in WHEN_FIELDS)),
        do=Do(kind, *(str(do.get(name) or "") for name in DO_FIELDS)),
        dead_ends=tuple(str(one) for one in found.get("not") or ()),
        check=str(found.get("check") or ""),
        because=str(found["because"]) if found.get("because") else None,
        scope=scope,
        evidence=tuple(
            LessonEvidence(str(one["session"]), int(one["message"]), str(one["why"]))
            for one in found.get("evidence") or ()
        ),
        workaround=found.get("workaround") is True,
    )


READ: Final = 4_000
"""Code points of an output, from its beginning, in which a version is looked for."""
_MENTIONS: Final = 40
_NUMBER = lazy_pattern(r"(?:\.js)?[ /@-]?v?([0-9]{1,4}(?:\.[0-9]{1,6}){1,2})(?!\.?[\w-])")


def version_of(tool: str, output: str) -> str:
    """Return the version after the name of the tool; empty if there is none."""
    text = output[:READ]
    lowered, name, at = text.lower(), tool.lower(), -1
    for _ in range(_MENTIONS if len(name) > 1 else 0):
        at = lowered.find(name, at + 1)
        if at < 0:
            break
        if at and (lowered[at - 1].isalnum() or lowered[at - 1] in "_-."):
            continue
        found = _NUMBER.match(text, at + len(name))
        if found is not None:
            return found[1]
    return ""


AGENT_TOKENS: Final = 60
"""Tokens of the form for an agent, as `estimate_tokens` counts them."""
_CLOSED: Final = frozenset(("network", "service", "write"))
"""Kinds of lack that a sandbox can be the reason of."""
_DO_BYTES: Final = 132
_DO_LEAST: Final = 88
"""Bytes of what to do, where the reason is long."""
_REASON_LEAST: Final = 48
_WHEN_BYTES: Final = 60
_WHEN_LEAST: Final = 24
_DIFF_LINE: Final = 76
_KEPT_BEFORE: Final = 16
"""Characters of a long line that are shown before those that were changed."""
_GIVEN = lazy_pattern(r"\s*<[a-z][a-z ]*>\s*|[\s'\"`]+|…$")
"""What lies between the words that a lesson's error has in common with the line that it was made from."""
_COMMENT = lazy_pattern(r"\s*(?:#(?![\[!]|(?:include|define|if|else|end|pragma)\b)|//|/\*|\*[ /]|<!--|--\s|\"\"\"|''')")
_NAMED = lazy_pattern(r"`([^`]+)`")
_SCOPES: Final[dict[Scope, str]] = {
    "session": "this session",
    "project": "this project",
    "general": "every project",
}


def card(lesson: Lesson, shown: str = "") -> tuple[tuple[str, str], ...]:
    """The lesson as labels and texts, in the order in which a person reads them; what is not known is left out.

    `shown`: the error line that is above the card already. It is not repeated. If the lesson comes from another
    occurrence, with other names or numbers, the card says so.
    """
    when, do = lesson.when, lesson.do
    tool = " ".join(part for part in (when.tool, when.version) if part)
    where = ", ".join(part for part in (tool, when.system) if part)
    same = bool(shown) and all(part in shown for part in _GIVEN.split(when.error))
    error = f"another occurrence: {when.error}" if shown and not same else when.error
    rows = (
        ("When", where if same else f"{error} ({where})" if where else error),
        ("Sandbox", sandbox_that_matters(lesson)),
        ("Do", (f"in {do.file}\n{do.text}" if do.file else do.text)),
        ("Instead of", short_command(do.instead_of, do.text)),
        ("Not", "\n".join(lesson.dead_ends)),
        ("Check", lesson.check if _clean_line(lesson.check) != _clean_line(do.text) else ""),
        ("Because", reason_of(lesson)),
        ("Scope", _scope(lesson)),
        ("Workaround", "it hides the failure instead of fixing it" if lesson.workaround else ""),
        ("Recheck", lesson.recheck or ""),
        ("Used", _used(lesson)),
    )
    return tuple((label, text) for label, text in rows if text)


def sandbox_that_matters(lesson: Lesson) -> str:
    """The sandbox of the failure, where it may be why it failed: the error names what a sandbox closes (the network, a
    port, a file), or the fix speaks of the sandbox. Else empty."""
    sandbox = lesson.when.sandbox
    if sandbox in ("", NO_SANDBOX):
        return ""
    lack = lack_of(lesson.when.error)
    spoken = (lesson.do.text, lesson.because or "", *(one.why for one in lesson.evidence))
    named = any("sandbox" in text.lower() for text in spoken)
    return sandbox if named or (lack is not None and lack.kind in _CLOSED) else ""


def reason_of(lesson: Lesson) -> str:
    """The sentence that explains the fix; empty if there is none, or if it is already what to do."""
    reason = lesson.because or ""
    return "" if _clean_line(reason) == _clean_line(lesson.do.text) else reason


def scope_name(scope: Scope) -> str:
    """Where a lesson holds, in words."""
    return _SCOPES[scope]


def _scope(lesson: Lesson) -> str:
    offered = " (the same fix worked in another repository)" if lesson.offered else ""
    return f"{_SCOPES[lesson.scope]}{offered}"


def _used(lesson: Lesson) -> str:
    if not lesson.told:
        return ""
    last = f", last {lesson.last_helped[:10]}" if lesson.last_helped else ""
    return f"shown {_times(lesson.told)}, helped {_times(lesson.helped)}{last}"


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count:,} times"


def agent_text(lesson: Lesson) -> str:
    """The lesson in lines for an agent, at most `AGENT_TOKENS` tokens: what to do, why, the rest as far as it fits.

    What to do, the reason and the error are cut (`…`), the rest is left out where it does not fit.
    """
    return "\n".join(agent_parts(lesson))


def agent_parts(lesson: Lesson) -> tuple[str, ...]:
    """The parts of `agent_text`, each a label and a text, which may have several lines."""
    room = 3 * AGENT_TOKENS - 1
    reason = _labelled("because", reason_of(lesson))
    do = _do_with_reason(lesson, room, utf8_size(reason) + 1 if reason else 0)
    used = utf8_size(do)

    def take(line: str, least: int = 0, longest: int = room) -> list[str]:
        nonlocal used
        left = room - used - 1
        line = _cut(line, min(left, longest)) if least and left >= least else line
        if not line or utf8_size(line) > left:
            return []
        used += 1 + utf8_size(line)
        return [line]

    because = take(reason, _REASON_LEAST)
    instead = take(_labelled("not", short_command(lesson.do.instead_of, lesson.do.text, _DO_BYTES)))
    when = take(_labelled("when", lesson.when.error), _WHEN_LEAST, _WHEN_BYTES)
    sandbox = take(_labelled("sandbox", sandbox_that_matters(lesson)))
    dead = [line for one in lesson.dead_ends for line in take(_labelled("not", one))]
    known = {_clean_line(lesson.do.text), _clean_line(lesson.do.instead_of)}
    check = [] if _clean_line(lesson.check) in known else take(_labelled("check", lesson.check))
    return (*when, *sandbox, do, *instead, *dead, *check, *because)


def _do_with_reason(lesson: Lesson, room: int, reason: int) -> str:
    """What to do, in a room that it shares with a reason of that size.

    A command that fits is not cut for its reason. One that does not, or an edit, is: half of it without a reason does
    not say what it is for.
    """
    whole = _do_part(lesson, room - reason if lesson.do.kind == "hunk" else room)
    if not whole.endswith(_CUT):
        return whole
    return _do_part(lesson, min(max(room - reason, _DO_LEAST), _DO_BYTES, room))


def _labelled(label: str, text: str) -> str:
    return f"{label}: {_clean_line(text)}" if text else ""


def _do_part(lesson: Lesson, room: int) -> str:
    """What to do in at most `room` bytes; a command of several lines keeps them."""
    do, label = lesson.do, "do (workaround)" if lesson.workaround else "do"
    if do.kind == "hunk":
        return _hunk_part(lesson, f"{label}: edit {do.file.replace(chr(92), '/').rpartition('/')[2]}", room)
    text = _script(do.text)
    if do.kind == "words":
        return _cut(f"{label}: {text}", room)
    names = " ".join(name for one in lesson.evidence for name in _NAMED.findall(one.why))
    about = frozenset(words(names or lesson.when.error))
    return f"{label}: {telling_part(text, _script(do.instead_of), about, room - utf8_size(f'{label}: '))}"


def _script(command: str) -> str:
    """The lines of a command that say something, those that go on joined."""
    return "\n".join(line for one in command.replace("\\\n", " ").split("\n") if (line := _clean_line(one)))


def _hunk_part(lesson: Lesson, head: str, room: int) -> str:
    """The changed lines of a hunk below `head`. Where they do not all fit: the added ones, without comments; the first
    to be kept are those that share a word with the error."""
    changed = list(_dedented(lesson.do.text))
    added = [line for line in changed if line[0] == "+"] or changed
    code = [line for line in added if re.search(r"\w", line) and not _COMMENT.match(line[1:])] or added
    for shown in (changed, added, code):
        text = "\n".join((head, *(_short_line(line, changed, _DIFF_LINE) for line in shown)))
        if utf8_size(text) <= room:
            return text if shown is not code or code is added else f"{text}\n{_CUT}"
    left = room - utf8_size(f"{head}\n\n{_CUT}")
    about = frozenset(words(lesson.when.error))
    kept: dict[int, str] = {}
    for at in sorted(range(len(code)), key=lambda at: (about.isdisjoint(words(code[at])), at)):
        line = _short_line(code[at], changed, min(_DIFF_LINE, left) if not kept else _DIFF_LINE)
        if utf8_size(line) <= left:
            kept[at] = line
            left -= 1 + utf8_size(line)
    return _cut("\n".join((head, *(kept[at] for at in sorted(kept)), _CUT)), room)


def _short_line(line: str, changed: Sequence[str], size: int) -> str:
    """A line of a diff in at most `size` bytes; a longer one from where it differs from the line that it replaces."""
    if utf8_size(line) <= size:
        return line
    removed = (one[2:] for one in changed if one[0] == "-" and line[0] == "+")
    same = max((_same_start(line[2:], one) for one in removed), default=0) - _KEPT_BEFORE
    return _cut(f"{line[:2]}{_CUT}{line[2 + same :]}" if same > _KEPT_BEFORE else line, size)


def _same_start(one: str, other: str) -> int:
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (mine, theirs) in pairs if mine != theirs), min(len(one), len(other)))


def _dedented(diff: str) -> Iterator[str]:
    """The changed lines of a diff that say something, without the indent that all of them share."""
    changed = [line.expandtabs(2) for line in diff.split("\n") if line[:1] in ("+", "-") and line[1:].strip()]
    indent = min((len(line[2:]) - len(line[2:].lstrip()) for line in changed), default=0)
    return (f"{line[:2]}{line[2 + indent :].rstrip()}" for line in changed)


def _clean_line(text: str) -> str:
    return " ".join(clean(text).split())


def _cut(text: str, size: int) -> str:
    """`text` in at most `size` bytes of UTF-8, whole characters, with a sign where it was cut."""
    data = text.encode("utf-8", "replace")
    if len(data) <= size:
        return text
    return f"{data[: max(size - 3, 0)].decode('utf-8', 'ignore')}…"


DO_TEXT: Final = "iif(json_valid(lesson), json_extract(lesson, '$.do.text'), NULL)"
"""What a lesson says to do, as the index `resolution_do` has it."""
_REMOTE: Final = "repository <> '' AND substr(repository, 1, 1) NOT IN ('/', '\\') AND substr(repository, 2, 1) <> ':'"
"""Whether a repository is named by its remote, not by a folder."""
_COMPARED: Final = 200
"""Lessons with the same `do` whose repositories are compared."""


def read_lesson(con: apsw.Connection, resolution_id: int, stored: str | None) -> Lesson | None:
    """The lesson in the row of a fix; None where the text is all there is."""
    lesson = parse_lesson(stored)
    if lesson is None:
        return None
    row = con.execute(
        "SELECT count(*), coalesce(sum(outcome = 'helped' AND performed = 1), 0),"
        " max(iif(outcome = 'helped' AND performed = 1, settled_at, NULL))"
        " FROM answer_outcome WHERE resolution_id = ? AND withheld = 0",
        (resolution_id,),
    ).fetchone()
    shown_count, helped, last = cast("tuple[int, int, str | None]", row)
    return replace(
        lesson,
        told=shown_count,
        helped=helped,
        last_helped=last,
        recheck=_moved(con, resolution_id, lesson),
        offered="general" if lesson.scope != "general" and _is_elsewhere(con, resolution_id, lesson) else None,
    )


def _moved(con: apsw.Connection, resolution_id: int, lesson: Lesson) -> str | None:
    """Why the lesson must be checked again: the tool had another version when the error was seen last."""
    when = lesson.when
    if not when.version:
        return None
    row = con.execute(
        "SELECT substr(coalesce(o.raw, m.text, ''), 1, ?2) FROM resolution r"
        " JOIN fingerprint f ON f.case_id = r.case_id AND (r.fingerprint IS NULL OR f.fingerprint = r.fingerprint)"
        " JOIN occurrence o ON o.fingerprint = f.fingerprint"
        " LEFT JOIN message m ON m.session_id = o.session_id AND m.idx = o.message_idx"
        " WHERE r.id = ?1 AND o.ts > r.ts ORDER BY o.ts DESC, o.id DESC LIMIT 1",
        (resolution_id, READ),
    ).fetchone()
    newer = "" if row is None else version_of(when.tool, cast("str", row[0]))
    moved = bool(newer) and newer != when.version
    return (
        f"this error occurred again with {when.tool} {newer}, after the fix for version {when.version}"
        if moved
        else None
    )


def _is_elsewhere(con: apsw.Connection, resolution_id: int, lesson: Lesson) -> bool:
    """Whether the same thing was the fix in another repository; folders without a known remote do not count."""
    row = con.execute(
        f"WITH same AS (SELECT id, session_id, case_id FROM resolution WHERE lesson IS NOT NULL AND {DO_TEXT} = ?2"
        "  AND status <> 'rejected' LIMIT ?3),"
        " placed AS (SELECT same.id, coalesce(nullif(s.repository, ''), c.repository, '') AS repository FROM same"
        "  LEFT JOIN session s ON s.id = same.session_id LEFT JOIN case_state c ON c.case_id = same.case_id)"
        f" SELECT count(DISTINCT repository) FROM placed WHERE {_REMOTE}"
        f"  AND EXISTS (SELECT 1 FROM placed WHERE id = ?1 AND {_REMOTE})",
        (resolution_id, lesson.do.text, _COMPARED),
    ).fetchone()
    return cast("int", row[0] if row else 0) > 1


_CODE = lazy_pattern(r"(?<!`)(?:`([^`\n]{1,600})`|`` ([^\n]{1,600}?) ``)(?!`)")
_RUN = lazy_pattern(r"\*\*Run\*\* `([^`\n]{1,600})`")
_EDITED_DO: Final = 1_000
"""Code points of an edited text that are kept as what to do."""
_LABEL: Final = "**"
_CUT: Final = "…"


_Section = list[list[tuple[str, bool]]]
"""A label (`**Run**`) and all below it, up to the next label; a text without labels is one a paragraph. Its parts are
the lines outside of code, and each block of code: every line with whether the card has it."""


def _remaining(section: _Section) -> str:
    """What stays: bullets and blocks of code that the card has go alone, everything else stays or goes as a whole."""
    known = [all(is_known for _, is_known in part) for part in section]
    alone = [part[0][0].lstrip().startswith(("- ", "```")) for part in section]
    stays = [part for part, *goes in zip(section, known, alone, strict=True) if not all(goes)]
    return "" if all(known) else "\n".join(line for part in stays for line, _ in part).strip("\n")


Deed = tuple[str, str, str]


def deed(text: str, lesson: Lesson | None) -> Deed:
    """What a fix does. Fixes with one deed differ only in where they were seen and how they were checked."""
    return ("", "", text.strip()) if lesson is None else (lesson.do.kind, lesson.do.file, lesson.do.text)


def beyond_card(text: str, lesson: Lesson) -> str:
    """The sections of the Markdown `text` of a fix that say something its card does not; empty where none does.

    A line is on the card if what it quotes, or all of it, is a line of the card: labels and marks do not count.
    """
    known = _on_card(lesson)
    return "\n\n".join(filter(None, map(_remaining, _sections(text, known))))


def edited_lesson(lesson: Lesson, before: str, after: str) -> Lesson:
    """The lesson of a fix whose text a person changed from `before` to `after`.

    A part that the new text lacks is removed. If the instructions changed, the changed paragraphs replace them. The
    messages of the session no longer prove these, and they are no workaround. The rest stays. Instructions that a
    person wrote are read again after each edit.
    """
    do = lesson.do

    def stays(part: str) -> bool:
        return not part or _keeps(before, after, part) is not False

    lesson = replace(
        lesson,
        dead_ends=tuple(one for one in lesson.dead_ends if stays(one)),
        check=lesson.check if stays(lesson.check) else "",
        because=lesson.because if stays(lesson.because or "") else None,
    )
    written = do.kind == "words" and not lesson.evidence
    if before == after or (not written and _keeps(before, after, do.text)):
        return lesson
    around = replace(do, text="", file=do.file if stays(do.file) else "")
    around = replace(around, instead_of=do.instead_of if stays(do.instead_of) else "")
    new = _new_paragraphs(before, after, replace(lesson, do=around), do.text if written else "") or after.strip()
    command = _RUN.fullmatch(new)
    lines = [line for line in new.split("\n") if line.strip() and not line.lstrip().startswith("```")]
    kept = "\n".join(lines[:HUNK_LINES])[:_EDITED_DO]
    do = (
        replace(around, kind="words", text=kept)
        if command is None
        else replace(around, kind="command", text=command[1])
    )
    scope: Scope = "project" if lesson.scope == "session" else lesson.scope
    return replace(lesson, do=do, scope=scope, evidence=(), workaround=False)


def _new_paragraphs(before: str, after: str, lesson: Lesson, do: str) -> str:
    """The sections of `after` beyond the card that have a line of `do` or one that `before` lacks; else all of them."""
    same = {flat(line) for line in before.split("\n")} - {flat(line) for line in do.split("\n")}
    kept = [_remaining(section).strip() for section in _sections(after, _on_card(lesson))]
    new = [one for one in kept if any(line and line not in same for line in map(flat, one.split("\n")))]
    return "\n\n".join(new or filter(None, kept))


def _keeps(before: str, after: str, statement: str) -> bool | None:
    """Whether `after` keeps the lines of `before` with this statement; None if no line has it."""
    parts = [re.compile(rf"(?<!\w){re.escape(flat(part))}(?!\w)") for part in statement.split("\n") if part.strip()]
    lines = [flat(line) for line in before.split("\n")]
    found = [[line for line in lines if part.search(line)] for part in parts]
    if not all(found):
        return None
    kept = {flat(line) for line in after.split("\n")}
    return all(line in kept for one in found for line in one)


def _on_card(lesson: Lesson) -> frozenset[str]:
    do = lesson.do
    fields = (
        lesson.when.error, do.text, do.file, do.instead_of, *lesson.dead_ends, lesson.check, lesson.because or "",
    )  # fmt: skip
    lines = (line for text in fields for line in (text, *text.split("\n")))
    return frozenset(flat(line) for line in lines)


def _sections(text: str, known: frozenset[str]) -> Iterator[_Section]:
    section, fenced, blank, labelled = _Section(), "", False, False
    for line in text.split("\n"):
        starts = not fenced and (line.startswith(_LABEL) or (blank and not labelled))
        if starts and section:
            yield section
            section, labelled = _Section(), False
        labelled = labelled or (starts and line.startswith(_LABEL))
        blank = not line.strip()
        fence = line.lstrip().startswith("```")
        if not section or not (fenced or blank):
            section.append([])
        section[-1].append((line, fence or blank or _is_repeated(line, known, fenced)))
        fenced = fenced if not fence else "" if fenced else line.strip()
    if section:
        yield section


def _is_repeated(line: str, known: frozenset[str], fenced: str) -> bool:
    if fenced:  # the card may leave out the context of a change
        return flat(line) in known or (fenced.endswith("diff") and line.startswith("  "))
    coded = [flat(one[1] or one[2]) for one in _CODE.finditer(line)] if line.startswith((_LABEL, "- `")) else []
    if coded and flat(line.removeprefix("- ")) not in known:
        return all(_is_known(one, known) for one in coded)
    if line.startswith(_LABEL):  # a label alone says nothing
        return line.count(_LABEL) == 2 and (line.endswith(_LABEL) or line.endswith(")"))
    return _is_known(flat(line.removeprefix("> ").removeprefix("- ")), known)


def _is_known(text: str, known: frozenset[str]) -> bool:
    """Whether the card has this line, or the beginning of a truncated one."""
    if text.endswith(_CUT) and len(text) > len(_CUT):
        return any(line.startswith(text.removesuffix(_CUT)) for line in known)
    return text in known
