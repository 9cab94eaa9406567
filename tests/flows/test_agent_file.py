"""casebook's block in an agent's file: the project's own verified records, and nothing of what was there changes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.base.fault import Fault
from core.errors.cases.record import record_resolution
from core.errors.practice import Approach, How, Practice
from core.errors.retrieval.answer import Status
from core.flows.agent_file import block_for, has_block, refresh_files, stop_sync, sync_file, synced_files
from core.rules.format.parse import parse
from core.store import Store, open_store
from core.text import estimate_tokens, redact

MINE = "# Mine\r\n\r\n- Use spaces.\r\n\r\n### ERR-001: Never push with force\r\n\r\n**Pattern**: git push -f\r\n"
GENERAL = (
    '{"do": {"kind": "words", "text": "Close the other server."}, "scope": "general", "when": {"error": "EADDRINUSE"}}'
)


@pytest.fixture
def book(tmp_path: Path) -> Iterator[Store]:
    """A casebook with one verified fix of each of two projects, a draft, and a lesson for all projects."""
    path = tmp_path / "book.db"
    records: tuple[tuple[str, str, str, Status], ...] = (
        (
            "shop",
            "ModuleNotFoundError: No module named 'yaml'",
            "pip install pyyaml in /home/ana/shop/venv",
            "verified",
        ),
        ("bank", "ModuleNotFoundError: No module named 'bankcore'", "pip install bankcore==7", "verified"),
        ("shop", "TypeError: shop draft", "try something", "draft"),
        ("bank", "Error: listen EADDRINUSE: address already in use :::3000", "Close the other server.", "verified"),
        ("shop", "KeyError: 'token'", "export TOKEN=ghp_" + "a" * 36, "verified"),
    )
    for name, error, fix, status in records:
        record_resolution(path, error, fix, status=status)
        (tmp_path / name).mkdir(exist_ok=True)
        with open_store(path, write=True) as store, store.transaction() as con:
            con.execute(
                "INSERT OR IGNORE INTO session(id, agent, project, repository) VALUES (?, 'codex', ?, ?)",
                (name, str(tmp_path / name), str(tmp_path / name)),
            )
            con.execute("UPDATE resolution SET session_id = ? WHERE text = ?", (name, redact(fix)))
            if "EADDRINUSE" in error:
                con.execute("UPDATE resolution SET lesson = ? WHERE text = ?", (GENERAL, fix))
    with open_store(path, write=True) as store:
        yield store


def test_a_block_holds_the_verified_fixes_of_its_own_project(book: Store, tmp_path: Path) -> None:
    body, report = block_for(book, tmp_path / "shop" / "CLAUDE.md")
    assert "No module named 'yaml'`: pip install pyyaml in <path>" in body
    assert "Close the other server." in body  # its scope was confirmed as general
    assert "bankcore" not in body
    assert "try something" not in body
    assert "/home/ana" not in body
    assert "ghp_" not in body
    assert report.fixes == 3
    other, _ = block_for(book, tmp_path / "bank" / "AGENTS.md")
    assert "bankcore==7" in other
    assert "yaml" not in other


def test_a_practice_is_written_once_and_only_with_an_answer(
    book: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def practice(name: str, how: How) -> Practice:
        approach = Approach(how, 3, 3, "make up", (), ())
        return Practice("shop", "shop", "lack", "service", name, 3, 3, f"`{name}` was not running", (approach,))

    asked: list[str] = []

    def found(_con: object, name: str) -> tuple[Practice, ...]:
        asked.append(name)
        return practice("postgres", "worked instead"), practice("redis", "open")

    (tmp_path / "shop/.git").mkdir()
    (tmp_path / "shop/.git/HEAD").write_text("ref: refs/heads/main\n")
    (tmp_path / "shop/.git/config").write_text('[remote "origin"]\n\turl = https://example.org/ana/shop.git\n')
    monkeypatch.setattr("core.flows.agent_file.practices", found)
    body, report = block_for(book, tmp_path / "shop" / "CLAUDE.md")
    assert len(asked) > 1, "the project has one name only"
    assert (report.practices, body.count("`postgres` was not running"), "redis" in body) == (1, 1, False)


def test_a_repository_of_another_owner_with_the_same_name_stays_out(book: Store, tmp_path: Path) -> None:
    record_resolution(book.path, "KeyError: 'theirs'", "theirs alone", status="verified")
    with book.transaction() as con:
        there = "github.com/other/shop"
        con.execute("INSERT INTO session(id, agent, project, repository) VALUES ('o', 'codex', '/o/shop', ?)", (there,))
        con.execute("UPDATE resolution SET session_id = 'o' WHERE text = 'theirs alone'")
        con.execute("INSERT INTO project_name(name, repository, shown) VALUES ('shop', ?, 0)", (there,))
    (tmp_path / "shop/.git").mkdir()
    (tmp_path / "shop/.git/HEAD").write_text("ref: refs/heads/main\n")
    (tmp_path / "shop/.git/config").write_text('[remote "origin"]\n\turl = https://github.com/ana/shop.git\n')
    assert "theirs" not in block_for(book, tmp_path / "shop" / "CLAUDE.md")[0]


def test_a_round_trip_changes_nothing_else_and_nothing_grows(book: Store, tmp_path: Path) -> None:
    file = tmp_path / "shop" / "CLAUDE.md"
    file.write_bytes(MINE.encode())
    before = parse(file)
    first = sync_file(book, file)
    assert first.changed
    text = file.read_bytes()
    assert text.startswith(MINE.encode())
    after = parse(file)
    assert [(rule.id, rule.line) for rule in after.rules] == [(rule.id, rule.line) for rule in before.rules]
    assert after.flaws == before.flaws
    assert not sync_file(book, file).changed
    assert not any(one.changed for one in refresh_files(book))
    assert file.read_bytes() == text
    assert stop_sync(book, file).changed
    assert file.read_bytes() == MINE.encode()
    assert synced_files(book) == ()


def test_accepted_rules_in_a_block_are_read_and_other_blocks_are_not(tmp_path: Path) -> None:
    file = tmp_path / "CLAUDE.md"
    rule = "### ERR-00{}: Never {}\n\n**Pattern**: x\n"
    kinds = (("fixes", rule.format(1, "this")), ("rules", rule.format(2, "that")))
    file.write_text(
        "".join(f"<!-- casebook:start {kind} sha=0 -->\n{body}<!-- casebook:end -->\n" for kind, body in kinds)
    )
    assert [(one.id, one.line) for one in parse(file).rules] == [("ERR-002", 7)]


def test_a_file_is_kept_fresh_once_a_person_opted_it_in(book: Store, tmp_path: Path) -> None:
    file, other = tmp_path / "shop" / "CLAUDE.md", tmp_path / "bank" / "AGENTS.md"
    other.write_text("mine\n")
    sync_file(book, file)
    with book.transaction() as con:
        con.execute("UPDATE resolution SET status = 'rejected' WHERE text LIKE 'pip install pyyaml%'")
    (report,) = refresh_files(book)
    assert report.changed
    assert "yaml" not in file.read_text()
    assert other.read_text() == "mine\n"
    assert refresh_files(book, str(tmp_path / "bank")) == ()


def test_a_block_edited_by_hand_stays(book: Store, tmp_path: Path) -> None:
    file = tmp_path / "shop" / "CLAUDE.md"
    sync_file(book, file)
    edited = file.read_text().replace("Written by", "Penned by")
    file.write_text(edited)
    with pytest.raises(Fault, match="edited by hand"):
        sync_file(book, file)
    (report,) = refresh_files(book)
    assert "edited by hand" in report.fault
    assert file.read_text() == edited
    assert sync_file(book, file, force=True).changed


def test_a_file_whose_block_was_removed_is_opted_out(book: Store, tmp_path: Path) -> None:
    file = tmp_path / "shop" / "CLAUDE.md"
    sync_file(book, file)
    file.write_text("mine\n")
    assert refresh_files(book) == ()
    assert not has_block(file)
    assert synced_files(book) == ()


def test_the_budget_keeps_what_is_worth_most(book: Store, tmp_path: Path) -> None:
    with book.transaction() as con:
        con.execute(
            "INSERT INTO answer_outcome(resolution_id, via, told_at, outcome, performed)"
            " SELECT id, 'hook', '', 'helped', 1 FROM resolution WHERE text LIKE 'Close%'"
        )
    body, report = block_for(book, tmp_path / "shop" / "CLAUDE.md", 95)
    assert report.left_out == 2
    assert "Close the other server." in body
    assert estimate_tokens(body) <= 95


def test_a_file_of_the_user_gets_only_what_holds_everywhere(
    book: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    body, report = block_for(book, tmp_path / ".claude" / "CLAUDE.md")
    assert report.fixes == 1
    assert "Close the other server." in body
