"""A casebook as an older harvest left it: vague drafts, cases of lines that name no failure, 60 decisions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from core.errors.cases.derived import refresh_case
from core.errors.cases.record import Name, observe
from core.errors.cases.resolutions import Draft, add_drafts
from core.errors.curation.decisions import edit, mark_noise, reject, verify
from core.errors.curation.merging import merge
from core.errors.curation.splitting import split
from core.errors.curation.transaction import Written, look
from core.errors.identity.fingerprint import identify
from core.flows.ingest.api import ingest
from core.flows.system.demo import fill_demo
from core.flows.transcripts.api import import_transcripts
from core.library.citations.store import cite
from core.library.search.api import SearchQuery, search
from core.store import Store, open_store
from tests.flows.harvest.chat import python_error
from tests.flows.harvest.test_session import Transcript

DECIDED = 61
"""Changes in the history: seven kinds of acts."""
WORDS = ("alpha", "beta", "gamma", "delta", "kappa", "lambda", "omega", "sigma", "theta", "zeta")
TABLES = (
    "error_kb", "case_key", "fingerprint", "occurrence", "resolution", "noise", "merged", "entry", "evidence",
    "alignment", "rule", "citation", "result_verdict", "case_state", "answer_key", "session", "message", "tool_call",
    "source_file", "correction", "rule_draft", "practice_finding", "before_run", "hook_event", "review",
    "review_count", "answer_outcome",
)  # fmt: skip
"""Everything but the history, the runs, and what only grows (events, marks of what is due)."""


def transcripts(folder: Path) -> list[Path]:
    """Ten sessions with nine errors each, every one fixed, then a summary line that an older harvest took for one."""
    made: list[Path] = []
    for at, word in enumerate(WORDS):
        chat = Transcript(folder, f"{at:08d}-0000-4000-8000-000000000001")
        for other in WORDS[:9]:
            failure = python_error(f"RuntimeError: the {word} stage lost its {other} table")
            chat.bash(f"python {other}.py", failure, 1).edit(f"{other}.py").bash(f"python {other}.py", "fine")
            chat.bash(f"make {other}", f"fine\nSummary of the {word} {other} stage: 3 warnings left open")
        made.append(chat.save())
    return made


def old_casebook(path: Path) -> None:
    """Import with today's program, then write what an older one would have left, and decide on 60 drafts."""
    fill_demo(path)
    with open_store(path, write=True) as store:
        import_transcripts(store, "auto", transcripts(path.parent / "in"))
        _age(store)
        decide(store, path.parent)


def _age(store: Store) -> None:
    """Drafts without evidence, as before; and two cases of a session from lines that name no failure."""
    with store.transaction() as con:
        con.execute(
            "UPDATE resolution SET text = 'changed ' || id || ' files', original = NULL WHERE author = 'harvest'"
        )
        con.execute("UPDATE error_kb SET resolution = (SELECT text FROM resolution WHERE case_id = error_kb.id)")
        con.execute("DELETE FROM result_verdict")
        sql = (
            "SELECT session_id, idx, text FROM message WHERE text LIKE 'fine%Summary of the%' ORDER BY session_id, idx"
        )
        rows: list[Any] = con.execute(sql).fetchall()
        drafts: list[Draft] = []
        stale: set[int] = set()
        for session, idx, text in (row for at, row in enumerate(rows) if at % 3 == 0):
            line = text.partition("\n")[2]
            found = identify(f"Error: {line}")
            name = Name(line, found.normalized, found.fingerprint, "unknown")
            case_id = observe(
                con, name, session_id=session, message_idx=idx, tool="Bash", project="/home/ana/shop",
                ts="2026-09-01T10:00:00.000Z", start=5, end=5 + len(line), stale=stale,
            )  # fmt: skip
            drafts.append(
                Draft(case_id, name.fingerprint, f"ran make {idx}", "Bash", ("Bash",), session, (idx,), "2026-09-01")
            )
        add_drafts(con, drafts, stale)
        for (case_id,) in con.execute("SELECT id FROM error_kb").fetchall():
            refresh_case(con, int(str(case_id)))


def decide(store: Store, folder: Path) -> None:
    """60 decisions of every kind, half of them on cases that no harvest gives any more."""
    con = store.con

    def cases(like: str) -> list[int]:
        sql = "SELECT DISTINCT case_id FROM fingerprint WHERE key_line LIKE ? ORDER BY case_id"
        return [int(str(row[0])) for row in con.execute(sql, (like,))]

    real, lines = cases("RuntimeError%"), cases("Summary of%")
    for at in range(7):
        a, b = real.pop(), lines.pop(0)
        verify(store, "kim", [look(con, a)])
        edit(store, "kim", [look(con, real.pop())], Written(f"pin it, {at}", tags=("pip",)))
        reject(store, "kim", [look(con, real.pop())], "does not help")
        mark_noise(store, "kim", [look(con, b)], "a summary")
        if at % 2:
            verify(store, "kim", [look(con, lines.pop(0))])
        if at < 5:
            reject(store, "kim", [look(con, lines.pop(0))], "no error")
        if at < 4:
            edit(store, "kim", [look(con, lines.pop(0))], Written(f"ignore it, {at}"))
        mark_noise(store, "kim", [look(con, real.pop())])
    for at in range(6):
        into, other = real.pop(), lines.pop(0) if at % 2 else real.pop()
        merge(store, "kim", look(con, into), [look(con, other)])
        if at < 3:
            marks = con.execute("SELECT fingerprint FROM fingerprint WHERE case_id = ? ORDER BY 1", (into,)).fetchall()
            whole = con.execute("SELECT id FROM resolution WHERE case_id = ? AND fingerprint IS NULL", (into,))
            split(store, "kim", look(con, into), [str(marks[0][0])], keep=[int(str(row[0])) for row in whole])
    page = folder / "notes" / "care.md"
    page.parent.mkdir()
    page.write_text("# Care\n\nInstall the module into the environment of the service, then run it again.\n")
    ingest(store, [page.parent])
    hit = search(store, SearchQuery("install module", "lexical")).hits[0]
    for case_id in real[:5]:
        fix = con.execute("SELECT id FROM resolution WHERE case_id = ?", (case_id,)).fetchone()
        cite(store, "resolution", str(fix[0] if fix else 0), hit.citation.uri, "kim")


def rows(store: Store, tables: tuple[str, ...] = TABLES) -> dict[str, list[tuple[Any, ...]]]:
    """Every row of these tables."""
    there = {str(row[0]) for row in store.con.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    return {
        table: sorted(store.con.execute(f"SELECT * FROM {table}").fetchall(), key=repr)
        for table in tables
        if table in there
    }


def decisions(store: Store) -> dict[str, list[tuple[Any, ...]]]:
    """What people decided: fixes with their words and state, marks, merges, citations, and where their errors are."""
    con = store.con
    kept = (
        "SELECT id FROM resolution WHERE author <> 'harvest' OR status <> 'draft' OR replaced_by IS NOT NULL"
        " OR id IN (SELECT CAST(item_id AS INTEGER) FROM citation WHERE cited_by = 'resolution')"
    )
    cases = (
        f"SELECT case_id FROM resolution WHERE id IN ({kept})"
        " UNION SELECT case_id FROM noise UNION SELECT into_id FROM merged"
    )
    queries = {
        "fixes": f"SELECT * FROM resolution WHERE id IN ({kept}) ORDER BY id",
        "noise": "SELECT * FROM noise ORDER BY 1",
        "merged": "SELECT * FROM merged ORDER BY 1",
        "citations": "SELECT * FROM citation ORDER BY 1",
        "errors": f"SELECT fingerprint, case_id, key_line FROM fingerprint WHERE case_id IN ({cases}) ORDER BY 1",
        "keys": f"SELECT * FROM case_key WHERE case_id IN ({cases}) ORDER BY 1",
        "cases": f"SELECT id, error_normalized, use_count FROM error_kb WHERE id IN ({cases}) ORDER BY 1",
        "seen": "SELECT o.id, o.fingerprint, session_id, message_idx FROM occurrence o JOIN fingerprint"
        f" USING (fingerprint) WHERE case_id IN ({cases}) ORDER BY 1",
    }
    return {name: con.execute(sql).fetchall() for name, sql in queries.items()}
