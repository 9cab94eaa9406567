"""Outputs of a failing and of a passing run, in the shapes of four tools."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FailingRun:
    """A command, what it printed when it failed, its exit code, and what it prints when it passes."""

    command: str
    output: str
    code: int
    passes: str


def failing(rng: random.Random, names: list[str]) -> FailingRun:
    """A failing run of one of the tools, its error named after `names`."""
    shapes: tuple[Callable[[random.Random, list[str]], FailingRun], ...] = (_vitest, _tsc, _pytest, _cargo)
    return rng.choice(shapes)(rng, names)


def passing(rng: random.Random, run: FailingRun) -> str:
    """What the command of `run` prints once it passes, in `rng`'s numbers."""
    return run.passes.format(count=rng.randint(5, 400), seconds=rng.randint(1, 90))


def _vitest(rng: random.Random, names: list[str]) -> FailingRun:
    first, second, third = names
    files = "\n".join(f" ✓ test/{first}{at}.test.ts ({at + 2} tests) {at + 4}ms" for at in range(rng.randint(4, 30)))
    line = rng.randint(3, 300)
    output = (
        f"\n> shop@0.4.0 test\n> vitest run\n\n{files}\n ❯ test/{second}.test.ts (9 tests | 1 failed) 31ms\n"
        f"   × {second} > keeps {third}\n\n FAIL  test/{second}.test.ts > {second} > keeps {third}\n"
        f"TypeError: Cannot read properties of undefined (reading '{third}')\n ❯ {first} src/{second}.ts:{line}:11\n"
        f"    {line}|   return {first}.{third};\n       |           ^\n\n Tests  1 failed | 40 passed (41)\n"
    )
    return FailingRun("npm test", output, 1, files + "\n Tests  {count} passed ({count})\n   Duration  {seconds}s\n")


def _tsc(rng: random.Random, names: list[str]) -> FailingRun:
    first, second, third = names
    found = "\n".join(
        f"src/{first}/{second}.ts({rng.randint(1, 400)},7): error TS2339: Property '{third}{at}' does not exist on type"
        f" '{first.title()}'."
        for at in range(rng.randint(1, 12))
    )
    return FailingRun("npx tsc --noEmit -p tsconfig.json", found + "\n" + "\n" * rng.randint(0, 2), 2, "")


def _pytest(rng: random.Random, names: list[str]) -> FailingRun:
    first, second, third = names
    body = "\n".join(f"    {name} = load('{name}', {at})" for at, name in enumerate(names * rng.randint(2, 10)))
    test, source = f"tests/test_{second}.py", f"src/{second}.py"
    output = (
        f"....F{'.' * rng.randint(5, 60)}  [100%]\n{'=' * 34} FAILURES {'=' * 34}\n_____ test_{first} _____\n\n"
        f"    def test_{first}(tmp_path):\n{body}\n>       assert {second}.rows('{third}') == 3\n\n"
        f"{test}:{rng.randint(9, 400)}: \n_ _ _ _ _\n\n    def rows(self, name):\n"
        f">       return self._rows[name]\nE       KeyError: '{third}'\n\n{source}:{rng.randint(9, 400)}: KeyError\n"
        f"{'=' * 27} short test summary info {'=' * 27}\nFAILED {test}::test_{first} - KeyError: '{third}'\n"
        f"1 failed, {rng.randint(5, 300)} passed in 2.31s\n"
    )
    return FailingRun(f"uv run pytest -q {test}", output, 1, "..........  [100%]\n{count} passed in {seconds}.2s\n")


def _cargo(rng: random.Random, names: list[str]) -> FailingRun:
    first, second, third = names
    built = "\n".join(f"   Compiling {name}-{at} v0.{at}.1" for at, name in enumerate(names * rng.randint(1, 12)))
    line = rng.randint(5, 600)
    output = (
        f"{built}\nerror[E0425]: cannot find value `{third}` in this scope\n --> src/{second}.rs:{line}:17\n    |\n"
        f"{line} |     let {first} = {third}.len();\n    |                 ^^^^^ not found in this scope\n\n"
        f"For more information about this error, try `rustc --explain E0425`.\n"
        f"error: could not compile `{first}` (lib) due to 1 previous error\n"
    )
    return FailingRun(
        "cd crates && cargo build 2>&1", output, 101, built + "\n    Finished `dev` profile in {seconds}s\n"
    )
