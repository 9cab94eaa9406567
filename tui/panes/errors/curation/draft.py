"""The text that is being written: what it started from, its fields in words, and the copy that survives a crash."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from tui.panes.errors.queries import Read
from tui.render.common.untrusted import inline
from tui.runtime.jobs import Job

if TYPE_CHECKING:
    from core.errors import Source
    from core.errors.curation.autosave import Scratch, Writer
    from core.errors.curation.decisions import Candidate
    from core.errors.curation.transaction import Seen, Written
    from tui.panes.errors.curation.controller import Curating


@dataclass(frozen=True, slots=True)
class Draft:
    """What the person had before them: the case, the fix they saw (`base`; None: none)."""

    case_id: int
    seen: Seen
    base: Written | None

    @staticmethod
    def of(read: Read) -> Draft:
        """From a case as it was read."""
        from core.errors.curation.transaction import Written, seen_with, written_of

        seen = seen_with(read.case, read.shown, read.at)
        found = next((one for one in read.case.resolutions if one.id == seen.resolution_id), None)
        base = written_of(found) if found is not None else None
        if base is None and (read.case.resolution or "").strip() and read.case.status != "noise":
            base = Written(read.case.resolution or "", read.case.resolved_by, read.case.tool_sequence)
        return Draft(read.case.id, seen, base)

    def resumed(self, kept: Scratch) -> Draft:
        """Going on with what was typed on top of another fix: saving says if that is not the one that answers."""
        if kept.base == self.seen.resolution_id:
            return self
        return replace(
            self, seen=replace(self.seen, resolution_id=kept.base, fingerprint=kept.fingerprint, status=None)
        )

    def changed(self) -> Callable[[Job[bool]], bool]:
        """Whether another fix answers by now."""

        def work(job: Job[Any]) -> bool:
            from core.errors.curation.transaction import look

            now = look(job.store().con, self.case_id, self.seen.fingerprint)
            return now.resolution_id != self.seen.resolution_id

        return work


@dataclass(frozen=True, slots=True)
class Fields:
    """The fields of a fix, each as a person types it on one line."""

    by: str = ""
    tools: str = ""
    tags: str = ""
    source: str = ""

    @staticmethod
    def of(written: Written) -> Fields:
        """The fields of a fix."""
        return Fields(
            inline(written.resolved_by or ""),
            inline(", ".join(written.tool_sequence)),
            inline(", ".join(written.tags)),
            _place(written.source),
        )

    def named(self) -> dict[str, str]:
        """Each field by its name."""
        return asdict(self)

    def written(self, text: str, base: Written | None) -> Written:
        """The fix with this text; a field that was not touched keeps what it held, sign by sign."""
        from core.errors.curation.transaction import Written

        made = Written(text, self.by.strip() or None, _names(self.tools), _names(self.tags), _source(self.source))
        if base is None:
            return made
        was = Fields.of(base)
        if self.by == was.by:
            made = replace(made, resolved_by=base.resolved_by)
        if self.tools == was.tools:
            made = replace(made, tool_sequence=base.tool_sequence)
        if self.tags == was.tags:
            made = replace(made, tags=base.tags)
        if self.source == was.source:
            made = replace(made, source=base.source)
        return made


@dataclass(frozen=True, slots=True)
class Opened:
    """What the editor is told when it opens: what was typed and never saved, and the similar cases.

    `elsewhere`: another window that is open has a text of its own for this case.
    """

    typed: Scratch | None
    elsewhere: bool
    alike: tuple[Candidate, ...] = ()


def open_draft(case_id: int, curating: Curating) -> Callable[[Job[Opened]], Opened]:
    """Go on with what was typed before, unless another window is at it; look for cases that are alike."""

    def work(job: Job[Any]) -> Opened:
        from core.errors.retrieval.vector_tier import AlsoFor

        writer = curating.writer
        kept = writer.kept(case_id)
        opened = Opened(writer.take(kept.free[0]) if kept.free else None, bool(kept.living))
        job.partial(opened)  # who types already must not have it put over that
        return replace(opened, alike=curating.meaning.ask(job, AlsoFor(case_id)))

    return work


def keep_typed(draft: Draft, writer: Writer, written: Written) -> Callable[[Job[None]], None]:
    """Keep what is typed where a crash cannot take it."""

    def work(_job: Job[Any]) -> None:
        from core.errors.curation.autosave import Scratch

        seen = draft.seen
        writer.keep(Scratch(draft.case_id, writer.name, written, seen.resolution_id, seen.fingerprint))

    return work


def drop_typed(draft: Draft, writer: Writer) -> Callable[[Job[None]], None]:
    """It is in the casebook, or not wanted: forget the copy."""
    return lambda _job: writer.drop(draft.case_id)


def _names(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def _place(source: Source) -> str:
    """A session and its messages, as the command line takes them: `SESSION:12,13`."""
    return f"{inline(source.session)}:{','.join(map(str, source.messages))}" if source.session else ""


def _source(text: str) -> Source:
    from core.errors.retrieval.answer import Source

    session, _, numbers = text.strip().rpartition(":")
    messages = _numbers(numbers)
    if not session or not messages:
        return Source(text.strip().rstrip(":") or None, ())
    return Source(session, messages)


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in _names(text) if part.isascii() and part.isdigit() and len(part) < 16)
