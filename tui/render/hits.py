"""The list of hits and documents: title, filters, rows and snippets, notices, and one passage in full."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual.content import Content

from core.base.fault import Fault
from core.base.lazy import lazy_pattern
from core.text import visible
from tui.actions.registry import BY_NAME
from tui.render.common.amounts import ago, counted, stamp
from tui.render.common.empty_states import Notice, of_fault
from tui.render.common.glyphs import Mark, Signs
from tui.render.common.untrusted import block, fault_text, inline, pad, wrap

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.library.search.inspect import ChunkInspection, DocInspection, DocSummary
    from core.library.search.rows import Mode, SearchHit, SearchResponse, SectionHits


_MORE = "…"
_LINE = lazy_pattern(r"(?<![^…])[-+|=*~^#_]{4,}\Z")
"""A word that is only a line of a table or under a title, perhaps behind the sign of a cut."""
_CHIP, _KIND, _VALUE, _COUNT = 24, 9, 29, 8
_NONE = "no document"
_PULL = "casebook models pull "
KIND_NAMES = {
    "tag": "tag", "path": "path", "period": "changed", "lang": "language", "code": "code", "media": "kind",
    "type": "type", "trust": "trust", "source": "root", "repo": "repo", "doc": "document",
}  # fmt: skip
"""How each kind of filter is called."""
MODE_NAMES = {"hybrid": "keyword and semantic", "lexical": "keyword", "vector": "semantic"}


def search_mode_note(response: SearchResponse, *, waiting: bool) -> str:
    """The search methods that found the hits, if fewer than requested."""
    if waiting:
        return f"keywords only, semantic results loading{_MORE}"
    vector = next((step for step in response.trace if step.stage == "vector"), None)
    if vector is not None and response.mode == "lexical":
        return "keywords only" if response.hint else ""
    missing = vector.fact("waiting") if vector is not None else None
    return f"{missing:,} not embedded" if missing else ""


def missing_model(response: SearchResponse) -> str:
    """The model that reads a Korean query, where the one in use does not; else empty."""
    vector = next((step for step in response.trace if step.stage == "vector"), None)
    remedy = str(vector.fact("remedy") or "") if vector is not None and response.mode == "lexical" else ""
    return remedy.removeprefix(_PULL) if remedy.startswith(_PULL) else ""


def model_note(at: str, model: str, cells: int, signs: Signs) -> str:
    """The command that installs it, after the place in the list; in a narrow list the model alone."""
    command = f"Korean: {_PULL}{model}"
    forms = (f"{at} {signs.dot} {command}", command, f"Korean: {model}")
    return next((form for form in forms if len(form) <= cells), forms[-1])


def hits_title(hits: Sequence[SearchHit], signs: Signs) -> str:
    """What the hits are: that they are only near in meaning, where none has a word of the query."""
    if hits and all(hit.missing and not hit.words for hit in hits):
        return f"No keyword match {signs.dot} {counted(len(hits), 'closest result')} by meaning"
    return "Found"


def draw_list_title(name: str, by: str, mode: Mode, picked: Sequence[tuple[str, str]], signs: Signs) -> Content:
    """Draw the title. `by`: the search mode, if it is shown; `picked`: the active filters."""
    parts: list[tuple[str, str] | str] = [name]
    if by:
        parts.append((f" {signs.dot} {by.replace(_MORE, signs.more)}", "$cb-dim"))
    if mode != "hybrid":
        parts += [" ", (f" {MODE_NAMES[mode]} only ", "$cb-text on $cb-cursor")]
    return Content.assemble(*parts, *_chips(picked, signs))


def draw_box_title(picked: Sequence[tuple[str, str]], signs: Signs, *, typing: bool) -> Content:
    """Draw the title of the search box: the active filters, and the key that clears them, unless it would be typed."""
    hint = "" if typing or not picked else signs.fill_keys(" {library.unfilter} clears")
    return Content.assemble("Search library", *_chips(picked, signs), (hint, "$cb-dim"))


def _chips(picked: Sequence[tuple[str, str]], signs: Signs) -> list[tuple[str, str]]:
    chips: list[tuple[str, str]] = []
    for kind, value in picked:
        chips += [
            (" ", ""),
            (f" {KIND_NAMES[kind]} {inline(value, _CHIP, more=signs.more)} ", "$cb-text on $cb-cursor"),
        ]
    return chips


def draw_filter_value(kind: str, value: str, documents: int | None, signs: Signs, *, on: bool) -> Content:
    """A line of the filter menu: whether it is on, the kind, the value, how many documents have it."""
    mark = signs.outcomes["hit"]
    count = "" if documents is None else f"{documents:,}" if documents else _NONE
    cells = _VALUE + _COUNT - max(_COUNT, len(count))
    return Content.assemble(
        (f"{mark.sign if on else ' '} ", mark.tone),
        (pad(KIND_NAMES[kind], _KIND), "$cb-dim"),
        (pad(inline(value, cells - 1, more=signs.more), cells), "$cb-text bold" if on else "$cb-text"),
        (count.rjust(_COUNT), "$cb-draft" if count == _NONE else "$cb-dim"),
    )


HIT, DOCUMENT = 4, 2
"""Lines of a row where there is room."""
_LEAST = 10
_INDENT = 2
_PART = 6
"""The fewest cells that a cut part is worth."""
_FOUND = {
    "words": ("·", ".", "$cb-dim", "keyword match"),
    "meaning": ("~", "~", "$cb-draft", "semantic match"),
    "both": ("≈", "#", "$cb-good", "keyword and semantic match"),
}


def match_mark(hit: SearchHit, signs: Signs) -> Mark:
    """How a hit was found: by its words, by its meaning, or by both."""
    how = hit.retrieval
    name = "both" if how.lexical_rank and how.vector_rank else "meaning" if how.vector_rank else "words"
    return signs.mark(_FOUND, name)


def match_marks(signs: Signs) -> tuple[Mark, ...]:
    """Every way a hit is found, for the legend."""
    return tuple(signs.mark(_FOUND, name) for name in _FOUND)


def tall_for(height: int, *, hits: bool, rows: int = 3) -> int:
    """Lines of a row in a list of so many: a small one shows more of `rows` rows with less of each."""
    if hits and height >= min(3, max(1, rows)) * HIT:
        return HIT
    if height < 5:
        return 1
    return 2 if hits else DOCUMENT if height >= 8 else 1


def draw_hit(row: SectionHits, width: int, tall: int, signs: Signs, *, chosen: bool = False) -> Content:
    """The best hit of a section in `tall` lines of `width` cells, and how many passages of it were found.

    Without its score: one list has scores of several kinds, which only the trace distinguishes.
    """
    hit = row.best
    bar = Content.styled(signs.bar if chosen else " ", "$cb-accent")
    mark = match_mark(hit, signs)
    head = Content.assemble(bar, (f"{mark.sign} ", f"bold {mark.tone}"))
    lines = [head + place(hit.citation.uri, max(0, width - head.cell_length), signs, chosen=chosen)]
    if tall > 2:
        count = f" {signs.dot} {counted(1 + len(row.others), 'passage')}" if row.others and width >= 40 else ""
        label = headings(hit.heading_path or (hit.title,), max(0, width - 3 - cell_len(count)), signs)
        lines.append(Content.assemble(bar, "  ", (label, "$cb-soft"), (count, "$cb-dim")))
    room = max(1, width - 1 - _INDENT - 1)
    own = hit.section_label or ""
    snippet = snippet_lines(hit.snippet, hit.matched, own, room, tall - len(lines), signs)
    lines += [Content.assemble(bar, "  ", line) for line in snippet]
    return Content("\n").join(lines)


def draw_document(doc: DocSummary, width: int, tall: int, signs: Signs, now: datetime, *, chosen: bool) -> Content:
    """A document in `tall` lines: its path and when it was read; its title, kind and size."""
    bar = Content.styled(signs.bar if chosen else " ", "$cb-accent")
    age = ago(doc.indexed_at, now).rjust(5) + " " if width >= 30 else ""
    path = place(doc.doc_path, max(0, width - 2 - len(age)), signs, chosen=chosen)
    gap = " " * max(0, width - 2 - path.cell_length - len(age))
    head = Content.assemble(bar, " ", path, gap, (age, "$cb-dim"))
    if tall < DOCUMENT:
        return head
    room = max(0, width - 5)
    title = inline("" if doc.title == doc.doc_path.rpartition("/")[2] else doc.title, room, more=signs.more)
    about = _about(doc, room - cell_len(title), signs, behind=bool(title))
    return Content("\n").join([head, Content.assemble(bar, "   ", (title, "$cb-soft"), (about, "$cb-dim"))])


def _about(doc: DocSummary, room: int, signs: Signs, *, behind: bool) -> str:
    """Kind, size and tags in at most `room` cells, `behind` a title or not: the last is cut or left out first."""
    passages = counted(doc.chunk_count, "passage")
    facts = [inline(doc.code_lang or doc.media_type, 12), passages, *(f"#{inline(tag, 16)}" for tag in doc.tags[:4])]
    dot, line = f"  {signs.dot} ", ""
    for part in facts:
        lead = dot if behind or line else ""
        left = room - cell_len(line) - cell_len(lead)
        if cell_len(part) > left:
            if left >= _PART:
                return line + lead + inline(part, left, more=signs.more)
            return f"{line} {signs.more}" if line and left + cell_len(lead) >= 2 else line
        line += lead + part
    return line


def headings(path: Sequence[str], cells: int, signs: Signs) -> str:
    """The headings above a passage, the first left out where there is no room."""
    for at in range(len(path)):
        label = inline(" > ".join((*([signs.more] if at else []), *path[at:])), cells + 1, more=signs.more)
        if cell_len(label) <= cells:
            return label
    return inline(path[-1], cells, more=signs.more)


def place(uri: str, cells: int, signs: Signs, *, chosen: bool = False) -> Content:
    """A path or a citation in at most `cells` cells, its end: the folder quiet, the name and the lines not."""
    flat = visible(uri[-2_000:]).replace("\n", " ").replace("\t", " ")
    if cell_len(flat) > cells:
        tail = _tail(flat, max(0, cells - cell_len(signs.more))) if cells > 0 else ""
        slash = tail.find("/")
        flat = (signs.more + tail[slash if 0 <= slash < len(tail) // 2 else 0 :]) if tail else ""
    path, mark, line = flat.rpartition("#")
    if not mark:
        path, line = flat, ""
    folder, slash, name = path.rpartition("/")
    tone = "bold $cb-text" if chosen else "$cb-text"
    return Content.assemble((folder + slash, "$cb-dim"), (name, tone), (mark + line, "$cb-accent"))


def _tail(text: str, cells: int) -> str:
    """The longest end of inert one-line `text` that fits into `cells` cells."""
    low, high = 0, len(text)
    while low < high:
        middle = (low + high) // 2
        if cell_len(text[middle:]) <= cells:
            high = middle
        else:
            low = middle + 1
    return text[low:]


def snippet_lines(
    text: str, spans: Sequence[tuple[int, int]], label: str, cells: int, most: int, signs: Signs
) -> list[Content]:
    """Return exactly `most` lines of a snippet in `cells` cells each, with the highlighted words."""
    start = len(label) + 1 if label and text.startswith(label + "\n") else 0
    flat, spans = _flat(text, [span for span in spans if span[0] >= start], start)
    first = spans[0][0] if spans else 0
    begin, lead = 0, ""
    if cell_len(flat[:first]) > cells * most - min(cells, 24):
        begin = _back(flat, first, max(0, cells // 3))
        lead = "" if flat.startswith("…") and not begin else signs.more
    excerpt = lead + flat[begin:].rstrip()
    shift = len(lead) - begin
    lines: list[Content] = []
    cuts = list(islice(wrap(excerpt, cells), max(0, most)))
    for at, to in cuts:
        line = Content.styled(excerpt[at:to], "$cb-dim")
        for one, other in spans:
            here, there = max(one + shift, at), min(other + shift, to)
            if here < there:
                line = line.stylize("bold not dim $cb-accent", here - at, there - at)
        lines.append(line)
    if lines and cuts[-1][1] < len(excerpt):
        last = lines[-1].rstrip()
        lines[-1] = (last if last.cell_length < cells else last[:-1]) + Content.styled(signs.more, "$cb-dim")
    return [*lines, *[Content("")] * (most - len(lines))][: max(0, most)]


def _flat(text: str, spans: Sequence[tuple[int, int]], start: int) -> tuple[str, list[tuple[int, int]]]:
    """The text from `start` on as one inert line, every gap one blank, without the lines of tables and underlines, and
    where the spans are now."""
    plain = visible(text)[start:]

    def now(at: int) -> int:
        before = plain[: at - start]
        *whole, last = before.split() or [""]
        if before[-1:].isspace():
            joined = " ".join(_without_lines([*whole, last]))
            return len(joined) + (1 if joined else 0)
        return len(" ".join([*_without_lines(whole), last]))

    return " ".join(_without_lines(plain.split())), [(now(one), now(other)) for one, other in spans]


def _without_lines(words: Sequence[str]) -> list[str]:
    """The words that are no part of a drawn line: of a table, or under a title."""
    return [word for one in words if (word := _LINE.sub("", one))]


def _back(text: str, at: int, by: int) -> int:
    """A place about `by` signs before `at`, at the beginning of a word."""
    start = max(0, at - by)
    if start == 0:
        return 0
    blank = text.find(" ", start, at)
    return blank + 1 if blank >= 0 else start


def draw_unread(width: int, tall: int, signs: Signs) -> Content:
    """A row that is not read yet."""
    line = Content.styled(f"   {signs.unread}" if width >= _LEAST else "", "$cb-faint")
    return Content("\n").join([line, *[Content("")] * (tall - 1)])


def draw_size(documents: int, passages: int, waiting: int, signs: Signs, *, listed: int = 0) -> str:
    """How much the library holds; how many documents only where not just these are `listed`."""
    parts = [counted(documents, "document")] if documents != listed or not listed else []
    parts.append(counted(passages, "passage"))
    if waiting:
        parts.append(f"{waiting:,} not embedded")
    return f" {signs.dot} ".join(parts)


def reading() -> Notice:
    """The first read takes longer than a moment."""
    return Notice("Loading the library", "")


def nothing_ingested() -> Notice:
    """Not one document."""
    begin = ("{library.ingest}", "ingest a folder") if "library.ingest" in BY_NAME else None
    return Notice(
        "The library is empty",
        "Ingest notes, documents and code to search them here. Your files are not changed.",
        (
            *((begin,) if begin else ()),
            ("casebook library ingest FOLDER", "ingest a folder from the shell"),
            ("casebook demo", "open a casebook with sample notes"),
        ),
        alone=True,
    )


def not_ingested(fault: Fault) -> Notice:
    """A folder was not read. The path may be wrong: the casebook itself is fine."""
    if fault.code != "invalid_input":
        return of_fault(fault)
    return Notice("Nothing was ingested", fault_text(fault), (("{ingest.name}", "choose another folder"),), "$cb-bad")


def no_hits(hint: str, picked: Sequence[tuple[str, str]]) -> Notice:
    """A search found nothing; `hint` is the core's own word about it."""
    steps = (("{find.clear}", "show the documents"), ("{library.why}", "show the trace"))
    if picked:
        steps = (("{library.unfilter}", "search without the filters"), *steps)
    return Notice("No results", inline(hint, 400), steps)


def none_pass(picked: Sequence[tuple[str, str]], every: int) -> Notice:
    """The filters let no document pass."""
    named = ", ".join(f"{kind} {inline(value, 40)}" for kind, value in picked)
    return Notice(
        "No documents match the filters",
        f"{every:,} documents are hidden by {named}.",
        (("{library.unfilter}", "clear the filters"), ("{library.filter}", "change the filters")),
    )


def vectors_pending() -> Notice:
    """Vector search only, and the model is still loading."""
    return Notice(
        "Semantic search",
        "Loading the model. The first search takes a moment.",
        (("{library.mode}", "search by keyword now"),),
    )


def no_meaning(fault: Fault) -> Notice:
    """Vector search only, and it is not available."""
    if fault.code != "model_unreachable":
        return of_fault(fault)
    steps = (("{library.mode}", "search by keyword"),)
    if fault.hint:
        steps = (*steps, (inline(fault.hint, 80), "enables it"))
    return Notice("Semantic search is disabled", inline(fault.message, 400), steps)


def no_trace() -> Notice:
    """Nothing was searched, so there is nothing to explain."""
    return Notice(
        "No trace yet",
        "After a search, this panel explains how each passage was found.",
        (("{find.focus}", "search"),),
    )


_NEIGHBOUR_CHARS = 400


def draw_passage(one: ChunkInspection, document: DocInspection, signs: Signs) -> Content:
    about = document.document
    spans = ", ".join(_span(span) for span in one.source_spans)
    vectors = ", ".join(f"{inline(vector.model, 80)} ({vector.dimensions} dimensions)" for vector in one.embeddings)
    found = [
        ("citation", one.citation.uri),
        ("headings", " > ".join(one.heading_path) or "none"),
    ]
    details = [
        ("passage id", one.chunk_id),
        ("document id", one.doc_id),
        ("title", about.title),
        ("spans", spans or "none"),
        ("blocks", f"{len(one.block_ids):,}: {', '.join(one.block_ids[:6])}"),
        ("tokens", f"{one.token_estimate:,} (estimated)"),
        ("chunker", f"{one.chunker_version}, policy {one.policy_hash}"),
        ("parser", about.parser_version),
        ("vector", vectors or "none yet (run: casebook library embed)"),
        ("trust", f"{about.trust_level}, {about.source_type}, {about.lang}"),
        ("read", stamp(about.indexed_at)),
    ]
    text, left = block(one.text)
    more = f"\n{signs.more} {left:,} more characters" if left else ""
    parts = [*_named(found), Content(""), Content.styled(text + more, "$cb-text")]
    for by, name in ((-1, "previous"), (1, "next")):
        neighbour = next((other for other in document.chunks if other.position == one.position + by), None)
        label = "none (first passage)" if by < 0 else "none (last passage)"
        excerpt = label if neighbour is None else inline(neighbour.text, _NEIGHBOUR_CHARS)
        parts += [Content(""), Content.assemble((f"{name:<12}", "$cb-dim"), (excerpt, "$cb-dim"))]
    return Content("\n").join([*parts, Content(""), *_named(details)])


def _named(rows: Sequence[tuple[str, str]]) -> list[Content]:
    return [Content.assemble((f"{name:<12}", "$cb-dim"), (inline(value), "$cb-soft")) for name, value in rows]


def _span(span: dict[str, str | int | None]) -> str:
    fields = " ".join(f"{name} {value}" for name, value in span.items() if name != "kind" and value is not None)
    return inline(f"{span.get('kind')} ({fields})", 120)
