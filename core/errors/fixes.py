"""How good a fix is: its evidence from the harvest, its rank among others, and the outcomes of showing it.

The evidence decides how strong a fix is (decision 3b). An outcome (`answer_outcome`) is written when the fix is shown
and settled by what the session did afterwards.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, cast

import apsw

from core.store.sql import digest

if TYPE_CHECKING:
    from core.errors.retrieval.answer import Strength, Worth

AUTHOR: Final = "harvest"
AGENT: Final = "agent"
"""The author of a lesson that an agent recorded itself."""
_WORTHS: Final = ("general", "project", "slip", "none")


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a harvest knows of a fix besides its text: kept as JSON in the `original` column of its draft.

    `links`: the session and message of each step and why it belongs to the fix. `attempts`, `messages`, `seconds`: what
    the failure cost until it was gone. `obvious`: the first attempt fixed it, in a file that the message names.
    """

    strength: Strength
    worth: Worth
    links: tuple[tuple[str, int, str], ...] = ()
    attempts: int = 0
    messages: int = 0
    seconds: float = 0.0
    obvious: bool = False

    def to_json(self) -> str:
        return json.dumps({"harvest": asdict(self)}, ensure_ascii=False)


def evidence_of(original: str | None) -> Evidence | None:
    """The evidence in the `original` column of a draft; None for a draft of an older casebook, or no harvested one."""
    try:
        found: object = json.loads(original or "null")
    except ValueError:
        return None
    held = cast("dict[str, object]", found).get("harvest") if isinstance(found, dict) else None
    if not isinstance(held, dict):
        return None
    known = cast("dict[str, Any]", held)
    try:
        links = tuple((str(session), int(message), str(why)) for session, message, why in known.get("links", ()))
        return Evidence(
            strength="strong" if known.get("strength") == "strong" else "weak",
            worth=known["worth"] if known.get("worth") in _WORTHS else "none",
            links=links,
            attempts=int(known.get("attempts", 0)),
            messages=int(known.get("messages", 0)),
            seconds=float(known.get("seconds", 0.0)),
            obvious=known.get("obvious") is True,
        )
    except (TypeError, ValueError):
        return None


def strength_of(author: str, status: str, original: str | None) -> Strength:
    """How strong a fix is (decision 3b): a draft of a harvest or an agent is as strong as its evidence, weak without
    any; a fix that a person wrote or verified, or that was recorded or imported, counts as strong."""
    if author not in (AUTHOR, AGENT) or status != "draft":
        return "strong"
    evidence = evidence_of(original)
    return "weak" if evidence is None else evidence.strength


NO_EVIDENCE: Final = "weak fix: no evidence"
NO_LINK: Final = "weak fix: no step is linked to the error"
UNCERTAIN: Final = "weak fix: uncertain check or uncertain link to the error"
WEAKNESSES: Final = (NO_EVIDENCE, NO_LINK, UNCERTAIN)


def weakness_of(author: str, status: str, original: str | None) -> str:
    """Why a fix is weak, in plain words; empty for a strong one."""
    if strength_of(author, status, original) == "strong":
        return ""
    evidence = evidence_of(original)
    if evidence is None:
        return NO_EVIDENCE
    if not evidence.links:
        return NO_LINK
    return UNCERTAIN


def worth_of(author: str, status: str, original: str | None) -> Worth | None:
    """What a harvest says a draft of its own is worth; None for every other fix, and where it says nothing."""
    evidence = evidence_of(original) if author == AUTHOR and status == "draft" else None
    return None if evidence is None else evidence.worth


Via = Literal["hook", "before_run", "search", "mcp", "workbench"]
Outcome = Literal["helped", "failed_again", "ignored"]
SILENT_AFTER: Final = 3
"""Number of failed uses in a repository after which a fix is no longer shown there."""


class Telling(NamedTuple):
    """A shown fix. `repository`: its repository, else the folder; `withheld`: it was held back."""

    resolution_id: int
    via: Via
    fingerprint: str = ""
    session_id: str | None = None
    repository: str = ""
    withheld: bool = False


class OpenTelling(NamedTuple):
    """A telling whose outcome is not known yet, with the fix as it now reads and what is structured of it."""

    id: int
    resolution_id: int
    case_id: int
    fingerprint: str
    shown_at: str
    text: str
    lesson: str | None


def write_telling(con: apsw.Connection, telling: Telling, ts: str) -> None:
    """Record that a fix was shown at `ts`, inside the caller's transaction; nothing if the fix is gone."""
    version = version_of(con, telling.resolution_id)
    if version:
        con.execute(
            "INSERT INTO answer_outcome(resolution_id, fingerprint, via, session_id, repository, version, told_at,"
            " withheld) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                telling.resolution_id, telling.fingerprint, telling.via, telling.session_id or None,
                telling.repository, version, ts, telling.withheld,
            ),
        )  # fmt: skip


def version_of(con: apsw.Connection, resolution_id: int) -> str:
    """A digest of a fix's text and status: another one after it was changed or verified. Empty where it is gone."""
    row = con.execute("SELECT status, text FROM resolution WHERE id = ?", (resolution_id,)).fetchone()
    if row is None:
        return ""
    return digest("\0".join(map(str, row))).hex()[:16]


def is_silent(con: apsw.Connection, resolution_id: int, repository: str, more: int = 0) -> bool:
    """Whether a fix was performed here three times with the check still red, since it helped here last.

    One that was changed or verified since is told again. `more`: times that were not written yet.
    """
    row = con.execute(
        "SELECT count(*) FROM answer_outcome o WHERE resolution_id = ?1 AND repository = ?2 AND version = ?3"
        " AND performed = 1 AND outcome = 'failed_again' AND id > coalesce((SELECT max(id) FROM answer_outcome"
        "   WHERE resolution_id = ?1 AND repository = ?2 AND outcome = 'helped'), 0)",
        (resolution_id, repository, version_of(con, resolution_id)),
    ).fetchone()
    return row is not None and cast("int", row[0]) + more >= SILENT_AFTER


def is_withheld(session_id: str, resolution_id: int, share: float) -> bool:
    """Whether this fix is held back in this session: the same answer each time, for a `share` of all pairs (0..1)."""
    found = digest(f"{session_id}\0{resolution_id}")
    return int.from_bytes(found[:8], "big") < share * 2**64


_OPEN: Final = "session_id = ? AND outcome IN ('open', iif(?, 'ignored', 'open')) AND via <> 'before_run'"
"""Open records of shown fixes; practice settles the warnings before a run."""


def has_open(con: apsw.Connection, session_id: str, *, ignored: bool = False) -> bool:
    """Whether a telling of this session has no outcome yet, or with `ignored` none but that."""
    found = con.execute(f"SELECT 1 FROM answer_outcome WHERE {_OPEN} LIMIT 1", (session_id, ignored))
    return bool(session_id) and found.fetchone() is not None


def open_tellings(con: apsw.Connection, session_id: str, *, ignored: bool = False) -> tuple[OpenTelling, ...]:
    """The tellings of a session that have no outcome yet, or with `ignored` none but that, the oldest first."""
    rows = con.execute(
        "SELECT o.id, r.id, r.case_id, o.fingerprint, o.told_at, r.text, r.lesson FROM answer_outcome o"
        f" JOIN resolution r ON r.id = o.resolution_id WHERE o.{_OPEN} ORDER BY o.id",
        (session_id, ignored),
    ).fetchall()
    return tuple(OpenTelling(*cast("tuple[int, int, int, str, str, str, str | None]", row)) for row in rows)


def settle_telling(con: apsw.Connection, telling: OpenTelling, outcome: Outcome, ts: str, *, performed: bool) -> None:
    """Write the outcome of a telling, inside the caller's transaction; the case shows the fix that now answers."""
    from core.errors.cases.derived import index_case, mirror_current

    con.execute(
        "UPDATE answer_outcome SET outcome = ?, performed = ?, settled_at = ? WHERE id = ?",
        (outcome, performed, ts, telling.id),
    )
    if outcome != "ignored":
        mirror_current(con, telling.case_id)
        index_case(con, telling.case_id)
