"""The samples: exactly these errors, these fixes, and answers to what the demonstration asks."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.errors import search
from core.flows.transcripts.api import import_transcripts
from core.rules.evaluation.labels import read_labelled
from core.rules.format.book import book_of
from core.rules.format.parse import parse
from core.rules.matching.api import match
from core.samples import DEMO_QUERIES, sample_paths, sample_rules
from core.store import Store, open_store

OPEN = None
EXPECTED = {
    "/home/mina/work/orders-api": [
        ("TypeError: unsupported operand type(s) for *", "Edit"),
        ("ModuleNotFoundError: No module named 'freezegun'", "Bash"),
        ('psql: error: connection to server at "localhost"', "Bash"),
        ('ERROR:  column "tax_cents" does not exist', "Bash"),
        ("! [rejected]        feature/eu-tax -> feature/eu-tax (fetch first)", "Bash"),
        ("psycopg.OperationalError: connection failed", "Edit"),
        ("httpx.ReadTimeout: The read operation timed out", OPEN),
        ("error: Incompatible return value type", "Edit"),
        ('error: Name "ROUND_HALF_UP" is not defined', "Edit"),
        ("F401 [*] `os` imported but unused", "Bash"),
        ('psql: error: connection to server at "localhost"', "Bash"),
    ],
    "/home/mina/work/storefront": [
        ("TypeError: cart.items.reduce is not a function", "Edit"),
        ("error TS2307: Cannot find module '../format'", "Edit"),
        ("error TS2345: Argument of type 'string | null'", "Edit"),
        ("npm error ERESOLVE unable to resolve dependency tree", "Bash"),
        ("React Hook useEffect has a missing dependency: 'sku'", "Edit"),
        ("Error: listen EADDRINUSE: address already in use", "Bash"),
        ('[vite]: Rollup failed to resolve import "dayjs"', "Bash"),
        ("Error: browserType.launch: Executable doesn't exist", OPEN),
    ],
    "/home/mina/work/ingest-rs": [
        ("error[E0502]: cannot borrow `self.buffer` as mutable", "Edit"),
        ("error[E0277]: `Rc<Cache>` cannot be sent", "Edit"),
        ("index out of bounds: the len is 0", "Edit"),
        ("error: failed to run custom build command for `openssl-sys", "Edit"),
        ("Error response from daemon: pull access denied", "Edit"),
        ("error: linking with `cc` failed", OPEN),
    ],
    "C:\\Users\\mina\\작업\\ledger": [
        ("bash: gradlew: command not found", "Bash"),
        ("error: cannot find symbol", "Edit"),
        ('Exception in thread "main" java.lang.NullPointerException', "Edit"),
        ('Exception in thread "main" kr.ledger.RateMissing: 환율 표에', "Edit"),
        ("error: Your local changes to the following files", "Bash"),
        ("fatal: refusing to merge unrelated histories", "Bash"),
    ],
    "/home/mina/work/sensor-fw": [
        ("error: implicit declaration of function 'spi_flush'", "Edit"),
        ("undefined reference to `monotonic_ms'", "Bash"),
        ("make: *** No rule to make target", "Bash"),
        ("CMake Error at CMakeLists.txt:11 (find_package)", "user"),
        ("Segmentation fault", OPEN),
    ],
    "/home/mina/work/gateway": [
        ("cannot use s.listRoutes", "apply_patch"),
        ("panic: assignment to entry in nil map", "apply_patch"),
        ("expected 2 routes after pruning, got 0", "apply_patch"),
        ("missing go.sum entry for module", "exec_command"),
    ],
    "/home/mina/work/weather": [
        ("sqlite3.OperationalError: no such table: readings", "shell"),
        ("UnicodeDecodeError: 'ascii' codec can't decode", "apply_patch"),
        ('service "worker" depends on undefined service "redis"', "apply_patch"),
        ("OSError: [Errno 28] No space left on device", OPEN),
    ],
}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory):
    with open_store(tmp_path_factory.mktemp("demo") / "casebook.db", write=True, create=True) as opened:
        import_transcripts(opened, "auto", sample_paths())
        yield opened


def test_the_samples_hold_exactly_these_errors_and_fixes(store: Store) -> None:
    met = store.con.execute(
        "SELECT project, key_line, (SELECT resolved_by FROM resolution r WHERE r.fingerprint = o.fingerprint"
        "  AND r.session_id IN (SELECT id FROM session WHERE id = o.session_id OR continues = o.session_id))"
        " FROM occurrence o JOIN fingerprint USING (fingerprint)"
    ).fetchall()
    for project, expected in EXPECTED.items():
        found = sorted((str(line), by) for where, line, by in met if where == project)
        wanted = sorted(expected)
        assert len(found) == len(wanted), project
        for (line, by), (start, fixed_by) in zip(found, wanted, strict=True):
            assert line.startswith(start) and by == fixed_by, (line, by)
    assert len(met) == sum(len(errors) for errors in EXPECTED.values())


def test_importing_them_again_changes_nothing(store: Store) -> None:
    again = import_transcripts(store, "auto", sample_paths())
    assert (again.messages, again.errors, again.resolutions, again.skipped) == (0, 0, 0, ())


def test_one_case_was_met_in_two_sessions(store: Store) -> None:
    seen = store.con.execute(
        "SELECT key_line, seen FROM case_state JOIN fingerprint USING (case_id) WHERE seen > 1"
    ).fetchall()
    assert [(str(line)[:11], count) for line, count in seen] == [("psql: error", 2)]


def test_the_invented_passwords_are_nowhere_in_the_casebook(store: Store) -> None:
    tables = [str(name) for (name,) in store.con.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    for table in tables:
        for row in store.con.execute(f'SELECT * FROM "{table}"'):
            assert "invented-" not in " ".join(str(value) for value in row), table


@pytest.mark.parametrize(("query", "tier"), zip(DEMO_QUERIES, ("fingerprint", "exact", "prefix"), strict=True))
def test_what_the_demonstration_asks_is_answered(store: Store, query: str, tier: str) -> None:
    match = search(store, query, count=False).match
    assert match is not None and match.tier == tier
    assert match.resolution is not None and match.source.session is not None


def test_they_are_small_and_each_line_is_a_record_of_its_agent() -> None:
    files = [path for folder in sample_paths() for path in folder.rglob("*.jsonl")]
    assert sum(path.stat().st_size for path in files) < 400_000
    for path in files:
        for line in path.read_text("utf-8").splitlines():
            record = json.loads(line)
            keys = {"timestamp", "type", "payload"} if "codex" in path.parts else {"type"}
            assert keys <= record.keys(), path


def test_they_name_no_real_home(store: Store) -> None:
    projects = {str(project) for (project,) in store.con.execute("SELECT DISTINCT project FROM session")}
    assert projects == set(EXPECTED)
    assert all(Path(project).name for project in projects)


def test_each_sample_call_meets_the_rule_that_it_is_there_to_show() -> None:
    rules, calls = sample_rules()
    book = book_of(parse(rules).rules)
    for one in read_labelled(calls):
        found = [rule.id for rule in match(book, one.call).rules]
        assert found[:1] == list(one.expected) or one.expected == ("ERR-004",), one
        assert one.expected == () or one.expected[0] in found, one
