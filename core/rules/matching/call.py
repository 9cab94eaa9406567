"""A tool call: its text, and its intent (it changes something, only reads, or writes text for people).

Edits and patches of every agent become one edit: the lines removed and added. Rules are mostly about changes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, cast

from core.base.fault import Fault
from core.rules.format.snippets import CodeWords, code_text
from core.rules.matching.languages import TITLES, named_in, of_path
from core.text import redact
from core.transcripts.commands import shell_command

Act = Literal["do", "look", "prose"]
"""`look`: the call only looks at something; `prose`: it writes text for people."""

_LOOKING: Final = frozenset(
    ("Read", "Grep", "Glob", "LS", "NotebookRead", "WebSearch", "WebFetch", "TodoRead", "BashOutput")
)
_VIEWING = (
    "cat head tail less more grep egrep fgrep rg ag ack find ls tree stat file wc echo printf man which whereis type "
    "du df diff cmp sort uniq cut column jq yq tldr help true pwd date env printenv uname whoami ps top id bat eza "
    "exa fd tac nl tr fold comm paste basename dirname realpath readlink seq test strings xxd hexdump od nm objdump "
    "readelf ldd md5sum sha1sum sha256sum cksum lsof ss netstat dig nslookup host ping traceroute free uptime nproc "
    "vmstat iostat lscpu lsblk lsusb lspci lsmod dmesg getent groups who last locale pgrep pstree cloc tokei"
)
VIEWERS: Final = frozenset(_VIEWING.split())
"""Programs that only look, or print what they are given."""
_GIT = (
    "log show diff status blame grep ls-files describe shortlog reflog rev-parse rev-list cat-file ls-tree ls-remote "
    "check-ignore check-attr merge-base name-rev count-objects cherry range-diff whatchanged fsck"
)
_READING_GIT: Final = frozenset(_GIT.split())
_READING: Final = {
    "terraform": "fmt validate plan show output version providers graph",
    "kubectl": "get describe logs top explain config version diff events api-resources cluster-info auth",
    "docker": "ps images logs inspect version info stats history top port",
    "npm": "ls list outdated view audit explain why", "pnpm": "ls list outdated why audit",
    "yarn": "list why info outdated",
    "pip": "list show freeze check index", "pip3": "list show freeze check index", "poetry": "show check",
    "uv": "tree",
    "helm": "list status get template lint history show", "cargo": "check clippy tree metadata audit",
    "go": "vet list env doc",
    "systemctl": "status show cat is-active is-enabled is-failed list-units list-timers list-unit-files",
    "brew": "list info outdated deps uses search", "apt": "list show search policy",
    "apt-cache": "show search policy depends",
    "hdiutil": "verify info imageinfo", "diskutil": "list info verifyVolume verifyDisk", "launchctl": "list print",
    "alembic": "history current heads branches show check", "snap": "list info",
}  # fmt: skip
"""What of a program's sub-commands changes nothing."""
_LISTING: Final = {
    "crontab": "-l", "ssh-keygen": "-l -F", "sysctl": "-n -a -A", "dpkg": "-l -L -S -s", "rpm": "-q",
    "pacman": "-Q -Si",
    "tar": "-t -tf -tvf -tzf -tzvf tf tzf tvf tzvf", "unzip": "-l -t -v", "gpg": "--list -k -K --verify",
    "iptables": "-L -S -nL", "curl": "-I --head -sI", "make": "-n --dry-run", "xcodebuild": "-list -show",
}  # fmt: skip
"""First words after a program with which it only prints something."""
_SHOWING = (
    "show list ls describe dump verify status info inspect version help view log logs diff explain search outdated "
    "whoami history"
)
_SUBCOMMANDS: Final = frozenset(_SHOWING.split())
"""Subcommands with which a program only prints something."""
_WORDS: Final = ("description", "prompt")
_HARMLESS: Final = frozenset(("--help", "--version", "--dry-run"))
_DOING: Final = frozenset(("-delete", "-exec", "-execdir", "-ok"))
_ENDS = re.compile(
    r"(?:확인|조회|보기|출력|검색|찾기|살펴보기|읽기|비교|세기|점검|요약|확인하기|(?:알려|보여|설명해|찾아|확인해) ?줘"
    r"|確認|検索|一覧|查看|确认|检查|搜索)\Z"
)
_STOPS: Final = " \t\r\n.。"
_NOTHING = re.compile(
    r"\bread[- ]?only\b|\b(?:do not|don't|without) (?:chang|edit|modif|touch)|(?:수정|변경)하지 ?(?:말|않)"
    r"|바꾸지 ?(?:말|않)|고치지 ?말|変更しない|不要修改",
    re.IGNORECASE,
)
"""That nothing shall be changed."""


def act_of(tool: str, programs: frozenset[str], command: str | None, language: str) -> Act:
    """What a call does, by its tool, the programs of its command, and the language of its file."""
    if tool in _LOOKING:
        return "look"
    if command is not None and programs and ">" not in command.replace(">&", "").replace("2>", ""):
        reading = {name for name in programs if name.startswith("git ") and name[4:] in _READING_GIT}
        reading |= {name for name in programs if _only_reads(name, command)}
        if programs - reading <= VIEWERS | {"xargs", "cd", "sed", "awk"} and not _changes(command.split()):
            return "look"
    return "prose" if language == "prose" else "do"


def is_declared_read_only(given: Mapping[str, Any], command: str | None) -> bool:
    """Whether a call says of itself that it only looks: its description ends so, or nothing shall be changed, or each
    of its commands is told to show something."""
    description, prompt = (text[:READ] if isinstance(text := given.get(name), str) else "" for name in _WORDS)
    if _ENDS.search(description.rstrip(_STOPS)) or _NOTHING.search(f"{description}\n{prompt}"):
        return True
    if command is None or ">" in command:
        return False
    parts = [part.split() for part in SEPARATED.split(command[:READ])[:50] if part.strip()]
    return bool(parts) and all(map(_only_prints, parts))


def _changes(words: list[str]) -> bool:
    """Return whether a read-only program has an option that changes something: in place, or its results."""
    if not _DOING.isdisjoint(words) or ("sed" in words and "-i" in words):
        return True
    after = [word for at, word in enumerate(words[1:], 1) if words[at - 1] == "xargs"]
    return any(not word.startswith("-") and word not in VIEWERS for word in after)


def _only_prints(words: list[str]) -> bool:
    """Return whether the words of one command only print something."""
    plain = [word for word in words if not word.startswith("-") and "=" not in word]
    if not plain:
        return False
    return plain[0] in VIEWERS | {"cd"} or bool(_SUBCOMMANDS.intersection(plain[1:3]) or _HARMLESS.intersection(words))


def _only_reads(program: str, command: str) -> bool:
    """Whether every use of a program in a command line is one of its sub-commands that change nothing."""
    known, listing = _READING.get(program, "").split(), _LISTING.get(program, "").split()
    if not known and not listing:
        return False
    named = rf"(?<![\w/-]){re.escape(program)}\s+"
    used = re.findall(named + (r"(?:-\S+\s+)*([\w-]+)" if known else r"(\S+)"), command[:READ])
    return bool(used) and all(sub in known or any(map(sub.startswith, listing)) for sub in used)


_BEGIN, _END = "*** Begin Patch", "*** End Patch"
_FILES = ("*** Add File:", "*** Update File:", "*** Delete File:", "*** Move to:")
_PATCH_FIELDS = ("input", "patch", "command", "cmd")
_READ = 200_000
"""Code points of a patch that are looked at."""

CALL = '{"tool_name": …, "tool_input": {…}}'
"""The form of a call as one writes it."""
READ = 20_000
"""Code points of one part that are looked at."""
MODEL_READ = 400
"""Code points that a model reads: what says most comes first, and its time goes with the length."""
PATH = re.compile(r"(?<![\w:/])[\w.~\-]{0,255}/[\w./\-*]+(?!\w)")
"""A path within a command: it says where, and less about what."""
_MESSAGE = re.compile(r"(?<=\s)(?:-\w*m|--message)[ =]?(\"[^\"]*\"|'[^']*')")
"""What a commit or a tag says of itself: words about work that is done, not what the command does."""
SEPARATED = re.compile(r"\|\||&&|[;|\n]")
"""Separators between the commands of a line."""
_PROGRAM = {
    "python": "python", "python3": "python", "pip": "python", "pip3": "python", "pytest": "python", "uv": "python",
    "uvicorn": "python", "ruff": "python", "poetry": "python", "npm": "javascript", "npx": "javascript",
    "node": "javascript", "yarn": "javascript", "pnpm": "javascript", "tsc": "typescript", "cargo": "rust",
    "rustc": "rust", "go": "go", "mvn": "java", "gradle": "java", "psql": "sql", "mysql": "sql", "sqlite3": "sql",
    "terraform": "terraform", "docker": "docker", "verilator": "verilog", "iverilog": "verilog",
}  # fmt: skip
_COMMAND = ("command", "cmd")
_WHERE = ("workdir", "cwd")
PATHS = ("file_path", "path", "notebook_path", "filename")
"""Fields that name a file."""
_AT_HOME = re.compile(r"\A(?:/(?:home|Users)/[^/]+/|[A-Za-z]:[\\/]+(?:Users[\\/]+[^\\/]+[\\/]+)?)")
"""Whose machine it is says nothing of what is done there."""
_ASIDE = ("subagent_type", "output_mode", "type", *_WHERE)
"""Fields that say where or how, and little about what."""
_JOINT = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[_./\\:\-]+")
"""Where an identifier or a path has its joints."""
_FOLDERS = 3
"""Words of a folder that a model reads, the last of them."""
_FIRST = ("description", "prompt", "command", "content", "new_string", "pattern", "query", "url")


def as_edit(given: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the input of a call, with several edits or a patch as `old_string` and `new_string` (additions only:
    `content`), and a patch's first file as `file_path`; any other input unchanged."""
    edits: object = given.get("edits")
    if isinstance(edits, list) and "old_string" not in given:
        both = list(_edits(cast("list[object]", edits)))
        if both:
            rest = {key: value for key, value in given.items() if key != "edits"}
            return {
                **rest,
                "old_string": "\n".join(old for old, _ in both),
                "new_string": "\n".join(n for _, n in both),
            }
    for name in _PATCH_FIELDS:
        text = _text(given.get(name))
        if text is not None and _BEGIN in text and (patched := _patch(text[:_READ], name)):
            return {**{key: value for key, value in given.items() if key != name}, **patched}
    return given


def patch_in_a_line(text: str) -> str | None:
    """The files of a patch, and the lines it takes away and adds; None where a text is no patch."""
    lines = text.partition(_BEGIN)[2].partition(_END)[0].split("\n")
    if not any(map(_file, lines)):
        return None
    changes = (_file(line) or (line if line.startswith(("+", "-")) else "") for line in lines)
    return " ".join(" ".join(changes).split())


def _edits(edits: list[object]) -> Iterator[tuple[str, str]]:
    for one in edits:
        if isinstance(one, dict):
            old, new = (cast("dict[str, object]", one).get(key) for key in ("old_string", "new_string"))
            if isinstance(old, str) and isinstance(new, str):
                yield old, new


def _text(value: object) -> str | None:
    """A text, or the words of a command as one."""
    if isinstance(value, list):
        return "\n".join(word for word in cast("list[object]", value) if isinstance(word, str))
    return value if isinstance(value, str) else None


def _patch(text: str, field: str) -> dict[str, Any]:
    """A patch by its signs; what a command does around it stays in its field. Empty where it names no file."""
    before, _, rest = text.partition(_BEGIN)
    body, _, after = rest.partition(_END)
    old: list[str] = []
    new: list[str] = []
    files: list[str] = []
    for line in body.split("\n"):
        name = _file(line)
        if name:
            files.append(name)
        elif line.startswith("+"):
            new.append(line[1:])
        elif line.startswith("-"):
            old.append(line[1:])
        elif line.startswith(" "):
            old.append(line[1:])
            new.append(line[1:])
    if not files:
        return {}
    edited: dict[str, Any] = {"file_path": files[0]}
    edited |= {"other_path": files[1:]} if len(files) > 1 else {}
    edited |= {"old_string": "\n".join(old), "new_string": "\n".join(new)} if old else {"content": "\n".join(new)}
    around = f"{before}\n{after}".strip()
    return {**edited, field: around} if around else edited


def _file(line: str) -> str:
    """The file that a line of a patch names; empty where it names none."""
    return next((line[len(mark) :].strip() for mark in _FILES if line.startswith(mark)), "")


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call of a tool: its name, and its input as it was given."""

    tool_name: str
    tool_input: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True)
class Part:
    """One text of a call: which field it is from, and how much it says (1.0: all it can)."""

    name: str
    text: str
    weight: float


@dataclass(frozen=True, slots=True)
class CallText:
    """A call as texts. `languages` are those of its file or its programs, `act` what it does, `model_text` is what a
    model reads; `code` are the words of what it does, as code has them,
    `looks`: it says of itself that it only looks; `unread`: code points of it that nothing looks at, because a text of
    it goes on for longer than `READ`."""

    tool: str
    parts: tuple[Part, ...]
    languages: frozenset[str]
    act: Act
    programs: frozenset[str]
    model_text: str
    pattern_text: str
    code: CodeWords = CodeWords()  # noqa: RUF009  frozen
    looks: bool = False
    unread: int = 0


def read_call(item: Mapping[str, Any]) -> ToolCall:
    """The call in a hook's payload, or in any object with `tool_name` and `tool_input`. Raises Fault invalid_input."""
    name, given = item.get("tool_name"), item.get("tool_input")
    if not isinstance(name, str) or not name.strip():
        raise Fault("invalid_input", "the call has no tool (tool_name)", f"write {CALL}")
    if given is not None and not isinstance(given, dict):
        raise Fault("invalid_input", "tool_input is not an object", f"write {CALL}")
    return ToolCall(name.strip()[:200], cast("dict[str, Any]", given or {}))


def call_text(call: ToolCall) -> CallText:
    """The call as texts, secrets masked."""
    given = as_edit(call.tool_input)
    command = shell_command(call.tool_name, given)
    parts = tuple(_parts(given, command))
    path = _path(given)
    found = {of_path(path)} if path else set[str]()
    programs = _programs(command) if command is not None else frozenset[str]()
    found |= {_PROGRAM.get(program, "") for program in programs}
    if not path and command is None:
        found |= named_in(" ".join(part.text for part in parts)[:2_000])
    act = act_of(call.tool_name, programs, command, of_path(path) if path else "")
    known = frozenset(found - {"", "prose"})
    model = _model_text(call, parts, path, known)
    patterns = _pattern_text(given, parts)
    looks = act == "do" and is_declared_read_only(given, command)
    code = code_text(patterns)
    unread = sum(max(0, len(text) - READ) for _, text in _strings(given))
    return CallText(
        call.tool_name, parts, known, act, programs, model, patterns, code, looks, unread
    )  # fmt: skip


def _pattern_text(given: Mapping[str, Any], parts: tuple[Part, ...]) -> str:
    """What patterns look at: an edit's new text as a whole, nothing of what it takes away."""
    new = given.get("new_string")
    whole = [redact(new[:READ])] if isinstance(new, str) else []
    rest = (part for part in parts if part.name not in ("old_string", *_WHERE) and part.text)
    return "\n".join(whole + [_AT_HOME.sub("", part.text) if part.name in PATHS else part.text for part in rest])


def _path(given: Mapping[str, Any]) -> str:
    found = (given.get(name) for name in PATHS)
    return next((path[:1_000] for path in found if isinstance(path, str)), "")


def _parts(given: Mapping[str, Any], command: str | None) -> Iterator[Part]:
    old, new = given.get("old_string"), given.get("new_string")
    if isinstance(old, str) and isinstance(new, str):
        yield from _edited(old, new)
    is_yielded = False  # a command that is a list of words is one text
    for name, text in _strings(given):
        if name in ("old_string", "new_string") and isinstance(old, str) and isinstance(new, str):
            continue
        if name in _COMMAND and command is not None:
            if not is_yielded:
                is_yielded = True
                yield Part("command", redact(_MESSAGE.sub(" ", command)[:READ]), 1.0)
                for found in _MESSAGE.finditer(command[:READ]):
                    yield Part("message", redact(found.group(1)), 0.3)
            continue
        weight = 0.6 if name.endswith("path") else 0.3 if name in _ASIDE else 1.0
        yield Part(name, redact(text[:READ]), weight)


def _edited(old: str, new: str) -> Iterator[Part]:
    """What an edit adds says most; what stays around it, and what goes, says where it happens."""
    before = set(old[:READ].split("\n"))
    added = [line for line in new[:READ].split("\n") if line not in before]
    yield Part("new_string", redact("\n".join(added)), 1.0)
    rest = [line for line in old[:READ].split("\n") if line.strip()]
    yield Part("old_string", redact("\n".join(rest)), 0.3)


def _strings(value: object, name: str = "", depth: int = 0) -> Iterator[tuple[str, str]]:
    """Every text in the input with the name of its field, however deep (to a limit)."""
    if isinstance(value, str):
        if value.strip():
            yield name, value
    elif isinstance(value, Mapping) and depth < 8:
        for key, item in list(cast("Mapping[object, object]", value).items())[:200]:
            yield from _strings(item, str(key), depth + 1)
    elif isinstance(value, list) and depth < 8:
        for item in cast("list[object]", value)[:200]:
            yield from _strings(item, name, depth + 1)


def _programs(command: str) -> frozenset[str]:
    """The programs a command line runs (roughly: the first word of each part, wrappers and settings skipped)."""
    found: set[str] = set()
    for part in SEPARATED.split(command[:READ])[:50]:
        for word in part.split():
            if "=" in word or word in ("sudo", "env", "time", "nohup", "exec", "then", "do", "if", "!", "("):
                continue
            name = word.strip("\"'()`$").replace("\\", "/").rpartition("/")[2]
            if name == "git":
                rest = [one for one in part.split() if not one.startswith("-")]
                sub = rest[rest.index(word) + 1 :] if word in rest else []
                name = f"git {sub[0]}" if sub else "git"
            if name:
                found.add(name)
            break
    return frozenset(found)


def _model_text(call: ToolCall, parts: tuple[Part, ...], path: str, known: frozenset[str]) -> str:
    """What a model reads: with which tool, in which language and place, then what says most, first.

    Folders tell the trade (`toys/spinner.json`), and names are read as the words they are made of.
    """
    names = " ".join(TITLES.get(name, name.title()) for name in sorted(known))
    folder, _, name = path.replace("\\", "/").rpartition("/")
    around = " ".join(_in_words(folder).split()[-_FOLDERS:])
    head = " ".join(filter(None, (call.tool_name, names, around, name)))
    order = {name: at for at, name in enumerate(_FIRST)}
    weighty = sorted((part for part in parts if part.weight >= 1), key=lambda part: order.get(part.name, len(order)))
    # As with errors, of a path in a command only the name says something.
    texts = (PATH.sub(_base_name, part.text) if part.name == "command" else part.text for part in weighty)
    body = "\n".join(text.strip()[:1_200] for text in texts if text.strip())
    return f"{head}: {_in_words(body[:MODEL_READ])}"[:MODEL_READ]


def _in_words(text: str) -> str:
    """Identifiers and paths as the words they are made of; addresses stay whole."""
    return " ".join(part if "://" in part else _JOINT.sub(" ", part) for part in text.split(" "))


def _base_name(found: re.Match[str]) -> str:
    return found.group().rstrip("/").rpartition("/")[2] or found.group()
