"""A section of settings: a class whose attributes say what can be set, with meaning, default and bounds.

Not a dataclass: there are many sections, every start makes them all, and a dataclass takes long to make.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple, NoReturn, Self, dataclass_transform

Value = str | int | float | bool


class Spec(NamedTuple):
    """What can be set: its default, its meaning, and the values it may have. `paths`: several, separated as in PATH."""

    default: Value
    about: str
    least: float | None = None
    most: float | None = None
    choices: tuple[str, ...] = ()
    paths: bool = False


def setting(
    about: str,
    *,
    default: Value,
    least: float | None = None,
    most: float | None = None,
    choices: tuple[str, ...] = (),
    paths: bool = False,
) -> Any:
    """One setting of a section."""
    return Spec(default, about, least, most, choices, paths)


@dataclass_transform(frozen_default=True, field_specifiers=(setting,))
class Section:
    """The values of a section's settings; what is not given has its default. They never change."""

    specs: ClassVar[Mapping[str, Spec]]

    def __init_subclass__(cls) -> None:
        cls.specs = {name: spec for name, spec in vars(cls).items() if isinstance(spec, Spec)}

    def __init__(self, *values: Value, **named: Value) -> None:
        given = {**dict(zip(self.specs, values, strict=False)), **named}
        if len(given) < len(values) + len(named) or not given.keys() <= self.specs.keys():
            raise TypeError(f"{type(self).__name__} has {', '.join(self.specs)}")
        self.__dict__.update({name: given.get(name, spec.default) for name, spec in self.specs.items()})

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"{type(self).__name__}.{name} cannot be changed")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"{type(self).__name__}.{name} cannot be taken away")

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and vars(other) == vars(self)

    def __hash__(self) -> int:
        return hash(tuple(vars(self).values()))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in vars(self).items())})"

    def changed(self, **named: Value) -> Self:
        """The same values but for those named."""
        return type(self)(**{**vars(self), **named})

    def as_dict(self) -> dict[str, Value]:
        """The values by name."""
        return dict(vars(self))


class StoreSettings(Section):
    """Where the casebook is kept."""

    path: str = setting("The database file. Empty: casebook.db in the data folder.", default="")


class SearchSettings(Section):
    """How errors are looked up."""

    count: bool = setting("Count a look-up that `casebook errors search` answered.", default=True)


class EmbeddingSettings(Section):
    """The model that reads errors, rules and notes by their meaning."""

    model: str = setting(
        "The model's id (`casebook models list`). Empty: the best one that is on this machine.", default=""
    )
    threads: int = setting("Cores that `casebook embed` uses. 0: all of them.", default=0, least=0, most=1024)
    service: bool = setting(
        "Ask the model service from hooks and `errors search`, and start it where it helps.", default=True
    )
    auto: bool = setting("While the workbench is open, embed what waits, with one core.", default=True)
    service_idle: int = setting(
        "Seconds without a question after which the model service ends.", default=600, least=1, most=1_000_000
    )


class EvidenceSettings(Section):
    """How strictly quotes are aligned with their messages."""

    fuzzy_threshold: int = setting(
        "Likeness in percent from which a place may be the quote's.", default=85, least=85, most=99
    )
    max_quote_length: int = setting(
        "Characters; a longer quote must stand there word for word, or folded.", default=500, least=1, most=2000
    )
    enable_fuzzy: bool = setting("Accept places that are not the same letter by letter.", default=True)
    guard: str = setting(
        "What is flagged: any other word, what may change the sense, or nothing.",
        default="normal",
        choices=("strict", "normal", "off"),
    )


class RuleSettings(Section):
    """Where the rules stand that tool calls are matched with, where a command names no file."""

    files: str = setting(
        "Rule files for every project; several are separated as in PATH. Empty: none.",
        default="~/.claude/memory.md",
        paths=True,
    )
    project_files: str = setting(
        "The same of a project, looked for in its folder and those above it. Empty: none.",
        default=".claude/memory.md",
        paths=True,
    )
    hook: bool = setting("Tell an agent, before it uses a tool, the solutions of the rules that apply.", default=True)
    hook_most: int = setting("Rules that an agent is told of before one call, at most.", default=3, least=1, most=20)
    trust: str = setting(
        "Rule files, or folders of them, that are read although another user owns them or everyone can write to them.",
        default="",
        paths=True,
    )


class ImportSettings(Section):
    """Where `casebook import` looks when it is given no path."""

    claude_code: str = setting("Claude Code's transcripts.", default="~/.claude/projects")
    codex: str = setting("Codex's transcripts.", default="~/.codex/sessions")


class LibrarySettings(Section):
    """How the library reads. A change of `korean` builds its index of words anew with the next ingest."""

    korean: str = setting(
        "How Korean is indexed: by syllable pairs, or by morphemes beside them (needs the extra ko).",
        default="bigrams",
        choices=("bigrams", "morphemes"),
    )
    ocr: bool = setting(
        "Read the text of pictures and of scanned pages (needs the extra ocr and casebook library ocr-data).",
        default=False,
    )


class ChunkingSettings(Section):
    """How the library cuts documents into passages. A change reads anew what it affects."""

    target_tokens: int = setting(
        "Tokens (three bytes each) a passage is filled up to.", default=500, least=16, most=100_000
    )
    overlap_tokens: int = setting(
        "Tokens that neighbouring passages of a section share; less than target_tokens.",
        default=80,
        least=0,
        most=100_000,
    )
    respect_markdown_headings: bool = setting(
        "Kept for casebooks of other programs: passages never cross a heading.", default=True
    )
    chunker_version: str = setting(
        "How Markdown is cut: v2 also splits what exceeds max_chunk_tokens.",
        default="md-heading-v3",
        choices=("md-heading-v1", "md-heading-v3"),
    )
    max_chunk_tokens: int = setting(
        "Tokens no passage exceeds; at least target_tokens.", default=4000, least=16, most=1_000_000
    )


class LlmSettings(Section):
    """The language model that words answers from the library. It is asked when a person asks, never otherwise."""

    provider: str = setting(
        "How it is spoken to: Ollama's own way, or the one OpenAI's is, which many servers speak.",
        default="ollama",
        choices=("ollama", "openai"),
    )
    model: str = setting("The model's name at that server.", default="qwen2.5:14b-instruct")
    endpoint: str = setting(
        "The server's address; for openai a bare host gets /v1, and a path is used as it is.",
        default="http://127.0.0.1:11434",
    )
    api_key_env: str = setting(
        "The environment variable that holds the key the server wants. The key itself stands in no file. Empty: none.",
        default="",
    )
    context_tokens: int = setting(
        "Tokens the model reads and writes in one go.", default=32768, least=512, most=10_000_000
    )
    answer_tokens: int = setting(
        "Tokens an answer may take, its thoughts counted in; at most half of context_tokens.",
        default=4096,
        least=64,
        most=1_000_000,
    )
    temperature: float = setting(
        "How freely it words things; 0 is the same each time.", default=0.0, least=0.0, most=2.0
    )
    seed: int = setting(
        "The same seed gives the same answer, where the model keeps to it.", default=0, least=0, most=2**31 - 1
    )
    first_token_s: int = setting(
        "Seconds until the first word; a large model is loaded first.", default=120, least=1, most=3600
    )
    idle_s: int = setting(
        "Seconds between two words after which the model is taken for gone.", default=60, least=1, most=3600
    )
    total_s: int = setting("Seconds a whole answer may take.", default=600, least=1, most=86_400)


class RagSettings(Section):
    """How answers are made from the library's passages."""

    prompt_template_version: str = setting(
        "What the model is told; v3 has it answer in the question's language.",
        default="rag-v3",
        choices=("rag-v1", "rag-v2", "rag-v3"),
    )
    k: int = setting("Passages looked for.", default=8, least=1, most=50)
    score_gate: float = setting(
        "Share of the question, weighed by how rare its words are, that passages must hold. 0: ask anyway.",
        default=0.30,
        least=0.0,
        most=1.0,
    )
    explain_default: bool = setting("Show with every answer how it came about.", default=False)
    max_context_tokens: int = setting(
        "Tokens (three bytes each) of instructions, passages and earlier turns given to the model.",
        default=8000,
        least=256,
        most=1_000_000,
    )


class HookSettings(Section):
    """How agents' hooks are answered."""

    host: bool = setting(
        "Keep a process that has everything loaded, for as long as hooks call. It ends when idle.", default=True
    )
    deadline_ms: int = setting(
        "After so long a hook gives up and lets the agent go on.", default=1600, least=100, most=60_000
    )
    hold_back: float = setting(
        "Share of known fixes that hooks do not tell, to measure what telling is worth.",
        default=0.0,
        least=0.0,
        most=1.0,
    )


class UiSettings(Section):
    """How the workbench looks."""

    ascii: bool = setting("Draw with ASCII signs only.", default=False)
    theme: str = setting(
        "The theme's name. Empty: casebook-dark. `ansi` follows the terminal's own colours.", default=""
    )
    mouse: bool = setting("Listen to the mouse. Without it the terminal selects text by itself.", default=True)


class LogSettings(Section):
    """The log under the state folder."""

    level: str = setting("What is worth a line.", default="info", choices=("off", "error", "warning", "info", "debug"))
    max_bytes: int = setting("A log file this large is put aside.", default=1_000_000, least=10_000, most=1_000_000_000)
    keep: int = setting("Old log files kept.", default=3, least=0, most=100)


class Settings(NamedTuple):
    """Every setting, by section. In the file `imports` is called `import`, and `llm` is called `models.llm`."""

    store: StoreSettings = StoreSettings()
    search: SearchSettings = SearchSettings()
    embedding: EmbeddingSettings = EmbeddingSettings()
    evidence: EvidenceSettings = EvidenceSettings()
    rules: RuleSettings = RuleSettings()
    imports: ImportSettings = ImportSettings()
    library: LibrarySettings = LibrarySettings()
    chunking: ChunkingSettings = ChunkingSettings()
    llm: LlmSettings = LlmSettings()
    rag: RagSettings = RagSettings()
    hook: HookSettings = HookSettings()
    ui: UiSettings = UiSettings()
    log: LogSettings = LogSettings()


SECTIONS: Mapping[str, type[Section]] = {
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
        for name, spec in kind.specs.items():
            out.append(f"# {spec.about}" + (f" One of {', '.join(spec.choices)}." if spec.choices else ""))
            out.append(f"# {name} = {_toml(spec.default)}")
    return "\n".join(out) + "\n" + _KEYS_TEMPLATE


def _toml(value: Value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return f'"{value}"' if isinstance(value, str) else str(value)
