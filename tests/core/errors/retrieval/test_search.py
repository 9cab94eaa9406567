"""The search beyond the seed's scenarios: tiers, gates, counting, traces."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.base.fault import Fault
from core.errors import count_use, list_cases, record_resolution, search, show_case
from core.errors.cases.browse import browse
from core.errors.cases.case import Filters
from core.errors.cases.record import Name, observe
from core.errors.cases.resolutions import readable, refresh_touched
from core.errors.equivalence import names
from core.errors.identity.fingerprint import identify
from core.store import open_store, undo
from core.store.files import BUSY_MS

TRACEBACK = """Traceback (most recent call last):
  File "/srv/app/{file}.py", line {line}, in load
    return json.loads(text)
json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)
"""


@pytest.fixture
def db(tmp_path: Path) -> Path:
    return tmp_path / "casebook.db"


def seen(db: Path, text: str, ts: str = "2026-10-01T10:00:00.000Z") -> int:
    name = identify(text)
    with open_store(db, write=True, create=True) as store, store.transaction():
        return observe(
            store.con, Name(name.key_line, name.normalized, name.fingerprint, name.tool),
            session_id=None, message_idx=None, tool="Bash", project="/home/mina/shop", ts=ts, raw=text,
        )  # fmt: skip


def test_the_same_case_answers_whatever_its_paths_and_lines(db: Path) -> None:
    record_resolution(db, TRACEBACK.format(file="a", line=12), "Check the status before parsing.")
    answer = search(db, TRACEBACK.format(file="other/b", line=998))
    assert answer.match is not None
    assert (answer.match.tier, answer.match.confidence, answer.match.score) == ("fingerprint", "high", 1.0)


def test_an_error_that_was_copied_with_the_task_that_ran_it_is_found(db: Path) -> None:
    record_resolution(db, "error MD040/fenced-code-language Fenced code blocks should have a language", "Name it.")
    for pasted in ("[lint:md] error MD040/fenced-code-language Fenced code blocks should have a language",
                   "lint: error MD040/fenced-code-language Fenced code blocks should have a language"):  # fmt: skip
        answer = search(db, pasted)
        assert answer.match is not None
        assert (answer.match.confidence, answer.match.resolution) == ("low", "Name it.")
    assert search(db, "[lint:md] error MD041/first-line-heading First line should be a heading").match is None


def test_another_pattern_that_zsh_did_not_match_is_found_by_its_wildcards(db: Path) -> None:
    record_resolution(db, "zsh:1: no matches found: repos/a/b/trees/main?recursive=1", "Quote the address.")
    record_resolution(db, "(eval):1: no matches found: docs/*.toml", "There is none.")
    for pasted in ("zsh: no matches found: repos/x/y?z", "% gh api a?b=c\nzsh:12: no matches found: a?b=c"):
        answer = search(db, pasted)
        assert answer.match is not None
        assert (answer.match.confidence, answer.match.resolution) == ("low", "Quote the address.")
    other = search(db, "zsh: no matches found: src/*.rs").match
    assert other is not None and other.resolution == "There is none."
    assert search(db, "zsh: no matches found: shop[dev]").match is None
    assert search(db, "no posts found: repos/x/y?z").match is None


def test_an_option_with_a_wildcard_is_found_before_a_file_with_one(db: Path) -> None:
    record_resolution(db, "zsh:1: no matches found: --include=*.ts", "Quote the option.")
    record_resolution(db, "zsh:1: no matches found: docs/*.toml", "There is none.")
    for pasted, fix in (("--include=*.py", "Quote the option."), ("--exclude=*.py", "There is none.")):
        match = search(db, f"zsh: no matches found: {pasted}").match
        assert match is not None and match.resolution == fix


def test_a_program_that_powershell_misses_is_found_by_its_name(db: Path) -> None:
    line = "rg : The term 'rg' is not recognized as the name of a cmdlet, function, script file, or operable program."
    record_resolution(db, line, "Install ripgrep.")
    match = search(db, "zsh: command not found: rg").match
    assert match is not None and match.resolution == "Install ripgrep."
    assert search(db, "zsh: command not found: fd").match is None


def test_an_error_that_was_copied_with_its_level_is_found(db: Path) -> None:
    line = "Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?"
    case_id = seen(db, line)
    answer = search(db, f"#8 12.31 npm warn deprecated\nERROR: {line}")
    assert answer.unfixed is not None and answer.unfixed.id == case_id
    record_resolution(db, line, "Start Docker.")
    answer = search(db, f"ERROR: {line}")
    assert answer.match is not None
    assert (answer.match.confidence, answer.match.resolution) == ("low", "Start Docker.")


def test_the_fix_of_another_name_says_that_the_searched_error_is_known_without_one(db: Path) -> None:
    seen(db, "ModuleNotFoundError: No module named 'docx'")
    record_resolution(db, "ModuleNotFoundError: No module named 'yaml'", "Install pyyaml.")
    output = "E   AssertionError: assert 1 == 2\nE   ModuleNotFoundError: No module named '{}'\n"
    for text, told in (("'docx'", True), ("'toml'", False)):
        for asked in (f"ModuleNotFoundError: No module named {text}", output.format(text.strip("'"))):
            match = search(db, asked).match
            assert match is not None and match.resolution == "Install pyyaml."
            assert ("the searched error is known, but it has no fix yet" in match.why) is told


def test_an_error_that_was_copied_with_the_name_of_its_tool_is_found(db: Path) -> None:
    record_resolution(db, "cart/cart.go:12:3: SA9003: empty branch (staticcheck)", "Delete the empty branch.")
    answer = search(db, "golangci-lint: SA9003: empty branch (staticcheck)")
    assert answer.match is not None
    assert (answer.match.confidence, answer.match.resolution) == ("low", "Delete the empty branch.")
    assert answer.match.why[-1] == "matched without its prefix “golangci-lint”"
    assert search(db, "somebody: SA9003: empty branch (staticcheck)").match is None
    assert search(db, "golangci-lint: SA4000: the same on both sides (staticcheck)").match is None


def test_trailers_alone_are_not_searched(db: Path) -> None:
    record_resolution(db, "make: *** [Makefile:4: test] Error 1", "Run make clean first.")
    assert search(db, "make: *** [Makefile:4: test] Error 1").match is not None
    answer = search(db, "ok  \tshop/cart\t0.1s\nFAIL\tshop/tax\t0.2s\nmake: *** [Makefile:4: test] Error 1\n")
    assert answer.match is None
    assert [(step.stage, step.outcome) for step in answer.trace] == [("identify", "miss")]


def test_two_lines_without_a_word_of_failure_are_searched(db: Path) -> None:
    record_resolution(db, "the lamp is red\nthe fan is loud\n", "Replace the fan.")
    assert search(db, "the lamp is red\nthe fan is loud\n").match is not None


def test_the_same_kind_with_another_code_is_low(db: Path) -> None:
    record_resolution(db, "Request failed with status code 404", "The route was renamed.")
    answer = search(db, "Request failed with status code 500")
    assert answer.match is not None
    assert (answer.match.tier, answer.match.confidence) == ("exact", "low")
    assert "the codes differ" in answer.match.why


def test_of_several_fixes_of_a_kind_the_one_with_the_same_code_answers(db: Path) -> None:
    record_resolution(db, "Request for 'cart' failed with status code 404", "The route was renamed.")
    record_resolution(db, "Request for 'cart' failed with status code 500", "The database was down.")
    answer = search(db, "Request for 'user' failed with status code 404")
    assert answer.match is not None
    assert (answer.match.tier, answer.match.confidence) == ("exact", "low")
    assert "names differ: cart / user" in answer.match.why
    assert answer.match.resolution == "The route was renamed."


def test_a_known_error_without_a_fix_is_no_answer_but_is_shown(db: Path) -> None:
    seen(db, "fatal: refusing to merge unrelated histories")
    answer = search(db, "fatal: refusing to merge unrelated histories")
    assert answer.match is None
    assert not answer.candidates[0].accepted
    assert "no fix" in answer.candidates[0].reason
    assert len({hit.id for hit in answer.candidates}) == len(answer.candidates), "a case stands there once"


@pytest.mark.parametrize(
    "said",
    [
        "sh: 1: jq: not found",
        "command not found: jq",
        "bash: line 3: jq: command not found",
        "env: jq: No such file or directory",
        "fish: Unknown command: jq",
        "'jq' is not recognized as an internal or external command,\noperable program or batch file.",
        "jq : The term 'jq' is not recognized as the name of a cmdlet, function, script file, or operable program."
        " Check the spelling of the name.\nAt line:1 char:1\n+ jq . a.json\n+ ~~\n",
        "jq: The term 'jq' is not recognized as a name of a cmdlet, function, script file, or executable program.",
    ],
)
def test_a_missing_program_is_the_same_error_in_every_shell(db: Path, said: str) -> None:
    record_resolution(db, "zsh:1: command not found: jq", "Install jq.")
    record_resolution(db, "zsh:1: command not found: yq", "Install yq.")
    match = search(db, said).match
    assert match is not None
    assert (match.tier, match.resolution, match.likeness) == ("exact", "Install jq.", "high")
    assert "the same program is missing, reported by another shell: jq" in match.why


def test_a_missing_program_that_another_shell_reported_without_a_fix_is_shown(db: Path) -> None:
    case_id = seen(db, "bash: gsed: command not found")
    answer = search(db, "zsh:1: command not found: gsed")
    assert answer.match is None
    assert [hit.id for hit in answer.candidates] == [case_id]
    assert "it has no fix" in answer.candidates[0].reason


def test_a_known_error_without_a_fix_goes_before_a_weak_match_of_another(db: Path) -> None:
    text = "Error response from daemon: could not create, the container name is already in use now"
    daemon = "Error response from daemon: could not reach network frontend declared as external, but missing"
    other = record_resolution(db, daemon, "create it").case_id
    assert (match := search(db, text).match) is not None, "as long as it is unknown"
    assert match.id == other
    known = seen(db, text)
    answer = search(db, text, words=True)
    assert answer.match is None
    assert [(hit.id, hit.tier, hit.accepted) for hit in answer.candidates] == [
        (known, "fingerprint", False),
        (other, "prefix", False),
    ]
    first, second = answer.candidates
    assert answer.unfixed == first
    assert first.reason == "known error, but it has no fix yet"
    assert (second.confidence, second.resolution) == ("low", "create it")
    assert second.reason == f"different error, low confidence; for its fix, run: casebook errors show {other}"
    assert answer.trace[-1].stage == "decide" or answer.trace[-2].stage == "decide"


def test_a_high_match_goes_before_a_known_error_without_a_fix(db: Path) -> None:
    text = "error: the volume plugin that cannot be reached over the socket"
    record_resolution(db, text, "restart it")
    known = seen(db, f"{text} now")
    answer = search(db, f"{text} now")
    assert answer.match is not None
    assert (answer.match.tier, answer.match.confidence) == ("prefix", "high")
    assert known in {hit.id for hit in answer.candidates}
    assert answer.unfixed is None


def test_the_error_of_another_code_is_not_the_known_error(db: Path) -> None:
    record_resolution(db, "Request failed with status code 404 for the harbour", "The route was renamed.")
    seen(db, "Request failed with status code 500")
    assert search(db, "Request failed with status code 500").unfixed is not None
    assert search(db, "Request failed with status code 503").unfixed is None


def test_a_rejected_fix_never_answers(db: Path) -> None:
    record_resolution(db, "boom went the dynamo", "wrong idea", status="rejected")
    assert search(db, "boom went the dynamo").match is None


def test_weak_prefix_is_low(db: Path) -> None:
    record_resolution(
        db,
        "Error response from daemon: could not reach network frontend declared as external, but missing",
        "create it",
    )
    answer = search(db, "Error response from daemon: could not create, the container name is already in use now")
    assert answer.match is not None
    assert (answer.match.tier, answer.match.confidence) == ("prefix", "low")


def test_the_same_said_of_another_library_is_low_and_says_so(db: Path) -> None:
    record_resolution(
        db, "error: failed to run custom build command for `openssl-sys v0.9.1`", "apt install libssl-dev"
    )
    answer = search(db, "error: failed to run custom build command for `libz-sys v1.1.8`")
    assert answer.match is not None
    assert (answer.match.tier, answer.match.confidence) == ("prefix", "low")
    assert "it names openssl-sys, not libz-sys" in answer.match.why


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("cannot import std::vector from @types/node-fetch", {"std::vector", "@types/node-fetch"}),
        ("getUser of user_store failed in app.core.users", {"getUser", "user_store", "app.core.users"}),
        ("e.g. <PATH> and/or v0.9.1, 3.11.2: Permission denied. Try again", set()),
    ],
)
def test_names_are_no_words_versions_or_masks(text: str, expected: set[str]) -> None:
    assert names(text) == expected


def test_like_wildcards_are_literal(db: Path) -> None:
    record_resolution(db, "100% of the disk _ is used up by the cache folder here", "prune")
    assert search(db, "100x of the disk y is used up by the cache folder here").match is None


def test_the_best_of_a_crowded_bucket_answers(db: Path) -> None:
    start = "Error response from daemon: something about "
    with open_store(db, write=True, create=True) as store, store.transaction():
        for at in range(900):
            words = f"{start}quux{chr(97 + at % 26)}{chr(97 + at // 26)} and zork in the middle of it all"
            store.con.execute("INSERT INTO error_kb(ts, error_normalized, resolution) VALUES ('t', ?, 'no')", (words,))
        store.con.execute(
            "INSERT INTO error_kb(ts, error_normalized, resolution) VALUES ('t', ?, 'yes')",
            (f"{start}the volume plugin that cannot be reached over the socket",),
        )
    answer = search(db, f"{start}the volume plugin that cannot be reached over a socket")
    assert answer.match is not None
    assert answer.match.resolution == "yes"
    step = next(step for step in answer.trace if step.stage == "prefix")
    assert step.fact("cap") == 96
    assert 0 < int(str(step.fact("compared"))) <= 96


def test_searching_without_counting_writes_nothing(db: Path) -> None:
    case = record_resolution(db, "boom", "calm").case_id
    assert case is not None
    before = db.read_bytes()
    assert search(db, "boom", count=False).match is not None
    assert db.read_bytes() == before
    assert count_use(db, case)
    with open_store(db) as store:
        found = show_case(store, case)
    assert found is not None
    assert found.use_count == 2


def test_the_trace_names_every_tier_in_order(db: Path) -> None:
    record_resolution(db, "boom", "calm")
    stages = [step.stage for step in search(db, "nothing like it at all").trace]
    assert stages == ["identify", "fingerprint", "exact", "other lines", "prefix", "vector"]


def test_where_nothing_answers_what_has_every_word_is_shown_and_is_no_answer(db: Path) -> None:
    daemon = "driver failed programming external connectivity: Bind for 0.0.0.0:5432 failed: port is already allocated"
    record_resolution(db, daemon, "Stop the other database.")
    seen(db, "the port is there, and no more ports can be allocated")
    assert search(db, "port is already allocated").candidates == ()
    answer = search(db, "port is already allocated", words=True)
    assert answer.match is None
    (near,) = answer.candidates
    assert (near.tier, near.accepted, near.resolution) == ("text", False, "Stop the other database.")
    assert (answer.trace[-1].stage, answer.trace[-1].outcome) == ("words", "rejected")
    known = search(db, daemon, words=True)
    assert known.match is not None
    assert "words" not in [step.stage for step in known.trace], "where something answers nobody looks further"
    assert search(db, "no such words as these", words=True).trace[-1].outcome == "miss"


def test_of_cases_with_every_word_those_that_have_them_in_order_come_first(db: Path) -> None:
    for at in range(4):
        seen(db, f"allocated port {at}: already is")
    seen(
        db, "driver failed programming external connectivity on endpoint web: the port is already allocated to another"
    )
    answer = search(db, "port is already allocated", words=True)
    assert answer.candidates[0].key_line.startswith("driver failed")
    with open_store(db) as store:
        assert browse(store, "port is already allocated")[0].id == answer.candidates[0].id, "as where one types"


def test_another_line_of_the_same_output_answers_low(db: Path) -> None:
    record_resolution(db, "src/a.ts(1,2): error TS2304: Cannot find name 'Foo'.", "import Foo")
    answer = search(
        db,
        "src/b.ts(4,2): error TS9999: Something nobody has met yet.\n"
        "src/a.ts(9,7): error TS2304: Cannot find name 'Foo'.\n",
    )
    assert answer.match is not None
    assert (answer.match.resolution, answer.match.confidence) == ("import Foo", "low")


def test_a_damaged_database_is_a_failed_step(db: Path) -> None:
    db.write_bytes(b"not a database at all" * 100)
    answer = search(db, "boom")
    assert answer.match is None
    assert answer.trace[-1].outcome == "failed"
    assert answer.trace[-1].fact("code") == "db_damaged"
    assert record_resolution(db, "boom", "calm").case_id is None


def test_a_secret_reaches_neither_row_nor_index(db: Path) -> None:
    record_resolution(db, "login failed: postgres://app:hunter22@db/shop", "rotate postgres://app:hunter22@db/shop")
    with open_store(db, write=True) as store:
        store.con.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    assert b"hunter22" not in b"".join(path.read_bytes() for path in db.parent.iterdir())


def test_undo_restores_the_fix_before(db: Path) -> None:
    record_resolution(db, "boom", "first")
    record_resolution(db, "boom", "second")
    with open_store(db, write=True) as store:
        undo(store, "tester", after=refresh_touched)
    answer = search(db, "boom", count=False)
    assert answer.match is not None
    assert answer.match.resolution == "first"
    with open_store(db, write=True) as store:
        undo(store, "tester", after=refresh_touched)
        assert list_cases(store).cases == ()
        assert browse(store, "boom") == ()


def test_lists_page_by_key_and_filter(db: Path) -> None:
    for at in range(7):
        seen(db, f"fatal: no such remote branch number{chr(97 + at)}", f"2026-10-0{at + 1}T00:00:00.000Z")
    record_resolution(db, "fatal: no such remote branch numbera", "fetch first")
    with open_store(db) as store:
        first = list_cases(store, limit=3)
        rest = list_cases(store, limit=10, after=first.next)
        assert [row.last_seen for row in first.cases] == sorted((row.last_seen for row in first.cases), reverse=True)
        assert len({row.id for row in (*first.cases, *rest.cases)}) == 7
        assert rest.next is None
        assert len(list_cases(store, Filters(status="draft")).cases) == 1
        assert len(list_cases(store, Filters(since="2026-10-05T00:00:00.000Z")).cases) == 3
        assert len(list_cases(store, Filters(project="/home/mina/shop", tool="git")).cases) == 7


def test_browsing_finds_a_half_typed_word_and_korean_inside_one(db: Path) -> None:
    record_resolution(db, "ModuleNotFoundError: No module named 'pandas'", "pip install pandas")
    record_resolution(db, "오류: 데이터베이스연결에 실패했습니다", "서버를 다시 시작한다")
    with open_store(db) as store:
        assert browse(store, "module pand")[0].key_line.startswith("ModuleNotFoundError")
        assert browse(store, "연결에")[0].key_line.startswith("오류")
        assert browse(store, "데이터베이스 실패")[0].tier == "text"
        assert browse(store, "zebra pandas quagga")[0].reason
        assert browse(store, "   ") == ()


@settings(max_examples=40, deadline=None)
@given(text=st.text(max_size=300))
def test_no_text_breaks_search_record_or_browse(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    db = tmp_path_factory.mktemp("any") / "casebook.db"
    record_resolution(db, text, text)
    search(db, text)
    with open_store(db, write=True, create=True) as store:
        browse(store, text)


@pytest.mark.parametrize("cursor", ["", "no cursor", "x|y", "9" * 5000 + "|1", "٣|1", "a|" + "9" * 40])
def test_a_cursor_that_is_none_is_refused_or_harmless(db: Path, cursor: str) -> None:
    seen(db, "fatal: no such remote branch")
    with open_store(db) as store:
        try:
            list_cases(store, sort="seen", after=cursor)
        except Fault as fault:
            assert fault.code == "invalid_input"


@pytest.mark.parametrize("given", [None, b"boom went the dynamo", 7, ["boom"]])
def test_what_is_no_text_is_a_failed_step_and_nothing_is_raised(db: Path, given: Any) -> None:
    record_resolution(db, "boom went the dynamo", "a fix")
    answer = search(db, given)
    assert answer.match is None
    assert (answer.trace[-1].outcome, answer.trace[-1].fact("code")) == ("failed", "invalid_input")
    for texts in ((given, "a fix"), ("boom went the dynamo", given)):
        recorded = record_resolution(db, *texts)
        assert (recorded.case_id, recorded.trace[-1].outcome) == (None, "failed")


def test_a_writer_that_holds_the_casebook_does_not_hold_the_answer(db: Path) -> None:
    record_resolution(db, "boom went the dynamo", "a fix")
    with open_store(db, write=True) as reader, open_store(db, write=True) as holder, holder.transaction():
        answer = search(reader, "boom went the dynamo")
        counting = answer.trace[-1]
        assert answer.match is not None
        assert (counting.stage, counting.outcome) == ("count", "skipped")
        assert counting.elapsed_ms < 4_000, "not the five seconds that a writer waits"
        assert reader.con.execute("PRAGMA busy_timeout").fetchone() == (BUSY_MS,)


@pytest.mark.parametrize(
    ("stored", "shown"),
    [
        ('["Read", "Edit"]', "Steps: Read → Edit"),
        ('[{"tool": "Read"}, 3]', '- {"tool": "Read"}\n- 3'),
        ("[]", "[]"),
        ("[broken", "[broken"),
    ],
)
def test_a_resolution_that_is_an_array_becomes_readable(stored: str, shown: str) -> None:
    assert readable(stored) == (shown, stored if shown != stored else None)


def test_a_case_under_the_former_key_of_a_refused_push_is_found(db: Path) -> None:
    last = "error: failed to push some refs to 'https://h.example/r.git'\n"
    record_resolution(db, last, "Fetch and rebase, then push again.")
    answer = search(db, f"To https://h.example/s.git\n ! [rejected]        a -> a (fetch first)\n{last}")
    assert answer.match is not None
    assert (answer.match.tier, answer.match.confidence) == ("fingerprint", "low")
