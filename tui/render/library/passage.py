"""A passage as it is kept: what identifies it, what it was made of, its text, the passages beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content

from tui.render.common.glyphs import Signs
from tui.render.common.relative_time import stamp
from tui.render.common.untrusted import block, inline

if TYPE_CHECKING:
    from core.library.search.inspect import ChunkInspection, DocInspection

_BESIDE = 400


def draw_passage(one: ChunkInspection, document: DocInspection, signs: Signs) -> Content:
    """All of it, as one text."""
    about = document.document
    spans = ", ".join(_span(span) for span in one.source_spans)
    vectors = ", ".join(f"{inline(kept.model, 80)} ({kept.dimensions} numbers)" for kept in one.embeddings)
    rows = [
        ("citation", one.citation.uri),
        ("headings", " > ".join(one.heading_path) or "none"),
        ("passage id", one.chunk_id),
        ("document id", one.doc_id),
        ("title", about.title),
        ("spans", spans or "none"),
        ("blocks", f"{len(one.block_ids):,}: {', '.join(one.block_ids[:6])}"),
        ("tokens", f"{one.token_estimate:,} (estimated)"),
        ("chunker", f"{one.chunker_version}, policy {one.policy_hash}"),
        ("parser", about.parser_version),
        ("vector", vectors or "none yet: casebook library embed makes it"),
        ("trust", f"{about.trust_level}, {about.source_type}, {about.lang}"),
        ("read", stamp(about.indexed_at)),
    ]
    parts = [Content.assemble((f"{name:<12}", "$cb-dim"), (inline(value), "$cb-soft")) for name, value in rows]
    text, left = block(one.text)
    more = f"\n{signs.more} {left:,} more characters" if left else ""
    parts += [Content(""), Content.styled(text + more, "$cb-text")]
    for by, name in ((-1, "before it"), (1, "behind it")):
        beside = next((other for other in document.chunks if other.position == one.position + by), None)
        told = "nothing: it is the first one" if by < 0 else "nothing: it is the last one"
        shown = told if beside is None else inline(beside.text, _BESIDE)
        parts += [Content(""), Content.assemble((f"{name:<12}", "$cb-dim"), (shown, "$cb-dim"))]
    return Content("\n").join(parts)


def _span(span: dict[str, str | int | None]) -> str:
    told = " ".join(f"{name} {value}" for name, value in span.items() if name != "kind" and value is not None)
    return inline(f"{span.get('kind')} ({told})", 120)
