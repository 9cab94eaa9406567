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
        raise AttributeError(f"{type(self).__name__}.{name} cannot be deleted")

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

    path: str = setting("Database file. Empty: casebook.db in the data folder.", default="")


class SearchSettings(Section):
    """How errors and the library are searched."""

    count: bool = setting("Count each answer of `casebook errors search` as a use.", default=True)
    default_k: int = setting("Hits per page of `casebook library search`.", default=10, least=1, most=200)
    snippet_chars: int = setting(
        "Maximum characters per passage of `casebook library search`.", default=220, least=40, most=10_000
    )


class EmbeddingSettings(Section):
    """The model that reads errors, rules and notes by their meaning."""

    model: str = setting("Model id (`casebook models list`). Empty: the best installed model.", default="")
    threads: int = setting("Number of cores for `casebook embed`. 0: all.", default=0, least=0, most=1024)
    service: bool = setting(
        "Let hooks and `errors search` use the model service. If no service is running, they start one.", default=True
    )
    auto: bool = setting("Compute missing embeddings with one core while the workbench is open.", default=True)
    service_idle: int = setting("Idle seconds before the model service stops.", default=600, least=1, most=1_000_000)


class EvidenceSettings(Section):
    """How strictly quotes are aligned with their messages."""

    fuzzy_threshold: int = setting("Minimum similarity of a fuzzy match, in percent.", default=85, least=85, most=99)
    max_quote_length: int = setting("Maximum characters of a quote for a fuzzy match.", default=500, least=1, most=2000)
    enable_fuzzy: bool = setting("Allow fuzzy matches.", default=True)
    guard: str = setting(
        "Changes that flag a quote. strict: any word, normal: changes of meaning, off: none.",
        default="normal",
        choices=("strict", "normal", "off"),
    )


class RuleSettings(Section):
    """Rule files for tool calls, if a command names none."""

    files: str = setting(
        "Rule files for every project, separated as in PATH. Empty: none.",
        default="~/.claude/memory.md",
        paths=True,
    )
    project_files: str = setting(
        "Rule files of a project, searched in its folder and parent folders. Empty: none.",
        default=".claude/memory.md",
        paths=True,
    )
    hook: bool = setting("Show the agent the rules that apply before it uses a tool.", default=True)
    hook_most: int = setting("Maximum number of rules shown per call.", default=3, least=1, most=20)
    bans: bool = setting("Warn about code in backticks that CLAUDE.md, AGENTS.md or GEMINI.md forbids.", default=True)
    trust: str = setting(
        "Rule files or folders that casebook reads even if they are owned by another user or world-writable.",
        default="",
        paths=True,
    )


class ImportSettings(Section):
    """Where `casebook import` looks when it is given no path."""

    claude_code: str = setting("Claude Code's transcripts.", default="~/.claude/projects")
    codex: str = setting("Codex's transcripts.", default="~/.codex/sessions")


class LibrarySettings(Section):
    """How the library reads. A change of `korean` rebuilds its index of words at the next ingest."""

    korean: str = setting(
        "Index for Korean: syllable pairs, or additional morphemes (requires the extra ko).",
        default="bigrams",
        choices=("bigrams", "morphemes"),
    )
    ocr: bool = setting(
        "Index the text of images and scanned pages (requires the extra ocr and casebook library ocr-data).",
        default=False,
    )


class ChunkingSettings(Section):
    """How the library splits documents into passages. A change reads the affected files again."""

    target_tokens: int = setting(
        "Target size of a passage in tokens (three bytes each).", default=500, least=16, most=100_000
    )
    overlap_tokens: int = setting(
        "Tokens shared by adjacent passages of a section. Must be less than target_tokens.",
        default=80,
        least=0,
        most=100_000,
    )
    respect_markdown_headings: bool = setting("For compatibility only. Passages never cross a heading.", default=True)
    chunker_version: str = setting(
        "Version of the Markdown chunker. v2 also splits passages above max_chunk_tokens.",
        default="md-heading-v3",
        choices=("md-heading-v1", "md-heading-v3"),
    )
    max_chunk_tokens: int = setting(
        "Maximum tokens of a passage. At least target_tokens.", default=4000, least=16, most=1_000_000
    )


class LlmSettings(Section):
    """The language model that words answers from the library. It is asked when a person asks, never otherwise."""

    provider: str = setting(
        "API of the server: Ollama, or OpenAI-compatible.",
        default="ollama",
        choices=("ollama", "openai"),
    )
    model: str = setting("Name of the model on the server.", default="qwen2.5:14b-instruct")
    endpoint: str = setting(
        "URL of the server. For openai, casebook appends /v1 if the URL has no path.",
        default="http://127.0.0.1:11434",
    )
    api_key_env: str = setting(
        "Name of the environment variable with the API key. Empty: no key.",
        default="",
    )
    context_tokens: int = setting("Context length of the model in tokens.", default=32768, least=512, most=10_000_000)
    answer_tokens: int = setting(
        "Maximum tokens of an answer, including reasoning. At most half of context_tokens.",
        default=4096,
        least=64,
        most=1_000_000,
    )
    temperature: float = setting("Sampling temperature. 0 is deterministic.", default=0.0, least=0.0, most=2.0)
    seed: int = setting("Sampling seed.", default=0, least=0, most=2**31 - 1)
    first_token_s: int = setting(
        "Timeout in seconds for the first token, including the time to load the model.", default=120, least=1, most=3600
    )
    idle_s: int = setting("Timeout in seconds between two tokens.", default=60, least=1, most=3600)
    total_s: int = setting("Timeout in seconds for the whole answer.", default=600, least=1, most=86_400)


class RagSettings(Section):
    """How answers are made from the library's passages."""

    prompt_template_version: str = setting(
        "Prompt template. v3 answers in the language of the question.",
        default="rag-v3",
        choices=("rag-v1", "rag-v2", "rag-v3"),
    )
    k: int = setting("Number of passages to retrieve.", default=8, least=1, most=50)
    score_gate: float = setting(
        "Minimum share of the question that passages must cover, weighted by word rarity. 0: no minimum.",
        default=0.30,
        least=0.0,
        most=1.0,
    )
    explain_default: bool = setting("Show the search trace with every answer.", default=False)
    max_context_tokens: int = setting(
        "Maximum tokens of the prompt (three bytes each): instructions, passages and earlier turns.",
        default=8000,
        least=256,
        most=1_000_000,
    )


class HookSettings(Section):
    """How agents' hooks are answered."""

    host: bool = setting("Keep a host process running between hook calls. When idle, the host exits.", default=True)
    deadline_ms: int = setting("Timeout of a hook in milliseconds.", default=1600, least=100, most=60_000)
    hold_back: float = setting(
        "Share of known fixes that hooks withhold, to measure the effect of showing them.",
        default=0.0,
        least=0.0,
        most=1.0,
    )


class UiSettings(Section):
    """How the workbench looks, and how the end of a long run is signaled."""

    ascii: bool = setting("Use ASCII characters only.", default=False)
    theme: str = setting("Theme name. Empty: casebook-dark. `ansi` uses the colors of the terminal.", default="")
    mouse: bool = setting("Use the mouse. If false, the terminal selects text with the mouse.", default=True)
    notify: str = setting(
        "Signal on the terminal when a run of 10 seconds or more ends: bell, osc9 (desktop notification), or off.",
        default="bell",
        choices=("bell", "osc9", "off"),
    )


class LogSettings(Section):
    """The log under the state folder."""

    level: str = setting(
        "Minimum level of log messages.", default="info", choices=("off", "error", "warning", "info", "debug")
    )
    max_bytes: int = setting(
        "Maximum size of a log file before rotation.", default=1_000_000, least=10_000, most=1_000_000_000
    )
    keep: int = setting("Number of rotated log files to keep.", default=3, least=0, most=100)


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


FIELDS: Mapping[str, str] = {"import": "imports", "models.llm": "llm"}
"""Sections whose field of `Settings` is called otherwise."""
_SECTION_OF = {field: section for section, field in FIELDS.items()}
_VALUES: Mapping[str, Section] = Settings()._asdict()
SECTIONS: Mapping[str, type[Section]] = {_SECTION_OF.get(name, name): one.__class__ for name, one in _VALUES.items()}

KEYS = "keys"
"""The section that sets keys: not a list of settings, but any action's id with its keys."""

_KEYS_TEMPLATE = f"""
# Keys of the workbench: an action id, then its key or a list of keys. An empty list removes the keys.
# The ids are in the help (?). For example: "case.why"=["t", "f8"]
[{KEYS}]
"""


def template(schema: str) -> str:
    """A commented settings file: every setting, its meaning and its default, all commented out.

    `schema`: the name of the file beside it with the JSON Schema, for editors.
    """
    out = [
        f"#:schema ./{schema}",
        "# Settings of casebook. Every line is commented out and shows the default.",
        "# A variable CASEBOOK_<SECTION>_<KEY> overrides this file. A flag overrides both.",
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
