"""What a call does: something, or it only looks, or it writes text for people. Rules are mostly about the first."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, Literal

Act = Literal["do", "look", "prose"]
"""`look`: the call only looks at something; `prose`: it writes text for people."""

_READ: Final = 20_000
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
"""How the first word behind a program begins that then only tells something."""
_SHOWING = (
    "show list ls describe dump verify status info inspect version help view log logs diff explain search outdated "
    "whoami history"
)
_SUBCOMMANDS: Final = frozenset(_SHOWING.split())
"""What a program is told where it shall only tell something."""
_OPTION = re.compile(r"-[A-Za-z]")
"""What takes the word behind it (`kubectl -n push`, `git -C dir`)."""
_BEFORE: Final = frozenset(("sudo", "env", "time", "nohup", "exec", "npx", "uvx"))
_DOING_ALWAYS = (
    "rm rmdir unlink mv cp ln rsync scp mkdir dd kill pkill killall mkfs chmod chown truncate shred tee reboot "
    "shutdown crontab userdel"
)
_DOERS: Final = frozenset(_DOING_ALWAYS.split())
"""Programs that change something, whatever they are told."""
_CHANGING = (
    "push commit add reset rebase merge pull switch restore clean cherry-pick revert apply create delete destroy patch "
    "replace scale drain cordon set install uninstall remove rm upgrade update publish deploy rollback start stop "
    "restart enable disable import taint run prune put put-bucket-acl copy sync mv terminate drop kill-session "
    "kill-server flushall flushdb del migrate downgrade stamp init"
)
_CHANGES_SUB: Final = frozenset(_CHANGING.split())
"""What a program is told where it shall change something."""
_WORDS: Final = ("description", "prompt")
_HARMLESS: Final = frozenset(("--help", "--version", "--dry-run"))
_DOING: Final = frozenset(("-delete", "-exec", "-execdir", "-ok"))
_SPLIT = re.compile(r"\|\||&&|[;|\n]")
_ASKS = re.compile(
    r"\W*(?:list|show|read|look|view|see|print|check|count|find|inspect|compare|display|which|what|where|how|search|"
    r"verify|explain|summar\w+|describe|review|tell|confirm|explore)\b",
    re.IGNORECASE,
)
"""How a description begins that asks for something to be told."""
_AND = re.compile(
    r"\b(?:and|then)\s+(?:fix|replace|change|remove|delete|update|add|rewrite|apply|clean|kill|stop|restart|correct|"
    r"repair|set|move|rename|drop|reset|install)\b",
    re.IGNORECASE,
)
"""What is done about it."""
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


_TESTS = re.compile(
    r"(?:^|[/\\])(?:tests?|__tests__|specs?|androidTest|\w+Tests)[/\\]|(?:^|[/\\])(?:test_[^/\\]*|conftest)\.\w+$"
    r"|(?:[._-](?:test|spec)|Tests?)\.\w+$"
)


def is_test(path: str) -> bool:
    """Whether a path names a file of tests."""
    return _TESTS.search(path) is not None


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


def says_it_looks(given: Mapping[str, Any], command: str | None) -> bool:
    """Whether a call says of itself that it only looks: its description asks, or nothing shall be changed, or each of
    its commands is told to show something."""
    asked, prompt = (text[:_READ] if isinstance(text := given.get(name), str) else "" for name in _WORDS)
    if command is not None and changes(command):
        return False
    if (
        (_ASKS.match(asked) and not _AND.search(asked))
        or _ENDS.search(asked.rstrip(_STOPS))
        or _NOTHING.search(f"{asked}\n{prompt}")
    ):
        return True
    if command is None or ">" in command:
        return False
    parts = [part.split() for part in _SPLIT.split(command[:_READ])[:50] if part.strip()]
    return bool(parts) and all(map(_tells, parts))


def changes(command: str) -> bool:
    """Whether a part of a command plainly changes something, whatever is said about it."""
    if _HARMLESS.intersection(command.split()):
        return False
    return any(map(_does, _SPLIT.split(command[:_READ])[:50]))


def _does(part: str) -> bool:
    words = [word for word in part.split() if "=" not in word]
    while words and words[0] in _BEFORE:
        words.pop(0)
    if not words:
        return False
    if words[0] in VIEWERS:
        return _changes(words)
    told = [word for at, word in enumerate(words) if at and word[0] != "-" and not _OPTION.fullmatch(words[at - 1])]
    return words[0] in _DOERS or not _CHANGES_SUB.isdisjoint(told[:2])


def _changes(words: list[str]) -> bool:
    """Whether a program that only looks is told to change something: in place, or what it finds."""
    if not _DOING.isdisjoint(words) or ("sed" in words and "-i" in words):
        return True
    after = [word for at, word in enumerate(words[1:], 1) if words[at - 1] == "xargs"]
    return any(not word.startswith("-") and word not in VIEWERS for word in after)


def _tells(words: list[str]) -> bool:
    """Whether the words of one command only have something told."""
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
    used = re.findall(named + (r"(?:-\S+\s+)*([\w-]+)" if known else r"(\S+)"), command[:_READ])
    return bool(used) and all(sub in known or any(map(sub.startswith, listing)) for sub in used)
