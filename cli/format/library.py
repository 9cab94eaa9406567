"""The library's answers as lines for people: hits in four dense lines, as kebab-frozen-design 1.5 and 1.6 draw them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from cli.format.layout import clip, one_line, pad, wrap
from cli.output import Output
from core.base.trace import Step
from core.library.search.api import UNASKED
from core.library.search.rows import SearchHit, SearchResponse, SectionHits, by_section, display_score

_SNIPPET_LINES = 2


def response_lines(out: Output, found: SearchResponse, *, explain: bool = False) -> Iterator[str]:
    """The hits, what was asked of, and with `explain` each hit's ranks and both lists."""
    rows = tuple(map(SectionHits, found.hits)) if explain else by_section(found.hits)
    for row in rows:
        yield from _hit_lines(out, row.best, explain=explain)
        if row.others:
            also = ", ".join(one_line(hit.citation.uri.rpartition("#")[2]) for hit in row.others)
            yield out.paint(clip(f"also {also}", out.columns), "dim")
        yield ""
    if not found.hits:
        yield out.paint("No results.", "warn")
    if found.hint:
        yield from wrap(found.hint, out.columns)
    if found.hits:
        yield out.paint(_footer(found), "dim")
    if found.next_cursor:
        why = "token budget reached" if found.truncated else "more results"
        yield out.paint(f"{why}: --cursor {one_line(found.next_cursor)}", "dim")
    if explain:
        yield from _lists(out, found)
    if out.verbose:
        from cli.format.cases import trace_lines

        yield from trace_lines(out, found.trace)


def _hit_lines(out: Output, hit: SearchHit, *, explain: bool) -> Iterator[str]:
    yield out.paint(f"{hit.rank}. {display_score(hit):.2f} {one_line(hit.citation.uri)}", "bold")
    label = hit.section_label or " > ".join(hit.heading_path) or hit.title
    if label:
        yield clip(label, out.columns)
    yield from _snippet_lines(out, hit, label)
    if explain:
        yield from _explained(hit)


def _snippet_lines(out: Output, hit: SearchHit, label: str) -> Iterator[str]:
    """Yield the first two lines, or the two from the first highlighted word on, if that is further down."""
    before = hit.snippet.count("\n", 0, hit.matched[0][0]) if hit.matched else 0
    rows = [line.strip() for line in hit.snippet.split("\n")]
    lead = [line for line in rows[:before] if line and line != label]
    rows = lead + [line for line in rows[before:] if line and line != label]
    first = len(lead) if len(lead) >= _SNIPPET_LINES else 0
    broken = [part for line in rows[first:] for part in wrap(line, out.columns)]
    kept = broken[:_SNIPPET_LINES]
    if first and kept:
        kept[0] = clip("… " + kept[0], out.columns)
    if len(broken) > len(kept) and kept and not kept[-1].endswith("…"):
        kept[-1] = clip(kept[-1] + " …", out.columns)
    lit = sorted({hit.snippet[start:end] for start, end in hit.matched}, key=len, reverse=True)
    for line in kept:
        yield _highlighted(out, line, lit)


def _highlighted(out: Output, line: str, words: list[str]) -> str:
    if not out.colour or not words:
        return line
    return re.sub("|".join(map(re.escape, words)), lambda found: out.paint(found[0], "good"), line)


def _explained(hit: SearchHit) -> Iterator[str]:
    how = hit.retrieval
    lines: list[str] = []
    if how.method != "vector":
        lines.append("lexical (bm25) " + _ranked(how.lexical_rank, how.lexical_score, 1))
    if how.method != "lexical":
        lines.append(
            f"vector ({one_line(hit.embedding_model or 'none')}) " + _ranked(how.vector_rank, how.vector_score, 2)
        )
    if how.method == "hybrid":
        place = f"rank {hit.rank} " if how.rerank_score is None else ""
        lines.append(f"rrf fusion {place}score {how.fusion_score or 0.0:.2f}")
    if how.rerank_score is not None:
        tokens = f"tokens {how.rerank_score:.2f}" if how.rerank_score else "not among the reranked hits"
        lines.append(f"rerank rank {hit.rank} score {hit.score:.2f} ({tokens})")
    for line in lines[:-1]:
        yield f"├ {line}"
    yield f"└ {lines[-1]}"
    yield f"chunker {one_line(hit.chunker_version)} chunk_id {one_line(hit.chunk_id[:6])}…"


def _ranked(rank: int | None, score: float | None, digits: int) -> str:
    return "not in its list" if rank is None or score is None else f"rank {rank} score {score:.{digits}f}"


def _footer(found: SearchResponse) -> str:
    count = f"{len(found.hits)} hit" + ("" if len(found.hits) == 1 else "s")
    model = one_line(found.embedding_model or "none")
    how = {"lexical": "bm25", "vector": model, "hybrid": f"bm25+{model}/RRF"}[found.mode]
    if any(hit.score_kind == "rerank" for hit in found.hits):
        how += "/rerank"
    return f"{count} {found.mode} index {one_line(found.index_version)} {how}"


def _lists(out: Output, found: SearchResponse) -> Iterator[str]:
    """Both lists as they were before they were fused, and what came of each step."""
    for step in found.trace:
        if step.stage in ("filters", "lexical", "vector", "fusion") and step.reason != UNASKED:
            yield ""
            for line in wrap(one_line(f"{step.stage}: {step.reason}{_facts(step)}"), out.columns):
                yield out.paint(line, "dim")
            for one in step.steps:
                yield f"{one.fact('rank'):>4}  {float(one.fact('score') or 0):8.3f}  {one_line(one.reason)}"


def _facts(step: Step) -> str:
    told = [f"{name} {value}" for name, value in step.facts if name not in ("match", "remedy") and value is not None]
    return one_line(f" ({', '.join(told)})") if told else ""


def columns_of(cells: list[str], widths: list[int]) -> str:
    """Cells side by side, each clipped and filled to its width; the last one as it is."""
    return "  ".join([*(pad(cell, width) for cell, width in zip(cells, widths, strict=False)), *cells[len(widths) :]])
