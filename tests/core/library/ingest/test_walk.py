"""Walking a root: git's grammar, links and loops, names that cannot be cited, and git's own facts without git."""

from __future__ import annotations

import subprocess
import sys
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest

from core.base.fault import Fault
from core.library.documents.rows import Source
from core.library.ingest.readers import media_of
from core.library.ingest.walk import GitFacts, WalkOptions, file_of, git_facts, normal_path, walk, workspace_path

Put = Callable[..., Path]
FIRST = Source("main", 0, "/root", "", "primary", "")
SECOND = Source("wiki", 1, "/wiki", "", "primary", "")


def names(root: Path, **options: object) -> list[str]:
    return [one.relative for one in walk(root, WalkOptions(**options)).files]  # type: ignore[arg-type]


def why(root: Path, **options: object) -> dict[str, str]:
    return {one.relative: one.reason for one in walk(root, WalkOptions(**options)).left}  # type: ignore[arg-type]


def test_files_come_in_the_order_of_their_paths(notes: Path, put: Put) -> None:
    for name in ("b.md", "a/z.md", "a.md", "a/b/c.txt", "한글.md"):
        put(name, "x")
    assert names(notes) == sorted(["b.md", "a/z.md", "a.md", "a/b/c.txt", "한글.md"])


def test_ignore_files_follow_gits_grammar_in_every_folder(notes: Path, put: Put) -> None:
    put(".gitignore", "*.log\r\n!keep.log\n/only-here.md\nlogs/\n# comment\n!\n\\#odd\n")
    put("sub/.gitignore", "!deep.log\nlocal.md\n")
    put("sub/.casebookignore", "drafts/**\n")
    for name in (
        *("a.log", "keep.log", "only-here.md", "logs/x.md", "sub/deep.log", "sub/local.md", "sub/only-here.md"),
        *("sub/other.log", "sub/drafts/x.md", "local.md"),
    ):
        put(name, "x")
    assert names(notes) == ["keep.log", "local.md", "sub/deep.log", "sub/only-here.md"]
    left = why(notes)
    assert left["logs/"] == "gitignore"
    assert left["sub/drafts/"] == left.get("sub/drafts/x.md", left["sub/drafts/"]) == "casebookignore"


def test_what_git_ignores_is_not_brought_back_by_our_own_file(notes: Path, put: Put) -> None:
    put(".gitignore", "secret.md\n")
    put(".casebookignore", "!secret.md\n")
    put("secret.md", "x")
    assert names(notes) == []


def test_a_root_inside_a_repository_keeps_its_rules(notes: Path, put: Put) -> None:
    (notes / ".git" / "info").mkdir(parents=True)
    put(".git/info/exclude", "/docs/mine.md\n")
    put(".gitignore", "docs/out/\n*.tmp.md\n")
    for name in ("docs/a.md", "docs/out/b.md", "docs/x.tmp.md", "docs/mine.md"):
        put(name, "x")
    assert names(notes / "docs") == ["a.md"]


def test_patterns_of_the_settings(notes: Path, put: Put) -> None:
    for name in ("a.md", "b.txt", "sub/c.md", "sub/old/d.md"):
        put(name, "x")
    assert names(notes, include=("*.md",), exclude=("old/",)) == ["a.md", "sub/c.md"]
    assert why(notes, include=("*.md",))["b.txt"] == "not_included"


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_links_are_followed_once_and_loops_end(notes: Path, tmp_path: Path, put: Put) -> None:
    put("z/real.md", "x")
    (notes / "a-link").symlink_to(notes / "z")
    (notes / "z" / "up").symlink_to(notes)
    (notes / "again.md").symlink_to(notes / "z" / "real.md")
    (notes / "nowhere.md").symlink_to(notes / "absent")
    (notes / "self").symlink_to(notes / "self")
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "far.md").write_text("x")
    (outside / "back").symlink_to(notes)
    (notes / "out").symlink_to(outside)
    assert names(notes, follow_links=True) == ["out/far.md", "z/real.md"]
    assert set(why(notes, follow_links=True)) == {"a-link", "z/up", "again.md", "nowhere.md", "self", "out/back"}
    assert set(why(notes)) == {"a-link", "z/up", "again.md", "nowhere.md", "self", "out"}
    assert names(notes) == ["z/real.md"]


@pytest.mark.skipif(sys.platform != "linux", reason="names are bytes only there")
def test_names_that_cannot_be_cited_or_kept_are_left_out(notes: Path, put: Put) -> None:
    put("ok [1] (2) & 'q'.md", "x")
    put("with#sign.md", "x")
    put("so/#here/a.md", "x")
    put(unicodedata.normalize("NFC", "가.md"), "x")
    put(unicodedata.normalize("NFD", "가.md"), "y")
    (notes / "bad\udcff.md").write_text("x")
    assert names(notes) == ["ok [1] (2) & 'q'.md", "가.md"]
    assert sorted(why(notes).values()) == ["bad_path", "bad_path", "bad_path", "path_taken"]


@pytest.mark.skipif(sys.platform == "win32", reason="no pipes in folders there")
def test_what_is_no_file_is_not_opened(notes: Path) -> None:
    import os

    os.mkfifo(notes / "pipe.md")
    assert why(notes) == {"pipe.md": "not_regular"}


def test_a_root_that_is_gone_is_told(tmp_path: Path) -> None:
    found = walk(tmp_path / "absent", WalkOptions())
    assert (found.files, [folder for folder, _ in found.unread]) == ([], [""])


def test_a_walk_can_be_stopped(notes: Path, put: Put) -> None:
    for n in range(5):
        put(f"{n}/a.md", "x")
    assert len(walk(notes, WalkOptions(), lambda: True).files) == 0


@pytest.mark.parametrize(
    ("given", "path"),
    [("./a//b.md", "a/b.md"), ("a/./b.md", "a/b.md"), (unicodedata.normalize("NFD", "가/나.md"), "가/나.md")],
)
def test_paths_are_written_in_one_way(given: str, path: str) -> None:
    assert normal_path(given) == path
    assert workspace_path(FIRST, given) == path
    assert workspace_path(SECOND, given) == f"wiki/{path}"


def test_a_path_leads_back_to_its_file_and_never_out_of_its_root(notes: Path, put: Put) -> None:
    decomposed = unicodedata.normalize("NFD", "가.md")
    put(decomposed, "x")
    source = Source("main", 0, str(notes), "", "primary", "")
    assert file_of(source, "가.md").read_text() == "x"
    put(f"문서/{decomposed}", "deep")
    assert file_of(source, "문서/가.md").read_text() == "deep"
    assert file_of(SECOND, "wiki/a/b.md") == Path("/wiki/a/b.md")
    for path in ("../x.md", "a/../../x", "", "/etc/passwd", "a\0"):
        with pytest.raises(Fault):
            file_of(source, path)
    with pytest.raises(Fault):
        file_of(SECOND, "other/a.md")


@pytest.mark.parametrize(
    ("name", "media"),
    [
        *(("a.MD", "markdown"), ("README", "text"), ("x.log", "text"), ("m.py", "code"), ("p.pdf", "pdf")),
        *(("Dockerfile", "manifest"), ("package.json", "manifest"), ("i.PNG", None), ("s.tar.gz", None)),
    ],
)
def test_kinds_of_files(name: str, media: str | None) -> None:
    assert media_of(name) == media


def test_gits_facts_without_git(notes: Path, put: Put) -> None:
    assert git_facts(notes) == GitFacts()
    commit = "0123456789abcdef" * 2 + "01234567"
    put(".git/HEAD", "ref: refs/heads/topic/one\n")
    put(".git/packed-refs", f"# pack-refs\n{commit} refs/heads/topic/one\n")
    put(".git/config", '[core]\n\tfsmonitor = touch owned\n[remote "origin"]\n\turl = git@example.org:team/plant.git\n')
    assert git_facts(notes) == GitFacts("plant", "topic/one", commit[:12])
    (notes / "sub").mkdir()
    assert git_facts(notes / "sub").repo == "plant"
    put(".git/HEAD", "ref: refs/../../secret\n")
    assert git_facts(notes) == GitFacts("plant", None, None)
    assert not (notes / "owned").exists()


def test_gits_facts_are_those_git_tells(notes: Path, put: Put) -> None:
    try:
        git = ["git", "-C", str(notes), "-c", "user.name=a", "-c", "user.email=b"]
        subprocess.run([*git, "init", "-q", "-b", "trunk"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("no git here")
    put("a.md", "x")
    subprocess.run([*git, "add", "a.md"], check=True)
    subprocess.run([*git, "commit", "-q", "-m", "one"], check=True)
    said = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout
    assert git_facts(notes) == GitFacts("notes", "trunk", said[:12])


@pytest.mark.parametrize("named", [b"gitdir: a\0b", b"gitdir: one/x", b"gitdir: " + b"x" * 5000])
def test_a_git_file_that_names_no_folder_leaves_only_the_name(notes: Path, named: bytes) -> None:
    (notes / "one").symlink_to("two")
    (notes / "two").symlink_to("one")
    (notes / ".git").write_bytes(named)
    assert git_facts(notes) == GitFacts(notes.name)


def test_a_common_folder_of_git_that_is_no_path_is_passed_over(notes: Path, put: Put) -> None:
    put(".git/HEAD", "ref: refs/heads/main\n")
    put(".git/commondir", "a\0b")
    assert git_facts(notes) == GitFacts(notes.name, "main")
