"""The demonstration: the sample transcripts through the real importer, then searches whose answers show their trace."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from core.align.input import read_extracted
from core.base.config.settings import EmbeddingSettings
from core.base.fault import Fault
from core.errors import SearchAnswer, search
from core.evidence.review.detail import Quote, show_quote
from core.evidence.review.queue import QuoteFilters, list_quotes
from core.flows.ingest.api import ingest
from core.flows.rules.matcher import RuleMatcher
from core.flows.system.evidence import add_extracted, align_due
from core.flows.system.vectors import vector_search
from core.flows.team.fresh import mark_samples
from core.flows.transcripts.api import import_transcripts
from core.flows.transcripts.report import ImportReport, Progress
from core.library.search.api import SearchQuery
from core.library.search.api import search as search_library
from core.library.search.rows import SearchResponse
from core.rules.evaluation.labels import label_file, read_labelled
from core.rules.matching.api import RuleMatch
from core.samples import (
    DEMO_EXTRACTED,
    DEMO_IN_OTHER_WORDS,
    DEMO_LIBRARY,
    DEMO_QUERIES,
    DEMO_SESSION,
    DEMO_TO_REVIEW,
    sample_notes,
    sample_paths,
    sample_rules,
)
from core.store import open_store

_CALLS = (2, 3, 7)
"""The sample calls that are matched: a push, a workflow file in Korean words, and one that only looks."""
_SHOWN = ("decision", "fact")
"""Types of the two shown entries; the others stay in the review, and the harvest makes the type `fix`."""


@dataclass(frozen=True, slots=True)
class Demo:
    """What the demonstration did: the import, and the answers to its questions, in order.

    The last question is one in other words. `model` embedded the cases for it; empty where none could, and
    `without_model` says why, and what mends it. `quotes`: those of its two entries, one aligned, one flagged.
    `library`: what its questions found in the sample notes. `rules`: which sample rules three tool calls meet; the last
    one meets none.
    """

    SCHEMA: ClassVar[str] = "demo.v1"

    report: ImportReport
    answers: tuple[SearchAnswer, ...]
    model: str = ""
    without_model: str = ""
    quotes: tuple[Quote, ...] = ()
    library: tuple[SearchResponse, ...] = ()
    rules: tuple[RuleMatch, ...] = ()


def fill_demo(database: Path, on_progress: Callable[[Progress], None] | None = None) -> ImportReport:
    """Import the samples, entries as a model may have extracted them, and the notes, into a new casebook.

    Raises Fault.
    """
    with open_store(database, write=True, create=True) as store:
        report = import_transcripts(store, "auto", sample_paths(), on_progress=on_progress)
        align_due(store, on_progress=on_progress)
        for session, extracted in ((DEMO_SESSION, DEMO_EXTRACTED), *DEMO_TO_REVIEW):
            add_extracted(store, session, read_extracted(extracted))
        ingest(store, [sample_notes()])
        mark_samples(store)
    return report


def fill_demo_rules(database: Path) -> Path:
    """Write a disposable rule file next to the casebook, and labelled calls for it. Raises OSError."""
    rules, calls = sample_rules()
    place = database.with_name("rules.md")
    shutil.copyfile(rules, place)
    shutil.copyfile(calls, label_file(database))
    return place


def run_demo(
    database: Path,
    on_progress: Callable[[Progress], None] | None = None,
    settings: EmbeddingSettings = EmbeddingSettings(),  # noqa: B008  frozen
) -> Demo:
    """Import the samples, embed them where there is a model, and ask the demonstration's questions. Raises Fault."""
    report = fill_demo(database, on_progress)
    model, why_not = _embedded(database, settings, on_progress)
    with open_store(database, write=True) as store, vector_search(settings, "process") as vectors:
        answers = [search(store, query) for query in DEMO_QUERIES]
        answers.append(search(store, DEMO_IN_OTHER_WORDS, vectors=vectors))
        rows = [row for kind in _SHOWN for row in list_quotes(store, QuoteFilters(type=kind)).quotes]
        quotes = tuple(quote for row in rows if (quote := show_quote(store, row.id)))
        queries = (SearchQuery(text, "lexical", k=2, explain=True) for text in DEMO_LIBRARY)
        found = tuple(search_library(store, query) for query in queries)
    return Demo(report, tuple(answers), model, why_not, quotes, found, _matched(database, settings))


def _matched(database: Path, settings: EmbeddingSettings) -> tuple[RuleMatch, ...]:
    """Three of the sample calls, matched with the sample rules."""
    rules, calls = sample_rules()
    kept = [one.call for one in read_labelled(calls)]
    with RuleMatcher([(rules, "project")], database, vector_search(settings, "process")) as matcher:
        return tuple(matcher.match(kept[at]) for at in _CALLS)


def _embedded(
    database: Path, settings: EmbeddingSettings, on_progress: Callable[[Progress], None] | None
) -> tuple[str, str]:
    """The model that has embedded the samples; or none, and why."""
    from core.embedding.models.models import Absent, current

    found = current(settings)
    if isinstance(found, Absent):
        return "", f"{found.reason} (run: {found.remedy})"
    from core.flows.system.embedding import embed_pending

    try:
        embed_pending(database, settings=settings, threads=settings.threads, progress=on_progress)
    except Fault as fault:
        return "", f"{fault.message} ({fault.hint})" if fault.hint else fault.message
    return found.model.id, ""
