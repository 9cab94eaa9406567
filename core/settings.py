"""What can be set: every setting with its meaning, its default and its bounds, by section."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

Value = str | int | float | bool


def _setting(default: Any, about: str, *, least: float | None = None, most: float | None = None, **more: Any) -> Any:
    return field(default=default, metadata={"about": about, "least": least, "most": most, **more})


@dataclass(frozen=True, slots=True)
class StoreSettings:
    """Where the casebook is kept."""

    path: str = _setting("", "The database file. Empty: casebook.db in the data folder.")


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """How errors are looked up."""

    count: bool = _setting(True, "Count a look-up that `casebook errors search` answered.")


@dataclass(frozen=True, slots=True)
class EmbeddingSettings:
    """The model that reads errors, rules and notes by their meaning."""

    model: str = _setting("", "The model's id (`casebook models list`). Empty: the best one that is on this machine.")
    threads: int = _setting(0, "Cores that `casebook embed` uses. 0: all of them.", least=0, most=1024)
    service: bool = _setting(True, "Ask the model service from hooks and `errors search`, and start it where it helps.")
    auto: bool = _setting(True, "While the workbench is open, embed what waits, with one core.")
    service_idle: int = _setting(
        600, "Seconds without a question after which the model service ends.", least=1, most=1_000_000
    )


@dataclass(frozen=True, slots=True)
class EvidenceSettings:
    """How strictly quotes are aligned with their messages."""

    fuzzy_threshold: int = _setting(85, "Likeness in percent from which a place may be the quote's.", least=85, most=99)
    max_quote_length: int = _setting(
        500, "Characters; a longer quote must stand there word for word, or folded.", least=1, most=2000
    )
    enable_fuzzy: bool = _setting(True, "Accept places that are not the same letter by letter.")
    guard: str = _setting(
        "normal", "What is flagged: any other word, what may change the sense, or nothing.",
        choices=("strict", "normal", "off"),
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class RuleSettings:
    """Where the rules stand that tool calls are matched with, where a command names no file."""

    files: str = _setting(
        "~/.claude/memory.md", "Rule files for every project; several are separated as in PATH. Empty: none."
    )
    project_files: str = _setting(
        ".claude/memory.md", "The same of a project, looked for in its folder and those above it. Empty: none."
    )
    hook: bool = _setting(True, "Tell an agent, before it uses a tool, the solutions of the rules that apply.")
    hook_most: int = _setting(3, "Rules that an agent is told of before one call, at most.", least=1, most=20)


@dataclass(frozen=True, slots=True)
class ImportSettings:
    """Where `casebook import` looks when it is given no path."""

    claude_code: str = _setting("~/.claude/projects", "Claude Code's transcripts.")
    codex: str = _setting("~/.codex/sessions", "Codex's transcripts.")


@dataclass(frozen=True, slots=True)
class LibrarySettings:
    """How the library reads. A change builds its index of words anew with the next ingest."""

    korean: str = _setting(
        "bigrams", "How Korean is indexed: by syllable pairs, or by morphemes beside them (needs casebook[ko]).",
        choices=("bigrams", "morphemes"),
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class ChunkingSettings:
    """How the library cuts documents into passages. A change reads anew what it affects."""

    target_tokens: int = _setting(500, "Tokens (three bytes each) a passage is filled up to.", least=16, most=100_000)
    overlap_tokens: int = _setting(
        80, "Tokens that neighbouring passages of a section share; less than target_tokens.", least=0, most=100_000
    )
    respect_markdown_headings: bool = _setting(
        True, "Kept for casebooks of other programs: passages never cross a heading."
    )
    chunker_version: str = _setting(
        "md-heading-v2", "How Markdown is cut: v2 also splits what exceeds max_chunk_tokens.",
        choices=("md-heading-v1", "md-heading-v2"),
    )  # fmt: skip
    max_chunk_tokens: int = _setting(
        4000, "Tokens no passage exceeds; at least target_tokens.", least=16, most=1_000_000
    )


@dataclass(frozen=True, slots=True)
class LlmSettings:
    """The language model that words answers from the library. It is asked when a person asks, never otherwise."""

    provider: str = _setting(
        "ollama", "How it is spoken to: Ollama's own way, or the one OpenAI's is, which many servers speak.",
        choices=("ollama", "openai"),
    )  # fmt: skip
    model: str = _setting("qwen2.5:14b-instruct", "The model's name at that server.")
    endpoint: str = _setting("http://127.0.0.1:11434", "The server's address; for openai it may end in /v1.")
    api_key_env: str = _setting(
        "",
        "The environment variable that holds the key the server wants. The key itself stands in no file. Empty: none.",
    )
    context_tokens: int = _setting(32768, "Tokens the model reads and writes in one go.", least=512, most=10_000_000)
    temperature: float = _setting(0.0, "How freely it words things; 0 is the same each time.", least=0.0, most=2.0)
    seed: int = _setting(
        0, "The same seed gives the same answer, where the model keeps to it.", least=0, most=2**31 - 1
    )
    first_token_s: int = _setting(
        120, "Seconds until the first word; a large model is loaded first.", least=1, most=3600
    )
    idle_s: int = _setting(60, "Seconds between two words after which the model is taken for gone.", least=1, most=3600)
    total_s: int = _setting(600, "Seconds a whole answer may take.", least=1, most=86_400)


@dataclass(frozen=True, slots=True)
class RagSettings:
    """How answers are made from the library's passages."""

    prompt_template_version: str = _setting(
        "rag-v3", "What the model is told; v3 has it answer in the question's language.",
        choices=("rag-v1", "rag-v2", "rag-v3"),
    )  # fmt: skip
    k: int = _setting(8, "Passages looked for.", least=1, most=50)
    score_gate: float = _setting(
        0.30, "Share of the question, weighed by how rare its words are, that passages must hold. 0: ask anyway.",
        least=0.0, most=1.0,
    )  # fmt: skip
    explain_default: bool = _setting(False, "Show with every answer how it came about.")
    max_context_tokens: int = _setting(
        8000, "Tokens (three bytes each) of instructions, passages and earlier turns given to the model.",
        least=256, most=1_000_000,
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class HookSettings:
    """How agents' hooks are answered."""

    host: bool = _setting(
        True, "Keep a process that has everything loaded, for as long as hooks call. It ends when idle."
    )
    deadline_ms: int = _setting(1600, "After so long a hook gives up and lets the agent go on.", least=100, most=60_000)


@dataclass(frozen=True, slots=True)
class UiSettings:
    """How the workbench looks."""

    ascii: bool = _setting(False, "Draw with ASCII signs only.")
    theme: str = _setting("", "The theme's name. Empty: casebook-dark. `ansi` follows the terminal's own colours.")
    mouse: bool = _setting(True, "Listen to the mouse. Without it the terminal selects text by itself.")


@dataclass(frozen=True, slots=True)
class LogSettings:
    """The log under the state folder."""

    level: str = _setting("info", "What is worth a line.", choices=("off", "error", "warning", "info", "debug"))
    max_bytes: int = _setting(1_000_000, "A log file this large is put aside.", least=10_000, most=1_000_000_000)
    keep: int = _setting(3, "Old log files kept.", least=0, most=100)


@dataclass(frozen=True, slots=True)
class Settings:
    """Every setting, by section. In the file `imports` is called `import`, and `llm` is called `models.llm`."""

    store: StoreSettings = field(default_factory=StoreSettings)
    search: SearchSettings = field(default_factory=SearchSettings)
    embedding: EmbeddingSettings = field(default_factory=EmbeddingSettings)
    evidence: EvidenceSettings = field(default_factory=EvidenceSettings)
    rules: RuleSettings = field(default_factory=RuleSettings)
    imports: ImportSettings = field(default_factory=ImportSettings)
    library: LibrarySettings = field(default_factory=LibrarySettings)
    chunking: ChunkingSettings = field(default_factory=ChunkingSettings)
    llm: LlmSettings = field(default_factory=LlmSettings)
    rag: RagSettings = field(default_factory=RagSettings)
    hook: HookSettings = field(default_factory=HookSettings)
    ui: UiSettings = field(default_factory=UiSettings)
    log: LogSettings = field(default_factory=LogSettings)


SECTIONS: Mapping[str, type] = {
    "store": StoreSettings,
    "search": SearchSettings,
    "embedding": EmbeddingSettings,
    "evidence": EvidenceSettings,
    "rules": RuleSettings,
    "import": ImportSettings,
    "library": LibrarySettings,
    "chunking": ChunkingSettings,
    "models.llm": LlmSettings,
    "rag": RagSettings,
    "hook": HookSettings,
    "ui": UiSettings,
    "log": LogSettings,
}

FIELDS: Mapping[str, str] = {"import": "imports", "models.llm": "llm"}
"""Sections whose field of `Settings` is called otherwise."""

KEYS = "keys"
"""The section that sets keys: not a list of settings, but any action's id with its keys."""

_KEYS_TEMPLATE = f"""
# Keys of the workbench: an action's id, then its key, or a list of keys; an empty list takes its keys away.
# The ids are in the help (?). For example: "case.why"=["t", "f8"]
[{KEYS}]
"""


def template() -> str:
    """A commented settings file: every setting, its meaning and its default, all commented out."""
    out = [
        "# Settings of casebook. Every line is commented out and shows the default.",
        "# A variable CASEBOOK_<SECTION>_<KEY> overrides this file; a flag overrides both.",
    ]
    for section, kind in SECTIONS.items():
        out += ["", f"# {kind.__doc__}", f"[{section}]"]
        for spec in dataclasses.fields(kind):
            choices = spec.metadata.get("choices")
            out.append(f"# {spec.metadata['about']}" + (f" One of {', '.join(choices)}." if choices else ""))
            out.append(f"# {spec.name} = {_toml(cast('Value', spec.default))}")
    return "\n".join(out) + "\n" + _KEYS_TEMPLATE


def _toml(value: Value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return f'"{value}"' if isinstance(value, str) else str(value)
