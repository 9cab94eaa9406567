"""What this casebook speaks and can do (`schema.v1`), and the JSON Schemas of everything it writes.

`python -m core.flows.system.capabilities --write` generates `core/schemas/*.json` from the types."""

from __future__ import annotations

import json
import platform
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import ClassVar, Final, Literal, cast

from core.base.fault import Fault
from core.base.installation import remedy
from core.base.program import VERSION
from core.store import Store, faults, open_store
from core.store.schema.migrations import SHIPPED
from core.store.sql import value

PACKAGE: Final = "mcp"


def has_mcp() -> bool:
    """Whether the extra `[mcp]` is installed, which `casebook mcp` needs. Imports nothing of it."""
    try:
        return find_spec(PACKAGE) is not None
    except (ImportError, ValueError):
        return False


SCHEMAS = Path(__file__).resolve().parents[2] / "schemas"


@dataclass(frozen=True, slots=True)
class Capability:
    """One thing casebook does, or will do: `planned` ones are refused today, and `missing` ones until what they need is
    installed, as `needs` says (null: nothing)."""

    name: str
    status: Literal["ready", "planned", "missing"]
    about: str
    needs: str | None = None


@dataclass(frozen=True, slots=True)
class Versions:
    """Versions of casebook, of the database schema it writes, and of what it runs on."""

    casebook: str
    database: int
    python: str
    sqlite: str


@dataclass(frozen=True, slots=True)
class Stats:
    """How much the casebook holds, in rows."""

    cases: int
    unresolved: int
    resolutions: int
    occurrences: int
    sessions: int
    messages: int
    tool_calls: int


@dataclass(frozen=True, slots=True)
class LibraryState:
    """What the library holds, how old that is, and the versions that shape it.

    `assets`: different contents; `waiting`: passages that are not embedded; `last_ingest_at`: ISO 8601, null where
    nothing was ever ingested. `languages`, `media`, `code_langs`, `parsers` and `chunkers`: documents of each.
    `embedding_model`: whose vectors there are, null for none. `prompt_template`: what `ask` uses by default.
    """

    documents: int
    passages: int
    assets: int
    sources: int
    waiting: int
    last_ingest_at: str | None
    corpus_revision: int
    languages: Mapping[str, int]
    media: Mapping[str, int]
    code_langs: Mapping[str, int]
    parsers: Mapping[str, int]
    chunkers: Mapping[str, int]
    index_version: str
    embedding_model: str | None
    prompt_template: str


@dataclass(frozen=True, slots=True)
class Capabilities:
    """The objects written, the abilities, the models on this machine, the versions, the stats and the library (both
    null: no casebook)."""

    SCHEMA: ClassVar[str] = "schema.v1"

    wire: tuple[str, ...]
    capabilities: tuple[Capability, ...]
    models: tuple[str, ...]
    versions: Versions
    stats: Stats | None
    library: LibraryState | None = None


CAPABILITIES = (
    Capability("import", "ready", "transcripts of 12 agents (to list them, run: casebook import --help)"),
    Capability("errors", "ready", "identify, search by text, record, list, import and export"),
    Capability("demo", "ready", "sample transcripts, imported and searched"),
    Capability("backup", "ready", "back up, restore, salvage"),
    Capability("curation", "ready", "verify, reject, edit, merge, split and undo"),
    Capability("vectors", "ready", "embedding models and the vector tier"),
    Capability("hooks", "ready", "known fixes shown to agents by hooks"),
    Capability("evidence", "ready", "entries and their quotes, aligned, reviewed and promoted"),
    Capability("alignment", "ready", "quotes aligned with their messages"),
    Capability("rules", "ready", "rules that apply to a tool call, and why"),
    Capability("library", "ready", "notes, documents and code, searched, with citations"),
    Capability("ask", "ready", "grounded answers or a refusal"),
    Capability("ocr", "ready", "text of images and of scanned pages"),
    Capability("team", "ready", "lessons shared with a team through git or a PostgreSQL server"),
    Capability("mcp", "ready", "a stdio MCP server for agents"),
)


def capabilities(database: Path) -> Capabilities:
    """What this casebook speaks and can do. Raises Fault where there is a database that cannot be read."""
    import apsw

    from core.embedding.models.models import on_this_machine

    versions = Versions(VERSION, SHIPPED.version, platform.python_version(), apsw.sqlite_lib_version())
    here = tuple(found.model.id for found in on_this_machine())
    able = tuple(replace(one, status="missing", needs=remedy(one.name)) if _lacks(one) else one for one in CAPABILITIES)
    stats, library = _read_stats(database) or (None, None)
    return Capabilities(schema_names(), able, here, versions, stats, library)


def _lacks(one: Capability) -> bool:
    from core.library.parse.ocr import is_installed

    return (one.name == "mcp" and not has_mcp()) or (one.name == "ocr" and not is_installed())


def schema_names() -> tuple[str, ...]:
    """The names of everything written as JSON."""
    return tuple(sorted(path.name.removesuffix(".json") for path in SCHEMAS.glob("*.json")))


def schema_text(name: str) -> str:
    """Return the JSON Schema called `name`. Raises Fault invalid_input for an unknown name."""
    if name not in schema_names():
        raise Fault("invalid_input", f"schema {name} not found", f"use one of: {', '.join(schema_names())}")
    return (SCHEMAS / f"{name}.json").read_text(encoding="utf-8")


def _read_stats(database: Path) -> tuple[Stats, LibraryState] | None:
    try:
        with open_store(database) as store, faults(database):
            return _stats(store), _library(store)
    except Fault as fault:
        if fault.code == "not_indexed":
            return None
        raise


def _stats(store: Store) -> Stats:
    return Stats(
        _count(store, "error_kb"),
        _count(store, "case_state WHERE status = 'unresolved'"),
        _count(store, "resolution"),
        _count(store, "occurrence"),
        _count(store, "session"),
        _count(store, "message"),
        _count(store, "tool_call"),
    )


def _library(store: Store) -> LibraryState:
    from core.embedding.index.backlog import waiting
    from core.embedding.index.state import read_state
    from core.flows.ask.options import AskOptions
    from core.library.documents.read import corpus_revision
    from core.library.search.fts import index_version, indexed_by
    from core.library.search.hybrid import KIND

    con = store.con
    embedded = read_state(con, KIND)
    return LibraryState(
        documents=_count(store, "documents"),
        passages=_count(store, "chunks"),
        assets=_count(store, "assets"),
        sources=_count(store, "sources"),
        waiting=waiting(con, KIND),
        last_ingest_at=cast("str | None", value(con, "SELECT max(finished_at) FROM ingest_runs")),
        corpus_revision=corpus_revision(con),
        languages=_counts(store, "lang"),
        media=_counts(store, "media_type"),
        code_langs=_counts(store, "code_lang"),
        parsers=_counts(store, "parser_version"),
        chunkers=_counts(store, "chunker_version"),
        index_version=index_version(indexed_by(con)),
        embedding_model=None if embedded is None else embedded.model,
        prompt_template=AskOptions().template,
    )


def _counts(store: Store, column: str) -> dict[str, int]:
    """Documents by the value of a column, the most frequent first."""
    rows = store.con.execute(
        f"SELECT {column}, count(*) FROM documents WHERE {column} <> '' GROUP BY 1 ORDER BY 2 DESC, 1"
    ).fetchall()
    return dict(cast("list[tuple[str, int]]", rows))


def _count(store: Store, what: str) -> int:
    row = store.con.execute(f"SELECT count(*) FROM {what}").fetchone()
    return 0 if row is None else int(row[0])


def wire_types() -> dict[str, tuple[type, ...]]:
    """Everything written as JSON, by name. Two types may share one, if they write the same fields."""
    from core.align.alignment import AlignResult
    from core.base.config.settings_sources import Config
    from core.base.reports import ConfigFile
    from core.base.wire import ErrorObject, FileReport
    from core.embedding.models.calibrate import Calibration
    from core.embedding.models.model_report import ModelList, ModelReport
    from core.embedding.runtime.report import EmbedReport
    from core.embedding.service.client import ModelService
    from core.errors import Case, CaseList, Identity, Recorded, SearchAnswer
    from core.errors.curation.history import History
    from core.errors.curation.transaction import Curated
    from core.errors.curation.triage import QueuePage
    from core.errors.exchange.case_export import Exported
    from core.errors.exchange.fixes import PortableFix
    from core.evidence.entries import EntryPage
    from core.evidence.promotion import Promoted, PromotedMany
    from core.evidence.realign import SessionAligned
    from core.evidence.review.decisions import Decided
    from core.evidence.review.detail import Entry, Quote
    from core.evidence.review.queue import QuotePage
    from core.flows.agent_file import SyncedFiles
    from core.flows.corrections.drafts import RuleDrafts
    from core.flows.harvest.events import TranscriptHarvest
    from core.flows.hook.registration import HooksReport
    from core.flows.plugin import Plugin
    from core.flows.rules.matcher import RuleEdit
    from core.flows.system.demo import Demo
    from core.flows.system.doctor import Diagnosis
    from core.flows.system.evidence import EvidenceAdded
    from core.flows.system.history import UndoResult
    from core.flows.transcripts.report import ImportAgain, ImportReport, Progress
    from core.rules.evaluation.clusters import Clusters
    from core.rules.evaluation.compare import Comparison
    from core.rules.format.rule import RuleList
    from core.rules.matching.api import RuleMatch

    kinds: tuple[type, ...] = (
        AlignResult, Decided, Entry, EntryPage, EvidenceAdded, Promoted, PromotedMany, Quote, QuotePage,
        SessionAligned, Calibration, Capabilities, Case, CaseList, Config, ConfigFile, Curated, Demo, Diagnosis,
        EmbedReport, ErrorObject, Exported, FileReport, History, HooksReport, Identity, ImportReport, ModelList,
        ModelReport, ModelService, PortableFix, Progress, QueuePage, Recorded, SearchAnswer, UndoResult, Clusters,
        Comparison, RuleList, RuleMatch, RuleEdit, TranscriptHarvest, ImportAgain, RuleDrafts, SyncedFiles,
        Plugin,
    )  # fmt: skip
    found: dict[str, tuple[type, ...]] = {}
    for kind in (*kinds, *_lesson_types(), *_library_types()):
        name = cast("str", getattr(kind, "SCHEMA"))  # noqa: B009  every one of them names itself
        found[name] = (*found.get(name, ()), kind)
    return found


def _lesson_types() -> tuple[type, ...]:
    """Lessons, and what failures and answers were worth."""
    from core.errors.lessons import Lesson
    from core.errors.practice import PracticeList
    from core.flows.insights.report import Insights, SessionStrip, Worked
    from core.flows.lessons import LessonRecorded
    from core.flows.replay import Replay
    from core.flows.team.check import TeamCheck
    from core.flows.team.export import TeamExport, TeamPreview
    from core.flows.team.importing import TeamImport
    from core.flows.team.merging import TeamMerge
    from core.flows.team.start import TeamInit
    from core.flows.team.sync.holding import TeamHold
    from core.flows.team.sync.indexing import TeamIndex
    from core.flows.team.sync.session import TeamSync
    from core.flows.team.sync.setup import TeamJoined, TeamLeft, TeamMade, TeamStatus
    from core.flows.team.sync.sharing import TeamServerPreview

    git = TeamCheck, TeamExport, TeamImport, TeamInit, TeamMerge, TeamPreview
    team = *git, TeamHold, TeamIndex, TeamJoined, TeamLeft, TeamMade, TeamServerPreview, TeamStatus, TeamSync
    return Insights, Lesson, LessonRecorded, PracticeList, Replay, SessionStrip, Worked, *team


def _library_types() -> tuple[type, ...]:
    """What the library writes. The six kinds of citation share one name."""
    from core.library.ask.answer import Answer, AnswerEvent
    from core.library.ask.store import SessionDeleted, SessionList, StoredSession
    from core.library.citations.citation import (
        CaptionCitation,
        CodeCitation,
        LineCitation,
        PageCitation,
        RegionCitation,
        TimeCitation,
    )
    from core.library.citations.store import FilePlace
    from core.library.documents.opened import Fetched
    from core.library.evaluation import Evaluation
    from core.library.ingest.ocr_data import OcrData
    from core.library.ingest.report import IngestEvent, IngestReport
    from core.library.ingest.write import ResetReport
    from core.library.search.inspect import ChunkInspection, DocInspection, DocPage, DocSummary, IndexReport
    from core.library.search.rows import BriefBulk, BriefResponse, BulkItem, BulkResponse, SearchHit, SearchResponse

    return (
        CaptionCitation, CodeCitation, PageCitation, RegionCitation, TimeCitation, LineCitation,
        BriefBulk, BriefResponse, BulkItem, BulkResponse,
        ChunkInspection, DocInspection, DocPage, DocSummary, Evaluation, IndexReport,
        Answer, AnswerEvent, SessionDeleted, SessionList, StoredSession,
        Fetched, FilePlace, IngestEvent, IngestReport, OcrData, ResetReport, SearchHit, SearchResponse,
    )  # fmt: skip


def generated() -> dict[str, str]:
    """File name and content of every schema, as the types have it now."""
    return {f"{name}.json": _text(kinds) for name, kinds in sorted(wire_types().items())}


def _text(kinds: tuple[type, ...]) -> str:
    """The schema of the types of one name: required is what every one writes, any other field may be there."""
    from core.base.wire import json_schema

    schema = json_schema(kinds[-1])
    for kind in kinds[:-1]:
        also = json_schema(kind)
        schema["required"] = [name for name in schema["required"] if name in also["required"]]
        for name, found in also["properties"].items():
            here = schema["properties"].setdefault(name, found)
            if here != found:
                schema["properties"][name] = {"anyOf": [*here.get("anyOf", [here]), found]}
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def main(argv: list[str]) -> int:
    """Write the schemas (`--write`), or say which are out of date and return 1."""
    current = generated()
    there = {path.name: path.read_text(encoding="utf-8") for path in SCHEMAS.glob("*.json")}
    stale = sorted(name for name in current.keys() | there.keys() if current.get(name) != there.get(name))
    for name in stale:
        sys.stdout.write(f"{name}\n")
        if "--write" in argv and name in current:
            (SCHEMAS / name).write_text(current[name], encoding="utf-8")
        elif "--write" in argv:
            (SCHEMAS / name).unlink()
    return 0 if "--write" in argv or not stale else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
