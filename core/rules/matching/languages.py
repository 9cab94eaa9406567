"""Languages of a text, a file name or a command.

`#` means one thing in `.sv` and another in `.sh`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

_SUFFIXES: Final = {
    "python": "py pyi pyx ipynb",
    "javascript": "js jsx mjs cjs vue svelte",
    "typescript": "ts tsx mts cts",
    "shell": "sh bash zsh fish ksh bats",
    "powershell": "ps1 psm1 psd1",
    "batch": "bat cmd",
    "verilog": "v vh sv svh",
    "vhdl": "vhd vhdl",
    "c": "c h",
    "cpp": "cpp cc cxx hpp hh hxx ino rc",
    "csharp": "cs csproj sln",
    "java": "java gradle",
    "kotlin": "kt kts",
    "go": "go",
    "rust": "rs",
    "ruby": "rb erb gemspec",
    "php": "php",
    "swift": "swift",
    "sql": "sql",
    "css": "css scss sass less",
    "html": "html htm",
    "terraform": "tf tfvars hcl",
    "docker": "dockerfile containerfile",
    "prose": "md markdown rst txt tex adoc org",
    "data": "yml yaml json toml ini cfg conf xml csv env",
}
_BY_SUFFIX: Final = {suffix: name for name, suffixes in _SUFFIXES.items() for suffix in suffixes.split()}
_NAMES: Final = {
    "python": "python py pip pytest django flask fastapi pandas numpy ruff asyncio pydantic poetry uv venv sqlalchemy "
    "celery mypy pyright bandit torch pytorch sklearn jupyter tensorflow 파이썬 판다스",
    "javascript": "javascript js node nodejs npm yarn pnpm react vue express jsx eslint webpack jest vitest vite "
    "svelte electron deno redux 자바스크립트 리액트",
    "typescript": "typescript ts tsx angular tsc nestjs 타입스크립트",
    "shell": "bash zsh shellcheck posix",
    "powershell": "powershell",
    "verilog": "verilog systemverilog sv verilator always_ff always_comb rtl fpga",
    "vhdl": "vhdl",
    "c": "malloc",
    "cpp": "cpp mfc qt cmake cwnd winapi stl std glibcxx clang boost",
    "csharp": "csharp dotnet asp.net unity nuget linq monobehaviour",
    "java": "java spring maven jvm junit hibernate jdbc jdk 자바",
    "kotlin": "kotlin android 안드로이드",
    "go": "golang goroutine goroutines gofmt",
    "rust": "rust cargo clippy tokio crate unwrap",
    "ruby": "ruby rails rspec activerecord",
    "php": "php laravel",
    "swift": "swift swiftui xcode ios uikit",
    "sql": "sql postgresql postgres mysql sqlite",
    "css": "css tailwind flexbox stylelint z-index",
    "html": "html",
    "terraform": "terraform tofu",
    "docker": "docker dockerfile",
    "prose": "markdown readme changelog",
    "data": "yaml toml",
}
_BY_NAME: Final = {name: language for language, names in _NAMES.items() for name in names.split()}
_TEXT_FILES: Final = {"requirements": "python", "constraints": "python", "cmakelists": "cpp", "robots": "data"}
"""Files that end in `.txt` and are no text for people."""
_KIN: Final = (
    frozenset(("javascript", "typescript", "html", "css")),
    frozenset(("c", "cpp")),
    frozenset(("verilog", "vhdl")),
    frozenset(("java", "kotlin")),
    frozenset(("shell", "docker", "data")),
    frozenset(("terraform", "data")),
)
_UNNAMED: Final = ("", "prose", "data")
_WORD = re.compile(r"(?:(?<=\s)|^|(?<=[`\"'(/]))\*?\.([A-Za-z][A-Za-z0-9]{0,9})\b|([A-Za-z가-힣][\w.+#]*)")
_FILE = re.compile(r"[\w\-*]\.([A-Za-z][A-Za-z0-9]{0,9})\b")
TITLES: Final = {
    "verilog": "SystemVerilog", "cpp": "C++", "csharp": "C#", "javascript": "JavaScript", "sql": "SQL", "html": "HTML",
    "typescript": "TypeScript", "css": "CSS", "data": "settings", "prose": "document",
}  # fmt: skip
"""What a language is called where that is more than its name with a capital."""


def of_path(path: str) -> str:
    """The language of a file by its name, '' where that says nothing."""
    name = path.replace("\\", "/").rpartition("/")[2].lower()
    if name.startswith(("dockerfile", "containerfile")):
        return "docker"
    if name in ("makefile", ".bashrc", ".zshrc", ".profile"):
        return "shell"
    if name.endswith(".txt"):
        return next((language for start, language in _TEXT_FILES.items() if name.startswith(start)), "prose")
    return _BY_SUFFIX.get(name.rpartition(".")[2] if "." in name else "", "")


def named_in(text: str) -> frozenset[str]:
    """The languages that a text names: by their names, their tools, or endings of files. Prose and data are none."""
    found = {
        _BY_SUFFIX.get(suffix.lower(), "") if suffix else _of_name(word.lower()) for suffix, word in _WORD.findall(text)
    }
    found |= {_BY_SUFFIX.get(suffix.lower(), "") for suffix in _FILE.findall(text)}
    return frozenset(found.difference(_UNNAMED))


def _of_name(low: str) -> str:
    return _BY_NAME.get(low, "") or ("cpp" if low.startswith("c++") else "csharp" if low == "c#" else "")


def agree(ours: Iterable[str], theirs: Iterable[str]) -> bool | None:
    """Whether two sets of languages have one in common or near; None where one of them says nothing."""
    one, other = frozenset(ours), frozenset(theirs)
    if not one or not other:
        return None
    return bool(one & other) or any(one & kin and other & kin for kin in _KIN)
