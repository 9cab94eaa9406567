"""How an ingest reads: what it takes, and how it cuts (frozen design 6.4: names and defaults)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from core.base.config.settings import ChunkingSettings
from core.library.chunk import MD_V3, ChunkPolicy
from core.library.documents.rows import SourceType, TrustLevel
from core.library.ingest.walk import WalkOptions
from core.library.parse.ocr import is_installed as ocr_installed
from core.library.parse.ocr import languages
from core.library.search.korean import CHOSEN, installed, lacking


@dataclass(frozen=True, slots=True)
class IngestOptions:
    """`include` and `exclude` are patterns in the grammar of .gitignore; `include` empty: every file that is text.

    `rehash`: read every file, also those whose size and time did not change. `rechunk`: cut documents anew that an
    older chunker cut; else their passages keep their ids until the file changes. `source_type` and `trust_level`: what
    the documents of the given roots are where they do not say. `summary`: the report lists no items.
    `follow_links`: also read what links lead to outside of a root. `korean`: the setting `library.korean`. `ocr`: the
    languages (`eng+kor`) in which pictures and scanned pages are read; empty: they are not, and what was read stays.
    """

    target_tokens: int = 500
    overlap_tokens: int = 80
    max_chunk_tokens: int = 4000
    respect_markdown_headings: bool = True
    chunker_version: str = MD_V3
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    max_file_mb: int = 100
    follow_links: bool = False
    rehash: bool = False
    rechunk: bool = False
    source_type: SourceType | None = None
    trust_level: TrustLevel | None = None
    summary: bool = False
    korean: str = "bigrams"
    ocr: str = ""

    @property
    def policy(self) -> ChunkPolicy:
        """How passages are cut. Raises Fault config_invalid for sizes that cannot be met."""
        return ChunkPolicy(
            self.target_tokens,
            self.overlap_tokens,
            self.respect_markdown_headings,
            self.chunker_version,
            self.max_chunk_tokens,
        )

    @property
    def analyser(self) -> str:
        """What takes Korean apart (`korean.installed`); empty: nothing, or what was chosen is not installed."""
        return installed() if self.korean == CHOSEN else ""

    @property
    def lacking(self) -> str:
        """What was chosen and is not installed, with its remedy; empty where nothing is."""
        return lacking(self.korean)

    @property
    def max_bytes(self) -> int:
        """The largest file that is read."""
        return self.max_file_mb * 1024 * 1024

    @property
    def walk(self) -> WalkOptions:
        """Which files are taken."""
        return WalkOptions(self.include, self.exclude, self.max_bytes, self.follow_links, pictures=bool(self.ocr))


def options_of(chunking: ChunkingSettings, korean: str = "bigrams", *, ocr: bool = False) -> IngestOptions:
    """The options that the settings name; all else as it is by default. `ocr`: read pictures and scanned pages, where
    what that needs is installed."""
    sizes: dict[str, Any] = chunking.as_dict()
    return IngestOptions(**sizes, korean=korean, ocr="+".join(languages()) if ocr and ocr_installed() else "")
