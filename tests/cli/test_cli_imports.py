"""What a command may load: nothing heavy, and only the module of its own group."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

Spawn = Callable[..., Any]
HEAVY = ("textual", "rich", "numpy", "fastembed", "onnxruntime", "watchfiles", "sqlite_vec", "tui")
_WATCHED = """
import sys
from cli.main import main
code = main(sys.argv[1:])
import json
print(json.dumps([code, sorted(sys.modules)]), file=sys.stderr)
"""


def loaded(spawn: Spawn, *args: str, stdin: bytes = b"", **env: str) -> tuple[int, set[str]]:
    done = spawn(*args, stdin=stdin, code=_WATCHED, **env)
    code, modules = json.loads(done.said.strip().split("\n")[-1])
    return code, set(modules)


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (("errors", "record", "--error", "Error: x y", "--resolution", "z"), 0),
        (("errors", "search", "Error: x y"), 1),
        (("errors", "search", "Error: x y", "--tiers", "all"), 1),
    ],
)  # fmt: skip
def test_nothing_heavy_is_loaded(spawn: Spawn, args: tuple[str, ...], code: int) -> None:
    ended, modules = loaded(spawn, *args)
    assert ended == code
    assert not [name for name in modules if name.partition(".")[0] in HEAVY]


def test_the_demonstration_loads_nothing_heavy_where_there_is_no_model(spawn: Spawn) -> None:
    ended, modules = loaded(spawn, "demo", CASEBOOK_EMBEDDING_MODEL="all-mpnet-base-v2")
    assert ended == 0
    assert not [name for name in modules if name.partition(".")[0] in HEAVY]


def test_a_search_loads_its_own_group_alone(spawn: Spawn) -> None:
    _, modules = loaded(spawn, "errors", "search", "-", stdin=b"Error: x y")
    own = {name for name in modules if name.startswith("cli.")}
    assert own == {
        f"cli.{name}" for name in ("main", "program", "parser", "output", "layout", "context", "errors", "show")
    }
    assert not modules & {"tomllib", "platformdirs", "tempfile", "csv", "subprocess", "asyncio", "importlib.metadata"}
    assert {name for name in modules if name.startswith("core.flows.")} == {"core.flows.vectors"}


def test_the_version_loads_no_parser(spawn: Spawn) -> None:
    _, modules = loaded(spawn, "--version")
    assert not modules & {"argparse", "dataclasses", "core.errors", "cli.program"}
