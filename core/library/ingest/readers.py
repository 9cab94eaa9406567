"""Which parser and which chunker a file gets, and the signature of everything that shapes its rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from core.library.chunk.code import by_units, chunker_version
from core.library.chunk.heading import by_headings
from core.library.chunk.page import PAGE_V1, by_pages
from core.library.chunk.paragraph import by_paragraphs
from core.library.chunk.policy import TEXT_V1, ChunkPolicy, policy_hash
from core.library.documents.blocks import Parsed, ParsedBlock, Passage
from core.library.documents.ids import short_hash
from core.library.documents.rows import Media, Source
from core.library.ingest.media import code_lang_of

ROWS: Final = "rows/2"
"""What is made of blocks and passages beside their ids (titles, languages, tags); raised when that changes."""


@dataclass(frozen=True, slots=True)
class Reader:
    """`read` makes blocks of a file's text, or `read_bytes` of its bytes where it is no text; `cut` makes passages."""

    parser_version: str
    chunker_version: str
    read: Callable[[str], Parsed]
    cut: Callable[[Sequence[ParsedBlock], ChunkPolicy], Iterable[Passage]]
    read_bytes: Callable[[bytes], Parsed] | None = None

    def used(self, parsed: Parsed) -> Reader:
        """The reader that really read it: one that could make nothing of a text leaves it to that of plain text."""
        return self if parsed.parser_version == self.parser_version else plain_reader()


def reader_of(media: Media, relative: str, policy: ChunkPolicy) -> Reader | None:
    """The reader of a file, or None where none is installed."""
    if media == "markdown":
        from core.library.parse import markdown

        return Reader(markdown.PARSER, policy.chunker_version, markdown.parse_markdown, by_headings)
    if media == "pdf":
        from core.library.parse import pdf

        if not pdf.is_installed():
            return None
        return Reader(pdf.PARSER, PAGE_V1, plain_reader().read, by_pages, pdf.parse_pdf)
    if media == "manifest":
        from core.library.parse import manifest

        read = partial(manifest.parse_manifest, name=relative.rpartition("/")[2])
        return Reader(manifest.PARSER, "manifest-part-v1", read, by_units)
    if media == "code":
        from core.library.parse import code

        lang = code_lang_of(relative)
        grammar = code.grammar_of(lang, relative)
        if grammar is not None and lang is not None:
            read = partial(code.parse_code, relative=relative, grammar=grammar, lang=lang)
            return Reader(code.parser_version(grammar), chunker_version(grammar), read, by_units)
    return plain_reader()


def plain_reader() -> Reader:
    """The reader of plain text, and of every text that no other knows."""
    from core.library.parse import paragraphs

    return Reader(paragraphs.PARSER, TEXT_V1, paragraphs.parse_text, by_paragraphs)


def signature(reader: Reader, policy: ChunkPolicy, source: Source) -> str:
    """The hash of every version and setting that shapes what is stored of a file; another one: it is read anew."""
    return short_hash(
        "\n".join(
            (
                reader.parser_version,
                reader.chunker_version,
                policy_hash(policy, reader.chunker_version),
                ROWS,
                source.source_type,
                source.trust_level,
            )
        )
    )
