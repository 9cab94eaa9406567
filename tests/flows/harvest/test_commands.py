"""What a command line is taken to be: its family, what hides its exit code, what it changes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.flows.harvest.changes import change_of
from core.flows.harvest.command import chained, command_of, parse_command, split


@pytest.mark.parametrize(
    "command",
    [
        "npm test",
        "npm run test",
        "cd api && npm test",
        "CI=1 npm test",
        "sudo npm test",
        "time npm test 2>&1",
        "npm test 2>&1 | tail -20",
        "npm test | grep -v skipped | head -40",
        "npm test || true",
        "npm test; echo done",
        "npm test > out.log 2>&1; tail -5 out.log",
        "set -o pipefail; npm test | tee log.txt",
        "bash -lc 'cd web && npm test'",
        "timeout 120 npm test",
        "$env:CI = 1; npm.cmd test",
        "cd C:\\Users\\김\\web && npm test",
        "git status && npm test",
        "source .venv/bin/activate && npm test",
    ],
)
def test_one_family_however_it_is_wrapped(command: str) -> None:
    assert parse_command(command).family == "npm test"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("python -m pytest -q", "uv run pytest -q"),
        ("./gradlew build", "gradlew.bat build"),
        ("python3.12 app.py", "py app.py"),
        ("npx tsc -b", "node_modules/.bin/tsc -b"),
        ("docker-compose up -d", "docker compose up -d"),
        ('git commit -m "one thing"', "git commit -m 'another'"),
        ("git -C web log -3 -- a.py", "git log -3 -C web -- a.py"),
        ("fnm exec --using=24 -- corepack pnpm exec tsc -b", "npx tsc -b"),
        ("volta run --node 20 tsc -b", "npx tsc -b"),
    ],
)
def test_spellings_of_one_program(one: str, other: str) -> None:
    assert parse_command(one).family == parse_command(other).family


@pytest.mark.parametrize(
    ("command", "masked", "view"),
    [
        ("npm test", False, "whole"),
        ("npm test && echo ok", False, "whole"),
        ("npm test | tail -5", True, "tail"),
        ("set -o pipefail; npm test | tail -5", False, "tail"),
        ("npm test || true", True, "whole"),
        ("npm test; echo done", True, "whole"),
        ("npm test; exit $?", False, "whole"),
        ("npm test | grep FAIL", True, "part"),
        ("npm test | grep -c FAIL", True, "hidden"),
        ("npm test > out.log", False, "hidden"),
        ("npm test > /dev/null", False, "whole"),
        ("npm run build & npm test", True, "hidden"),
        ("for f in a b; do node $f; done", True, "whole"),
    ],
)
def test_what_hides_an_exit_code_and_an_output(command: str, masked: bool, view: str) -> None:
    parsed = parse_command(command)
    assert (parsed.masked, parsed.view) == (masked, view)


def test_operators_inside_quotes_heredocs_and_substitutions_join_nothing() -> None:
    assert len(split("git commit -m \"$(cat <<'EOF'\nfix: a && b; c\nEOF\n)\" && git push")) == 2
    (script, test) = split("python - <<'EOF'\na && b\nEOF\nnpm test")
    assert script.fed == "a && b\n" and test.words == ("npm", "test")
    assert [simple.words for simple in split("echo \"a; b\" 'c | d' e\\ f")] == [("echo", "a; b", "c | d", "e f")]


def test_a_setting_for_one_commit_makes_another_command() -> None:
    assert parse_command("git -c commit.gpgsign=false commit -m a").family == "git -c commit.gpgsign=false commit"


@given(st.text(max_size=200))
def test_no_text_breaks_the_splitter(text: str) -> None:
    parsed = parse_command(text)
    assert all(simple.words or simple.targets for simple in split(text))
    assert parsed.family == parse_command(text).family


@pytest.mark.parametrize(
    "text", ["(" * 9000, '"' * 9001, "\\" * 9000, "$(" * 5000, "<" * 9000, "a b " * 4000, "#" * 9000]
)
def test_hostile_commands_are_read_in_one_pass(text: str) -> None:
    assert isinstance(parse_command(text).family, str)


@pytest.mark.parametrize(
    "command",
    [
        "npm i -D vitest",
        "npm --prefix web install",
        "git -C web checkout main",
        "uv add httpx",
        "rm -rf node_modules",
        "sed -i 's/a/b/' Makefile",
        "git checkout -- src/a.ts",
        "export TOKEN=abc",
        "cat > conf.toml <<'EOF'\na = 1\nEOF",
        "echo '{}' >> data.json",
        "docker compose up -d db",
        "python manage.py migrate",
        "make db-migrate",
        "psql -c 'alter table t add c int'",
        "python - <<'EOF'\nopen('a.txt', 'w').write('x')\nEOF",
        "kill 4711",
        "bash -lc \"apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: a.py\n*** End Patch\nEOF\"",
    ],
)
def test_commands_that_change_something(command: str) -> None:
    assert change_of("Bash", {"command": command}, command_of("Bash", {"command": command}), {}) is not None


@pytest.mark.parametrize(
    "command",
    [
        "ls -la",
        "pytest -q",
        "npm test > out.log 2>&1",
        "cargo check",
        "git diff",
        "pip list",
        "docker ps",
        "aws s3 ls",
        "psql -c 'select 1'",
        "python -c 'print(1)'",
        "cat a.py > /dev/null",
        "curl localhost:3000",
        "cd src && ls",
        "git -C web -c color.ui=false log -3",
        "git --no-pager stash list",
        "docker compose -f dev.yml logs db",
        "kubectl -n shop get pods",
        "npm --prefix web test",
    ],
)
def test_commands_that_change_nothing(command: str) -> None:
    assert change_of("Bash", {"command": command}, command_of("Bash", {"command": command}), {}) is None


def test_files_of_a_patch_and_of_a_command_are_named() -> None:
    patch = "*** Begin Patch\n*** Add File: src/새.py\n+x\n*** Update File: b.py\n@@\n-old\n+new\n*** End Patch"
    change = change_of("apply_patch", {"input": patch}, None, {})
    assert change is not None and change.files == ("src/새.py", "b.py")
    assert (change.hints[1].old, change.hints[1].new) == ("old", "new")
    command = command_of("Bash", {"command": "sed -i 's/1/2/' conf/app.ini"})
    written = change_of("Bash", {}, command, {})
    assert written is not None and written.files == ("conf/app.ini",)


def test_codex_arguments_are_read_like_a_line() -> None:
    command = command_of("shell", {"command": ["bash", "-lc", "npm test | tail"], "workdir": "/w/api"})
    assert command is not None and (command.family, command.directory) == ("npm test", "/w/api")
    assert command_of("Read", {"command": "npm test"}) is None


@pytest.mark.parametrize(
    ("command", "texts"),
    [
        ("a 'x && y' && b; c \"$(d; e)\"\nf | g", ("a 'x && y'", "b", 'c "$(d; e)"', "f | g")),
        ("for a in b; do c; done", ("for a in b; do c; done",)),
        ("cat <<'EOF' && b\na && c\nEOF", ("cat <<'EOF' && b\na && c\nEOF",)),
        ("", ()),
    ],
)
def test_what_runs_one_after_the_other(command: str, texts: tuple[str, ...]) -> None:
    assert chained(command) == texts


@given(st.lists(st.sampled_from(["npm", "run", "npm run", "test", "run test", ""]), max_size=4))
def test_a_part_is_named_by_its_first_words(words: list[str]) -> None:
    (part,) = parse_command("npm run test").parts
    table = frozenset({"npm run test", "run test", "npm", "npm run npm", "test"})
    named = [n for n in (3, 2, 1) if len(words) >= n and " ".join(words[:n]) in table]
    assert part._replace(words=tuple(words)).width(table) == (named[0] if named else 0)


@pytest.mark.parametrize(
    "command",
    [
        "npm run",
        "pnpm run | grep test",
        "cd web && yarn run",
        "make -n image",
        "git rebase --show-current-patch",
        "mix hex.info jason",
    ],
)
def test_to_list_or_to_print_is_a_look(command: str) -> None:
    assert parse_command(command).reads_only
    assert not parse_command(f"{command} && npm run build").reads_only
