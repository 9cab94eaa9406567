"""Sessions and entries for the tests of the evidence."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

from core.align import ExtractedEntry, ExtractedQuote
from core.store import Store

SESSION = "0f3c4143-7441-447e-8623-0ca66acb766d"
MESSAGES = (
    "Why does the deploy fail?",
    "The deploy fails because the release script reads the port from PORT, and PORT is not set in staging.",
    "배포 스크립트는 스테이징에서 PORT 값을 읽지 못하면 8080 번 포트를 쓰지 않고 멈춥니다.",
    "We agreed: retries stay at 3. Again: retries stay at 3. The timeout is 30 seconds.",
    "Set PORT in the staging manifest, then deploy again; nothing else has to change.",
)
ALIGNED = (1, "the release script reads the port from PORT")
FLAGGED = (4, "Set PORT in the production manifest, then deploy again; nothing else has to change.")
AMBIGUOUS = (3, "retries stay at 3")
NEAR = (1, "The deploy breaks since the publishing script takes its port out of PORT, and it is unset in staging")
FAILED = (0, "Kubernetes evicted the pod for lack of memory")
KOREAN = (2, "스테이징에서 PORT 값을 읽지 못하면")
MISSING = (99, "a message that nobody wrote at all")
EVERY = (ALIGNED, FLAGGED, AMBIGUOUS, NEAR, FAILED, KOREAN, MISSING)
"""A quote for each way in which one can come out."""


def add_messages(store: Store, texts: Sequence[str], session: str = SESSION) -> None:
    """Append messages to a session, making it if it is not there."""
    with store.transaction() as con:
        con.execute("INSERT OR IGNORE INTO session(id, agent) VALUES (?, 'plain')", (session,))
        row = con.execute("SELECT coalesce(max(idx) + 1, 0) FROM message WHERE session_id = ?", (session,)).fetchone()
        start = int(str(row[0] if row else 0))
        for at, text in enumerate(texts, start):
            con.execute(
                "INSERT INTO message(session_id, idx, role, kind, text, uuid, block, ts, sha256)"
                " VALUES (?, ?, 'user', 'text', ?, '', 0, '', ?)",
                (session, at, text, sha256(text.encode("utf-8", "replace")).hexdigest()),
            )


def replace_messages(store: Store, texts: Sequence[str], session: str = SESSION) -> None:
    """The same session, imported again as it is now."""
    with store.transaction() as con:
        con.execute("DELETE FROM message WHERE session_id = ?", (session,))
    add_messages(store, texts, session)


def entry(name: str, *quotes: tuple[int | None, str], kind: str = "fact") -> ExtractedEntry:
    """An entry as an extractor gives it."""
    return ExtractedEntry(name, kind, f"about {name}", tuple(ExtractedQuote(index, text) for index, text in quotes))


def states(store: Store) -> dict[int, str]:
    """The state of every quote as the queue has it."""
    return {int(row[0]): str(row[1]) for row in store.con.execute("SELECT evidence_id, state FROM review")}  # pyright: ignore[reportArgumentType]


TRUTH = {
    "entry": "SELECT id, session_id, type, title, stage, created, updated FROM entry ORDER BY id",
    "evidence": "SELECT * FROM evidence ORDER BY id",
    "alignment": "SELECT * FROM alignment ORDER BY evidence_id",
    "review": "SELECT * FROM review ORDER BY evidence_id",
    "counts": "SELECT * FROM review_count ORDER BY 1, 2, 3",
    "event": "SELECT * FROM event ORDER BY id",
}


def everything(store: Store) -> dict[str, list[tuple[object, ...]]]:
    """All rows that the evidence consists of."""
    return {name: [tuple(row) for row in store.con.execute(sql)] for name, sql in TRUTH.items()}
