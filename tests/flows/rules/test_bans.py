"""A ban speaks where a call does what it forbids: exactly, and nowhere else."""

from __future__ import annotations

import unicodedata
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.base.config.settings import RuleSettings
from core.flows.rules.ban_match import BanSource, add_bans
from core.flows.rules.bans import act_of, broken
from core.flows.rules.files import ban_places
from core.rules.bans.reader import read_bans
from core.rules.format.book import book_of
from core.rules.matching.api import match
from core.rules.matching.call import ToolCall

RULES = """\
# Python and TypeScript

- Never use `cargo test`. Use `cargo nextest run`. For doctests, run `cargo test --doc`.
- Use `pnpm` instead of `npm`.
- Never run `git push --force`.
- Never use `--no-verify`.
- Never use `pytest`; use `uv run pytest`.
- Never push to `main`.
- Use `click.echo()` instead of `print()`.
- Settings come from `src/env.py`. Never use `os.environ` directly.
- In TypeScript: strict, no implicit anything

## TypeScript

- Never use `any` types.
- Never use `@ts-ignore`.
- Never import `lodash`.
- Never use `fmt.Print*`.
- Never write `use super::*;`.
- Never use `prelude::*`.

## Files

- Do not edit `docs/api/**` by hand.
- Never edit `schema.lock`.
- Never edit files in `rules/*`.
"""
READ = read_bans(RULES)


def codes(tool: str, **given: Any) -> list[str]:
    act = act_of(tool, given)
    return [ban.code for ban in READ.bans if broken(ban, act, READ.advised, "/w")]


def run(command: str) -> list[str]:
    return codes("Bash", command=command)


def edit(path: str, new: str, old: str = "") -> list[str]:
    return codes("Edit", file_path=path, old_string=old, new_string=new)


@pytest.mark.parametrize(
    ("command", "found"),
    [
        ("cargo test -p foo", ["cargo test"]),
        ("cd x && RUST_LOG=1 cargo --quiet test 2>&1 | tail", ["cargo test"]),
        ("bash -lc 'cargo test'", ["cargo test"]),
        ("for i in 1 2; do cargo test; done", ["cargo test"]),
        ("sudo npm install", ["npm"]),
        ("/usr/bin/npm ci", ["npm"]),
        ("git push -u origin x --force", ["git push --force"]),
        ("git commit -m x --no-verify", ["--no-verify"]),
        ("git push origin HEAD:main", ["main"]),
        ("git -C sub push origin main", ["main"]),
        ("pytest -q", ["pytest"]),
    ],
)
def test_a_forbidden_command_is_found(command: str, found: list[str]) -> None:
    assert run(command) == found


@pytest.mark.parametrize(
    "command",
    [
        "cargo test --doc -p foo",
        "cargo nextest run",
        'git commit -m "never cargo test, never npm"',
        "echo npm; printf 'cargo test'",
        "rg 'cargo test' docs",
        "grep -rn npm .",
        "ls npm",
        "pnpm install",
        "git push --force-with-lease origin x",
        "git push origin main-fix",
        "git push --dry-run origin main",
        "git checkout main",
        "uv run pytest -q",
        "cat <<'E'\ncargo test\nE",
        "which pytest",
    ],
)
def test_the_words_alone_are_no_such_command(command: str) -> None:
    assert run(command) == []


@pytest.mark.parametrize(
    ("path", "new", "found"),
    [
        ("/w/a.py", "    print(x)", ["print()"]),
        ("/w/a.py", "x = os.environ['A']", ["os.environ"]),
        ("/w/a.ts", "let x: any = y", ["any"]),
        ("/w/a.ts", "// @ts-ignore\nlet x = y", ["@ts-ignore"]),
        ("/w/a.ts", "import _ from 'lodash'", ["lodash"]),
        ("/w/a.go", "\tfmt.Println(x)", ["fmt.Print*"]),
        ("/w/a.rs", "use super::*;", ["use super::*;"]),
        ("/w/a.rs", "use rayon::prelude::*;", ["prelude::*"]),
        ("/w/docs/api/a/b.json", "{}", ["docs/api/**"]),
        ("docs/api/a.md", "x", ["docs/api/**"]),
        ("/w/sub/schema.lock", "x", ["schema.lock"]),
        ("/w/web/rules/a/b.yml", "x", ["rules/*"]),
    ],
)
def test_forbidden_code_in_added_lines_is_found(path: str, new: str, found: list[str]) -> None:
    assert edit(path, new) == found


@pytest.mark.parametrize(
    ("path", "new", "old"),
    [
        ("/w/a.md", "print(x)", ""),
        ("/w/CLAUDE.md", "- never `print()`", ""),
        ("/w/a.py", "# print(x) is forbidden", ""),
        ("/w/a.py", "log('print(x)')", ""),
        ("/w/a.py", "pprint(x); self.print(y); blueprint()", ""),
        ("/w/a.py", "if any(x): pass", ""),
        ("/w/a.ts", "// any of them\nconst s = 'any'", ""),
        ("/w/a.py", "    print(x, y)", "  print(x)"),
        ("/w/a.ts", "const lodash = 1", ""),
        ("/w/a.rs", "use super::parse;\nuse rayon::prelude::join;", ""),
        ("/w/tests/a.py", "print(x)", ""),
        ("/w/web/a.test.ts", "let x: any = y", ""),
        ("/w/env.py", "os.environ['A']", ""),
        ("/w/a.ts", "const s = `one\nany two`", ""),
        ("/w/a.py", 's = """one\nprint(x)\n"""', ""),
        ("/w/docs/apis/a.json", "{}", ""),
        ("/other/docs/api/a.json", "{}", ""),
        ("/w/schema.lock.py", "x", ""),
        ("/w/.claude/rules/a.yml", "x", ""),
        ("/w/release.sh", "git push --force", ""),
    ],
)
def test_other_lines_files_and_languages_are_silent(path: str, new: str, old: str) -> None:
    assert edit(path, new, old) == []


def test_a_patch_and_a_tool_that_only_reads() -> None:
    patch = "*** Begin Patch\n*** Update File: /w/a.py\n@@\n-x = 1\n+print(x)\n*** End Patch"
    assert codes("apply_patch", input=patch) == ["print()"]
    assert codes("Read", file_path="/w/docs/api/a.md") == []
    assert codes("Grep", pattern="print(", path="/w/a.py") == []


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    root = tmp_path / "shop"
    for folder in (".git", ".claude/rules", "web/src", "api"):
        (root / folder).mkdir(parents=True)
    return root


def test_files_of_the_project_and_the_user_are_found(project: Path) -> None:
    home = project.parent
    for name in ("CLAUDE.md", ".claude/rules/a.md", "web/AGENTS.md", "api/GEMINI.md"):
        (project / name).write_text("x", encoding="utf-8")
    (home / ".claude").mkdir()
    (home / ".claude" / "CLAUDE.md").write_text("x", encoding="utf-8")
    (home / "CLAUDE.md").write_text("x", encoding="utf-8")  # of no project
    settings = RuleSettings()
    names = [one.name for one in ban_places(settings, project / "web")]
    assert names == ["web/AGENTS.md", "CLAUDE.md", ".claude/rules/a.md", "~/.claude/CLAUDE.md"]
    assert ban_places(settings, project, str(project / "api" / "x.py"))[0].name == "api/GEMINI.md"
    assert [one.name for one in ban_places(settings, project, "/tmp/x.py")] == ["~/.claude/CLAUDE.md"]
    assert ban_places(RuleSettings(bans=False), project) == ()


def test_a_file_that_others_can_write_or_that_leads_out_is_not_read(project: Path) -> None:
    outside = project.parent / "outside.md"
    outside.write_text("- Never use `npm`.", encoding="utf-8")
    (project / "CLAUDE.md").symlink_to(outside)
    (project / "AGENTS.md").write_text("- Never use `npm`.", encoding="utf-8")
    assert [one.name for one in ban_places(RuleSettings(), project)] == ["AGENTS.md"]
    (project / "AGENTS.md").chmod(0o666)
    assert ban_places(RuleSettings(), project) == ()


def test_a_broken_ban_comes_first_with_its_place_as_id_and_says_exact(project: Path) -> None:
    text = "\n- Never use `cargo test`. Use `cargo nextest run`.\n"
    for name in ("CLAUDE.md", "AGENTS.md"):  # repeated: told once
        (project / name).write_text(text, encoding="utf-8")
    call = ToolCall("Bash", {"command": "cargo test"})
    found = add_bans(match(book_of([]), call), BanSource(folder=project), call, 3)
    (one,) = found.rules
    assert (one.id, one.match_type, one.line) == ("CLAUDE.md:2", "exact", 2)
    assert one.title == "Never use `cargo test`"
    assert one.solution == "Use `cargo nextest run`."
    assert one.why == ("forbidden code `cargo test` (exact match)",)
    assert found.trace[0].reason == "forbidden code (exact match)"
    assert found.similarity_scores == (None,)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_file_with_a_byte_order_mark_is_read(project: Path, encoding: str) -> None:
    (project / "CLAUDE.md").write_text("Never use `npm`.\r\n", encoding=encoding, newline="")
    (broken,) = BanSource(folder=project).broken("Bash", {"command": "npm install"})
    assert broken.id == "CLAUDE.md:1"


def test_a_banned_path_is_the_same_however_its_letters_are_composed(project: Path) -> None:
    (project / "CLAUDE.md").write_text("- Do not edit `문서/초안.md`\n", encoding="utf-8")
    edit = {"file_path": unicodedata.normalize("NFD", str(project / "문서" / "초안.md")), "content": "x"}
    assert len(BanSource(folder=project).broken("Write", edit)) == 1


def test_a_file_that_is_written_again_has_only_its_new_code(project: Path) -> None:
    (project / "CLAUDE.md").write_text("- Never use `shell=True`.", encoding="utf-8")
    (project / "a.py").write_text("run(x, shell=True)\n", encoding="utf-8")
    source = BanSource(folder=project)
    given = {"file_path": str(project / "a.py"), "content": "y = 1\nrun(x, shell=True)\n"}
    assert source.broken("Write", given) == ()
    given["content"] += "run(y, shell=True)\n"
    assert [one.id for one in source.broken("Write", given)] == ["CLAUDE.md:1"]


@pytest.mark.parametrize(
    ("name", "head", "found"),
    [
        ("a.pb.go", "// Copyright\n\n// Code generated by protoc. DO NOT EDIT.\npackage a", ["CLAUDE.md:1"]),
        ("a.py", "# DO NOT EDIT!\n# This file was auto-generated", ["CLAUDE.md:1"]),
        ("a.ts", "/**\n * @generated SignedSource\n */", ["CLAUDE.md:1"]),
        ("a.md", "---\nt: x\n---\n<!-- generated, do not edit -->", ["CLAUDE.md:1"]),
        ("proto/a.go", "// Code generated by x. DO NOT EDIT.", ["CLAUDE.md:2"]),
        ("keep.go", "// Code generated by x. DO NOT EDIT.", ["CLAUDE.md:3"]),
        ("a.cs", "// <auto-generated>\n//     This code was generated by a tool.", ["CLAUDE.md:1"]),
        ("a.php", "<?php\n\n/*\n Generated by x.\n Do not edit.\n*/", ["CLAUDE.md:1"]),
        ("a.go", "// Code of the generator\npackage a", []),
        ("build.rs", 'const HEAD: &str = r#"\n// generated by x, do not edit\n"#;', []),
        ("b.md", "# Generated files: do not edit", []),
        ("c.py", "HEAD = '// Code generated by x. DO NOT EDIT.'", []),
    ],
)
def test_a_file_that_says_that_it_is_generated(project: Path, name: str, head: str, found: list[str]) -> None:
    rules = "- Never edit generated files.\n- Never edit generated proto files.\n- Never edit `keep.go`.\n"
    if "proto" in name:
        rules = "\n" + rules.splitlines()[1]
    (project / "CLAUDE.md").write_text(rules, encoding="utf-8")
    (project / "proto").mkdir()
    (project / name).write_text(head, encoding="utf-8")
    source = BanSource(folder=project)
    given_ = {"file_path": str(project / name), "old_string": "a", "new_string": "b"}
    assert [one.id for one in source.broken("Edit", given_)] == found
    assert source.broken("Read", {"file_path": str(project / name)}) == ()
    assert source.broken("Edit", given_ | {"file_path": str(project / "new.go")}) == ()


@given(st.text(max_size=80), st.text(max_size=80), st.sampled_from(("a.py", "a.ts", "x.sql", "docs/api/a")))
def test_no_call_crashes_a_match(command: str, code: str, path: str) -> None:
    read = read_bans("\n".join(f"- Never {verb} `{code}`." for verb in ("use", "run", "edit", "import", "call")))
    for tool, given_ in (("Bash", {"command": command}), ("Edit", {"file_path": path, "new_string": command + code})):
        act = act_of(tool, given_)
        for ban in read.bans:
            broken(ban, act, read.advised, "/w")
