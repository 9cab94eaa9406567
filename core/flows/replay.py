"""Replay (`replay.v1`): what casebook would have answered, had it been there before each session.

Transcripts are imported in order of time into a temporary casebook, and each failure is searched for before its session
is imported. Your own casebook is neither read nor written."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import ClassVar, Final, NamedTuple

from core.base.fault import Fault
from core.base.reports import SkippedLine
from core.embedding.runtime.query_model import VectorSearch
from core.errors.identity.fingerprint import fingerprint, normalize_error
from core.errors.retrieval.answer import Confidence, Status, Tier
from core.errors.retrieval.api import search
from core.flows.harvest.events import JudgedResult
from core.flows.transcripts.api import import_transcripts
from core.flows.transcripts.files import (
    Position,
    Source,
    TranscriptFile,
    batches,
    files_to_read,
    source_of,
    stored_name,
)
from core.flows.transcripts.inspection import Inspected, ResultText, inspect_texts
from core.flows.transcripts.opening import NotATranscript, open_regular
from core.flows.transcripts.report import Meter, Progress, Tally
from core.flows.transcripts.rows import records_of
from core.store import Store, faults, open_store
from core.text import redact
from core.transcripts import Message, SessionStart, Skipped

_EVIDENCE: Final = ("**Why**", "**Done by a person**", "**Linked**", "**Checked**", "**instead of**")
"""Sections of a fix that say what it rests on, not what to do."""
_FENCE: Final = re.compile(r"(`{3,})")
_SPAN: Final = re.compile(r"(`{1,9}) ?([^\n]{1,400}?) ?\1(?!`)")
_NAME: Final = re.compile(r"[A-Za-z_]\w{2,80}")
_LIKE: Final = 0.5
"""Share of the lines, or of the names, of the shorter fix that the other one must have."""


@dataclass(frozen=True, slots=True)
class FixSteps:
    """What a fix says to do: commands with what varies masked, files, and the lines it adds and removes."""

    commands: frozenset[str] = frozenset()
    files: frozenset[str] = frozenset()
    lines: frozenset[str] = frozenset()

    @property
    def names(self) -> frozenset[str]:
        """The identifiers in its lines."""
        return frozenset(name for line in self.lines for name in _NAME.findall(line))


def steps_of(text: str) -> FixSteps:
    """What the Markdown of a fix says to do."""
    commands, files, lines = set[str](), set[str](), set[str]()
    evidence, fence = False, ""
    for line in text.split("\n"):
        if fence:
            if line.startswith(fence):
                fence = ""
            elif line[:1] in ("+", "-") and (changed := " ".join(line[1:].split())):
                lines.add(f"{line[0]} {changed}")
            continue
        if (opened := _FENCE.match(line)) is not None:
            fence = opened[1]
            continue
        if line.startswith("**"):
            evidence = line.startswith(_EVIDENCE)
        if evidence:
            continue
        spans = [span[2] for span in _SPAN.finditer(line)]
        if line.startswith("**Change**"):
            files.update(map(_base, spans))
        else:
            commands.update(filter(None, map(fingerprint, spans)))
    return FixSteps(frozenset(commands), frozenset(files), frozenset(lines))


def agreement(known: str, real: str) -> tuple[bool | None, str]:
    """Whether the fix that was `known` says what the `real` one did, and why; None where they cannot be compared."""
    suggested, done = steps_of(known), steps_of(real)
    if not (suggested.commands or suggested.lines) or not (done.commands or done.lines):
        return None, "One of the two fixes names neither a command nor a changed line."
    if shared := suggested.commands & done.commands:
        return True, f"Same command: {min(shared)}"
    if _overlap(suggested.lines, done.lines) >= _LIKE:
        return True, "Same changed lines."
    if shared := suggested.files & done.files:
        if _overlap(suggested.names, done.names) >= _LIKE:
            return True, f"Same file and names: {min(shared)}"
        return False, f"Same file, other changes: {min(shared)}"
    if suggested.commands and done.commands:
        return False, f"Other command: {min(suggested.commands)} instead of {min(done.commands)}"
    return False, "Other changes."


def _overlap(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / min(len(one), len(other)) if one and other else 0.0


def _base(path: str) -> str:
    return re.split(r"[/\\]", path)[-1]


@dataclass(frozen=True, slots=True)
class Answered:
    """Failures that were answered, by confidence."""

    high: int = 0
    low: int = 0


@dataclass(frozen=True, slots=True)
class ReplayMatch:
    """The case that answers a failure. `session`: where its fix comes from; null for one that was recorded."""

    case_id: int
    tier: Tier
    confidence: Confidence
    status: Status | None
    fix: str
    session: str | None


@dataclass(frozen=True, slots=True)
class ReplayItem:
    """A failure that is no slip, as it was asked before its session was imported.

    `line` is the transcript's line of the result, from 1. `known`: the same error was imported before. `fix` is what
    fixed it in this session, null where nothing did. `agreed`: the answer says the same; null where that cannot be
    compared. `reason` says why.
    """

    session: str
    file: str
    line: int
    key_line: str
    command: str
    minutes: float
    known: bool
    match: ReplayMatch | None
    fix: str | None
    agreed: bool | None
    reason: str


@dataclass(frozen=True, slots=True)
class Replay:
    """Sessions in order of time, each asked against those before it.

    `failures` are the incidents that are no slips, each counted once a session; `known_before` those whose error was
    imported before. `minutes_spent_on_known` is what these cost. `canceled`: stopped before the last session.
    """

    SCHEMA: ClassVar[str] = "replay.v1"

    sessions: int
    failures: int
    known_before: int
    answered: Answered
    agreed: int
    disagreed: int
    minutes_spent_on_known: float
    items: tuple[ReplayItem, ...]
    skipped: tuple[SkippedLine, ...] = ()
    canceled: bool = False


def report_of(
    sessions: int, items: tuple[ReplayItem, ...], skipped: tuple[SkippedLine, ...], *, canceled: bool
) -> Replay:
    """The counts of a replay's items."""
    matches = [item.match for item in items if item.match is not None]
    high = sum(match.confidence == "high" for match in matches)
    return Replay(
        sessions=sessions,
        failures=len(items),
        known_before=sum(item.known for item in items),
        answered=Answered(high, len(matches) - high),
        agreed=sum(item.agreed is True for item in items),
        disagreed=sum(item.agreed is False for item in items),
        minutes_spent_on_known=round(sum(item.minutes for item in items if item.known), 1),
        items=items,
        skipped=skipped,
        canceled=canceled,
    )


_LIMIT: Final = 2_000
"""Code points of a fix that an item shows."""

_HEAD: Final = 100
"""Lines of a transcript of which one has a time."""

AfterImport = Callable[[Path], None]
"""What to do with the temporary casebook once a session is in it: compute its embeddings."""


class _Transcript(NamedTuple):
    """A transcript to play, ordered by when its session started."""

    started: str
    name: str
    found: TranscriptFile


@dataclass(slots=True)
class _Play:
    """A replay that is under way: its casebook, and what it has found."""

    store: Store
    vectors: VectorSearch | None
    sessions: set[str] = field(default_factory=set[str])
    items: list[ReplayItem] = field(default_factory=list[ReplayItem])
    skipped: list[SkippedLine] = field(default_factory=list[SkippedLine])


def replay(
    paths: Sequence[Path | str],
    *,
    vectors: VectorSearch | None = None,
    after_import: AfterImport | None = None,
    on_progress: Callable[[Progress], None] | None = None,
    cancelled: Callable[[], bool] = lambda: False,
) -> Replay:
    """Ask every failure of the transcripts at `paths` against the sessions that started before its own.

    `vectors` is what the vector tier searches with; without it only the text tiers are asked. `after_import` is called
    with the temporary casebook after each session. `cancelled` is asked between two transcripts. What cannot be read
    is listed in the report. Raises Fault: invalid_input for a path that does not exist, io_error from the store.
    """
    tally = Tally()
    transcripts = sorted(_transcripts(files_to_read(None, paths, tally), tally))
    meter = Meter(on_progress, "replay", sum(one.found.size for one in transcripts))
    done, canceled = 0, False
    with TemporaryDirectory(prefix="casebook-replay-") as folder:
        database = Path(folder) / "casebook.db"
        with open_store(database, write=True, create=True) as store:
            play = _Play(store, vectors)
            for one in transcripts:
                canceled = canceled or cancelled()
                if canceled:
                    break
                _play(play, one.found.path)
                if after_import is not None:
                    after_import(database)
                done += one.found.size
                meter.at(done, one.name)
            meter.at(done, force=True)
    skipped = (*tally.report(canceled=canceled).skipped, *play.skipped)
    return report_of(len(play.sessions), tuple(play.items), skipped, canceled=canceled)


def _transcripts(files: list[TranscriptFile], tally: Tally) -> Iterator[_Transcript]:
    """Each file that is a transcript, with the time its session started."""
    for found in files:
        name = stored_name(found.path)
        try:
            with open_regular(found.path) as file:
                source = source_of(file, found.path, None, named=found.named)
                started = _started(source) if source is not None else ""
        except NotATranscript as why:
            tally.skip(name, 0, str(why))
        except OSError as error:
            tally.skip(name, 0, f"cannot be read: {error.strerror or error}")
        else:
            if source is not None:
                yield _Transcript(started, name, found)


def _started(source: Source) -> str:
    """When the session started: what its transcript says, else the time of its first message."""
    if source.start.started:
        return source.start.started
    head = next(batches(source, Position()), None) or []
    for record in records_of(source.agent, source.start, head[:_HEAD], lambda uuid: None):
        if isinstance(record, SessionStart):
            ts = record.started
        else:
            ts = "" if isinstance(record, Skipped) else (record if isinstance(record, Message) else record.message).ts
        if ts:
            return ts
    return ""


def _play(play: _Play, path: Path) -> None:
    """Ask the failures of one transcript, then import it."""
    try:
        inspected = inspect_texts(path)
    except Fault as fault:
        play.skipped.append(SkippedLine(stored_name(path), 0, fault.message))
        return
    play.sessions.add(inspected.harvest.session)
    play.items += [_ask(play, inspected, result) for result in _incidents(play.store, inspected)]
    import_transcripts(play.store, "auto", [path])


def _incidents(store: Store, inspected: Inspected) -> Iterator[JudgedResult]:
    """The first result of each incident that is no slip. What a resumed session repeats was asked before."""
    last: dict[str, int | None] = {}
    for result in inspected.harvest.results:
        text = inspected.texts.get((result.line, result.tool_use_id))
        if result.verdict != "incident" or result.worth == "slip" or not result.keys or text is None:
            continue
        named = fingerprint(result.keys[0].text)
        checked = result.fix.checked_line if result.fix is not None else None
        repeated = named in last and last[named] == checked  # the same end: the same incident goes on
        last[named] = checked
        if not repeated and not _is_imported(store, inspected, text):
            yield result


def _is_imported(store: Store, inspected: Inspected, text: ResultText) -> bool:
    """Return whether the casebook has the message already: this session continues another one."""
    sql = (
        "SELECT EXISTS (SELECT 1 FROM message WHERE uuid = ?1 AND block = ?2 AND uuid <> '')"
        " OR EXISTS (SELECT 1 FROM message WHERE session_id = ?3 AND sha256 = ?4)"
    )
    bindings = (text.uuid, text.block, inspected.start.continues or "", text.sha)
    with faults(store.path):
        row = store.con.execute(sql, bindings).fetchone()
    return row is not None and bool(row[0])


def _ask(play: _Play, inspected: Inspected, result: JudgedResult) -> ReplayItem:
    """Search for a failure as a hook would, and compare the answer with what fixed it."""
    text = inspected.texts[result.line, result.tool_use_id].text
    hit = search(play.store, text, count=False, vectors=play.vectors).match
    match = None
    if hit is not None:
        fix = redact(hit.resolution or "")[:_LIMIT]
        match = ReplayMatch(hit.id, hit.tier, hit.confidence, hit.status, fix, hit.source.session)
    known = match is not None or _has_case(play.store, result.keys[0].text)
    real = result.fix.text[:_LIMIT] if result.fix is not None else None
    agreed, reason = _compared(match, real, known=known)
    return ReplayItem(
        session=inspected.harvest.session,
        file=inspected.harvest.file,
        line=result.line,
        key_line=result.keys[0].text,
        command=result.command,
        minutes=round(result.cost.seconds / 60, 2),
        known=known,
        match=match,
        fix=real,
        agreed=agreed,
        reason=reason,
    )


def _has_case(store: Store, key_line: str) -> bool:
    """Whether an error of this name is in the casebook, with a fix or without one."""
    sql = (
        "SELECT EXISTS (SELECT 1 FROM fingerprint WHERE fingerprint = ?)"
        " OR EXISTS (SELECT 1 FROM case_key WHERE error_normalized = ?)"
    )
    with faults(store.path):
        row = store.con.execute(sql, (fingerprint(key_line), normalize_error(key_line))).fetchone()
    return row is not None and bool(row[0])


def _compared(match: ReplayMatch | None, real: str | None, *, known: bool) -> tuple[bool | None, str]:
    if match is None:
        return None, "Seen before, but no fix is known." if known else "Not seen before."
    if real is None:
        return None, "Not fixed in this session."
    return agreement(match.fix, real)
