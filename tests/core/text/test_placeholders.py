"""Commands with what is one person's or one moment's own replaced."""

from __future__ import annotations

import pytest

from core.text.placeholders import with_placeholders

PROJECT = "/home/ana/shop"


@pytest.mark.parametrize(
    ("command", "plain"),
    [
        ("rm /home/ana/shop/.git/index.lock", "rm .git/index.lock"),
        ("cat /home/ben/other/notes.txt", "cat <path>"),
        ("ls /Users/ana/x y", "ls <path> y"),
        ("rm -rf ~/.gradle/caches", "rm -rf ~/.gradle/caches"),
        ("cp /home/ana/.npmrc .", "cp ~/.npmrc ."),
        ("sort /tmp/run-17/out.txt", "sort <path>"),
        ("cat /etc/hosts", "cat /etc/hosts"),
        ("git push -u origin fix/login", "git push -u origin <branch>"),
        ("git push origin main", "git push origin main"),
        ("git push origin HEAD:wip", "git push origin HEAD:<branch>"),
        ("git checkout -b try-2 origin/next && make", "git checkout -b <branch> origin/<branch> && make"),
        ("git checkout src/app.py", "git checkout src/app.py"),
        ("git -C sub rebase next; ls next", "git -C sub rebase <branch>; ls next"),
        ("git rebase HEAD~3", "git rebase HEAD~3"),
        ("git worktree list\necho done\ngit switch next", "git worktree list\necho done\ngit switch <branch>"),
        ("git push origin \\\n  next", "git push origin \\\n  <branch>"),
        ("git commit -m 'fix the till' && ls", "git commit -m <message> && ls"),
        ("gh pr view 214 --json state", "gh pr view <number> --json state"),
        ("gh pr create --head wip --title 'One two'", "gh pr create --head <branch> --title <message>"),
        ("gh api repos/a/b/pulls/17/files", "gh api repos/a/b/pulls/<number>/files"),
        ("echo 'closes #31'", "echo 'closes #<number>'"),
        ("git show 4f2a91c", "git show <id>"),
        ("gh run view 11522334455", "gh run view <number>"),
        ("kubectl logs 5f0c2f6e-9d3e-4b6e-8f52-0d2f1d1f9a11", "kubectl logs <id>"),
        ("kill -9 $(lsof -ti :3000)", "kill -9 $(lsof -ti :3000)"),
        ("npm install --legacy-peer-deps", "npm install --legacy-peer-deps"),
        ("timeout 600 make -j8 deadbeef", "timeout 600 make -j8 deadbeef"),
    ],
)  # fmt: skip
def test_what_is_ones_own_becomes_a_placeholder(command: str, plain: str) -> None:
    assert with_placeholders(command, PROJECT) == plain


def test_a_short_project_folder_is_left_out_only_where_a_path_begins() -> None:
    assert with_placeholders("cat /app/main.py /usr/src/app/main.py", "/app") == "cat main.py /usr/src/app/main.py"
    assert with_placeholders("at file:///app/main.py, 경로/app/main.py", "/app") == "at file://main.py, 경로main.py"


def test_placeholders_stay() -> None:
    plain = with_placeholders("git push origin wip && gh pr view 3 && cat /home/x/y", PROJECT)
    assert with_placeholders(plain, PROJECT) == plain


@pytest.mark.parametrize(
    ("command", "plain"),
    [
        ("/home/ben/.nvm/versions/node/v22/bin/node --run check", "<path>/node --run check"),
        ("python3 /tmp/claude-501/work/check.py", "python3 <path>/check.py"),
        ("python3 /tmp/claude-501/work/notes.txt", "python3 <path>"),
        ("cd /Users/ana/private && ./x.sh", "cd <path> && ./x.sh"),
        ("node C:\\Users\\ana\\lib\\npm-cli.js install", "node <path>/npm-cli.js install"),
        ("PATH=/home/ben/bin:$PATH ls", "PATH=<path> ls"),
        ("~/.local/bin/uv sync", "~/.local/bin/uv sync"),
    ],
)
def test_programs_and_scripts_may_keep_their_names(command: str, plain: str) -> None:
    shown = with_placeholders(command, PROJECT, programs=True)
    assert shown == plain and with_placeholders(shown, PROJECT, programs=True) == plain
    assert "<path>/" not in with_placeholders(command, PROJECT)
