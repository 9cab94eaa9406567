"""What an environment lacks, by the messages of shells, package managers, git and sandboxes."""

from __future__ import annotations

import pytest

from core.errors.identity.codes import Lack, lack_of

LINES = [
    ("zsh:1: command not found: jq", Lack("program", "jq")),
    ("bash: line 3: jq: command not found", Lack("program", "jq")),
    ('exec: "docker": executable file not found in $PATH', Lack("program", "docker")),
    ("Error: spawn ffmpeg ENOENT", Lack("program", "ffmpeg")),
    ("ModuleNotFoundError: No module named 'yaml'", Lack("module", "yaml")),
    ("Error: Cannot find module './local'", None),
    ("ssh: Could not resolve hostname github.com: -65563", Lack("network", "github.com")),
    ("dial tcp: lookup proxy.golang.org: no such host", Lack("network", "proxy.golang.org")),
    ("Error: getaddrinfo ENOTFOUND registry.npmjs.org", Lack("network", "registry.npmjs.org")),
    ("Failed to connect to localhost port 8080 after 0 ms: Couldn't connect", Lack("service", "localhost:8080")),
    ("Error: connect ECONNREFUSED 127.0.0.1:5432", Lack("service", "127.0.0.1:5432")),
    ("dial tcp 1.2.3.4:443: i/o timeout", None),
    ("error: gpg failed to sign the data", Lack("signing", "")),
    ("fatal: Unable to create '/w/.git/index.lock': File exists.", Lack("lock", "index.lock")),
    ("open /home/me/.cache/go-build/58/5-d: operation not permitted", Lack("write", "~/.cache/go-build/58")),
    ("fatal: Unable to create '/w/.git/index.lock': Operation not permitted", Lack("write", ".git")),
    ("zsh:1: no matches found: --include=*.go", Lack("glob", "zsh")),
    ("404 page not found", None),
    ("permission denied: ", None),
]  # fmt: skip


@pytest.mark.parametrize(("line", "lack"), LINES)
def test_what_a_line_says_is_lacking(line: str, lack: Lack | None) -> None:
    assert lack_of(line) == lack
