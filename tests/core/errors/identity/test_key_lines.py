"""Key lines: spans into the raw text, roles, envelopes, long and hostile outputs."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors.identity.fingerprint import identify, names_failure
from core.errors.identity.keylines.select import key_line
from core.text import MASK, clean, redact

TRACE = "Traceback (most recent call last):\n  File \"a.py\", line 1, in <module>\n    f()\nKeyError: 'rate'\n"


def squeezed(text: str) -> str:
    return "".join(text.split())


def holds(raw: str, text: str, start: int, end: int) -> bool:
    """Whether the characters of a key line stand in its span in their order; what lies between may be left out."""
    inside = iter(squeezed(clean(redact(raw)[start:end])))
    return all(sign in inside for sign in squeezed(text))


def test_blank_text_has_no_key_line() -> None:
    for text in ("", " ", "\n\t\n", "\x1b[0m", "\u200b"):
        assert identify(text).key_lines == ()
        assert key_line(text) == ""


def test_a_single_line_is_its_own_key_line_without_its_place() -> None:
    assert key_line("something odd happened") == "something odd happened"
    assert key_line("src/a.ts:12:3 - error TS1005: ';' expected.") == "error TS1005: ';' expected."
    assert key_line("  /work/a b/c.py:3: note") == "note"
    assert key_line("localhost:8080: connection refused") == "localhost:8080: connection refused"


@pytest.mark.parametrize(
    "mark",
    [
        "[output truncated]", "... [327 lines truncated] ...", "[... omitted 12 of 22 lines ...]",
        "[Output truncated after 25 lines: too many lines or bytes.]",
    ],
)  # fmt: skip
def test_the_mark_of_a_cut_output_is_no_key_line(mark: str) -> None:
    assert key_line(f"something odd happened\n{mark}\n") == "something odd happened"
    assert key_line(mark) == mark, "unless there is nothing else"


def test_the_span_is_tight_in_coloured_text() -> None:
    raw = "\x1b[1msrc/a.ts\x1b[0m:\x1b[93m3\x1b[0m:1 - \x1b[91merror\x1b[0m TS1005: ';' expected.\nFound 1 error.\n"
    line = identify(raw).key_lines[0]
    assert line.text == "error TS1005: ';' expected."
    assert raw[line.start : line.end] == "error\x1b[0m TS1005: ';' expected."


def test_output_that_begins_within_a_failure_is_named_by_its_summary() -> None:
    rest = "E         2. **Add the tests** that the error names\n\ntests/test_shop.py:8: Failed\n"
    said = "FAILED tests/test_shop.py::test_total - Failed: shop/total failed 2/4 rubric items:\n1 failed in 0.1s\n"
    assert key_line(rest + said) == "Failed: shop/total failed 2/4 rubric items:"
    assert key_line(f"E   assert 3 == 4\n{said}") == "assert 3 == 4"
    assert key_line(f"E   fixture 'shop' not found\n{said}") == "Failed: shop/total failed 2/4 rubric items:"
    assert key_line("E   fixture 'shop' not found\n1 error in 0.1s\n") == "fixture 'shop' not found"


@pytest.mark.parametrize("escape", ["^[", "\\x1b", "\\x1B", "\\033", "\\u001b", "\\e"])
def test_a_colour_that_is_written_as_text_is_no_part_of_a_key_line(escape: str) -> None:
    raw = "3 files\n\x1b[1msrc/a.ts\x1b[0m:3:1 - \x1b[91merror\x1b[0m TS1005: ';' expected.\nFound 1 error.\n"
    shown = raw.replace("\x1b", escape)
    line = identify(shown).key_lines[0]
    assert (line.tool, line.text) == ("tsc", "error TS1005: ';' expected.")
    assert shown[line.start : line.end] == f"error{escape}[0m TS1005: ';' expected."
    assert key_line(f"{escape}[31;1merror: no such order{escape}[0m") == "error: no such order"


@pytest.mark.parametrize(
    "wrap",
    [
        lambda text: "Exit code 1\n" + text,
        lambda text: f"<tool_use_error>{text.strip()}</tool_use_error>",
        lambda text: "Chunk ID: a1\nWall time: 0.1 seconds\nProcess exited with code 1\nOutput:\n" + text,
        lambda text: json.dumps({"output": text, "metadata": {"exit_code": 1}}),
        lambda text: json.dumps({"stdout": "", "stderr": text, "exit_code": 1}, ensure_ascii=False),
        lambda text: "".join(f"2026-03-02T08:00:00.1234567Z {line}\n" for line in text.splitlines()),
        lambda text: "".join(f"#7 0.{number:03} {line}\n" for number, line in enumerate(text.splitlines(), 101)),
        lambda text: "".join(f"worker-1  | {line}\n" for line in text.splitlines()),
        lambda text: "".join(f"Mar 02 08:00:00 host app[71]: {line}\n" for line in text.splitlines()),
        lambda text: "".join(f"[stderr] {line}\n" for line in text.splitlines()),
        lambda text: "".join(f"    {line}\n" for line in text.splitlines()),
        lambda text: "".join(f"> {line}\n" for line in text.splitlines()),
        lambda text: "```\n" + text + "```\n",
        lambda text: text.replace("\n", "\r\n"),
        lambda text: "10%\r50%\r100%\n" + text,
    ],
)  # fmt: skip
def test_envelopes_are_taken_off(wrap) -> None:
    raw = wrap(TRACE)
    line = identify(raw).key_lines[0]
    assert line.text == "KeyError: 'rate'"
    assert line.tool == "python"
    assert holds(raw, line.text, line.start, line.end)
    assert raw[line.start : line.end] == "KeyError: 'rate'"


def test_a_json_span_points_into_the_escaped_string() -> None:
    raw = json.dumps({"output": 'a\nfatal: "x" 없음\n', "metadata": {"exit_code": 1}})
    line = identify(raw).key_lines[0]
    assert line.text == 'fatal: "x" 없음'
    assert raw[line.start : line.end] == 'fatal: \\"x\\" \\uc5c6\\uc74c'


def test_each_result_of_a_script_keeps_its_place() -> None:
    raw = (
        "Script completed\nWall time 0.3 seconds\nOutput:\n\n"
        '{"exit_code":0,"output":"clean\\n"}\n'
        '{"exit_code":2,"output":"\\u001b[31ma.ts(1,2): error TS2304: no \\"x\\"\\u001b[0m"}'
    )
    line = identify(raw).key_lines[0]
    assert (line.text, raw[line.start : line.end]) == ('error TS2304: no "x"', 'error TS2304: no \\"x\\"')
    assert identify('Output:\n{"exit_code":130,"output":""}').key_lines == ()


def test_compilers_name_several_errors_of_their_own() -> None:
    found = identify("a.c:1:2: error: first\na.c:9:2: error: second\na.c:9:2: error: second\n")
    assert [(line.text, line.role) for line in found.key_lines] == [
        ("error: first", "primary"),
        ("error: second", "primary"),
    ]


def test_a_long_output_is_read_at_both_ends() -> None:
    filler = "building target\n" * 40_000
    raw = filler + TRACE + "bye\n"
    line = identify(raw).key_lines[0]
    assert line.text == "KeyError: 'rate'"
    assert raw[line.start : line.end] == line.text
    assert identify(TRACE + filler).key_line == "KeyError: 'rate'"


def test_a_line_without_end_is_read_up_to_its_limit() -> None:
    found = identify("error: " + "x" * 3_000_000)
    assert found.key_line.startswith("error: xxx")
    assert len(found.key_line) <= 8192


def test_a_secret_never_reaches_a_name() -> None:
    found = identify("psql: error: password=hunter2hunter2 rejected\n")
    assert "hunter2" not in found.key_line + found.normalized + found.fingerprint
    assert MASK in found.key_line


@given(st.text(max_size=800))
def test_any_text_has_names_and_spans_inside_it(raw: str) -> None:
    found = identify(raw)
    assert found.key_line == key_line(raw)
    for rank, line in enumerate(found.key_lines):
        assert 0 <= line.start < line.end <= len(raw)
        assert line.text.strip() == line.text != ""
        assert "\n" not in line.text
        assert line.role == "primary" or rank > 0 or all(other.role == "secondary" for other in found.key_lines)
        assert holds(raw, line.text, line.start, line.end)


_SCRAPS = st.sampled_from(
    """Traceback (most recent call last):
  File "a.py", line 1
ValueError: x
error: y
a.c:1:2: error: z
E   boom
● t › u
    at f (a.js:1:2)
   ^
Error: n
npm error code X
npm error why
  |
  +-+---------------- 1 ----------------
    | OSError: o
panicked at a.rs:1:2:
\x1b[31mred\x1b[0m
{
"message": "m"
#3 0.12 go
web-1  | up
Expected:
    3
Got:
    4
Failed example:
--- FAIL: T
    a_test.go:3: no
* What went wrong:
> why
CMake Error at a:1 (b):
  because
오류: 없음
\r
A.java:1: error: cannot find symbol
  symbol: x
× no
  ╰─▶ as
  1) t
not ok 1
""".splitlines()
)


@given(st.lists(_SCRAPS, max_size=14).map("\n".join))
def test_any_mix_of_outputs_keeps_its_spans(raw: str) -> None:
    for line in identify(raw).key_lines:
        assert 0 <= line.start < line.end <= len(raw)
        assert holds(raw, line.text, line.start, line.end)


@given(st.text(alphabet=st.characters(exclude_categories=("Cs",)), max_size=300).filter(lambda text: "\n" not in text))
def test_the_key_line_of_a_key_line_is_itself(raw: str) -> None:
    line = key_line(raw)
    assert key_line(line) == line


@pytest.mark.parametrize(
    ("output", "key"),
    [
        (
            "--- FAIL: TestImage (5.79s)\n    docker_test.go:48: make check failed: exit=2 timeout=false\n"
            "        ./scripts/check.sh\n        ./scripts/check.sh: line 13: rg: command not found\n"
            "        make: *** [Makefile:30: check] Error 127\nFAIL\n",
            "./scripts/check.sh: line 13: rg: command not found",
        ),
        (
            "    flow_test.go:9: Phase 1: commit\n    flow_test.go:22: StepCount should be 0, got 1\n"
            "    flow_test.go:35: Data at 1f0c\n    flow_test.go:39: test completed\n--- FAIL: TestA (1s)\nFAIL\n",
            "StepCount should be 0, got 1",
        ),
        (
            "--- FAIL: TestA (0.95s)\n    hooks.go:196: Hook output: Captured state\n"
            "    resume_test.go:387: resume failed: exit status 1\n"
            "        Output: you have uncommitted changes. Please commit or stash them first\nFAIL\n",
            "you have uncommitted changes. Please commit or stash them first",
        ),
        (
            "    e2e_test.go:137: cannot resolve the base commit\n    e2e_test.go:215: api logs:\n"
            '        {"level":"INFO","msg":"API service ready"}\n--- FAIL: TestA (90.34s)\nFAIL\n',
            "cannot resolve the base commit",
        ),
        (
            "    e2e_test.go:253: cannot resolve the base commit\n"
            "    testing.go:1464: TempDir RemoveAll cleanup: openfdat /tmp/a: permission denied\n"
            "--- FAIL: TestA (1.27s)\nFAIL\n",
            "cannot resolve the base commit",
        ),
        (
            "====== FAILURES ======\n______ test_wheel ______\n>       assert done.returncode == 0, done.stderr\n"
            "E       AssertionError: Traceback (most recent call last):\n"
            'E           File "/tmp/cli.py", line 4, in <module>\nE             import rfc8785\n'
            "E         ModuleNotFoundError: No module named 'rfc8785'\n",
            "ModuleNotFoundError: No module named 'rfc8785'",
        ),
        (
            "Exception ignored while flushing sys.stdout:\nBrokenPipeError: [Errno 32] Broken pipe\nswitched\n"
            "/usr/bin/bash: line 1: jq: command not found\n",
            "/usr/bin/bash: line 1: jq: command not found",
        ),
        ("Successfully built dd48c6\n./inspect.sh\nmake: *** [Makefile:9: images] Error 141\n", None),
        (" Container a-1 Started\ncontainer a-1 exited (1)\nmake: *** [up] Error 1\n", "container a-1 exited (1)"),
    ],
)
def test_what_a_wrapper_holds_names_the_failure(output: str, key: str | None) -> None:
    first = identify(output).key_lines[0]
    assert first.role == "primary"
    assert key is None or (first.text, output[first.start : first.end]) == (key, key)


def test_an_interrupted_make_names_nothing() -> None:
    assert identify("a\nb\nmake: *** [Makefile:9: images] Error 130\n").key_lines[0].role == "secondary"


HOOK = "    hooks.go:196: Hook stop output: 2026/01/30 20:56:28 INFO stop component=hooks agent=claude-code\n"


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (HOOK, ["--- FAIL: TestShadow (0.24s)"]),
        ("    shadow_test.go:49: HEAD on feature: b638223\n" + HOOK, ["--- FAIL: TestShadow (0.24s)"]),
        (
            "    shadow_test.go:50: expected 2 checkpoints, got 1\n" + HOOK,
            ["expected 2 checkpoints, got 1", "--- FAIL: TestShadow (0.24s)"],
        ),
        (
            HOOK + "    shadow_test.go:51: no checkpoint\n",
            ["no checkpoint", "--- FAIL: TestShadow (0.24s)"],
        ),
        (
            "    hooks.go:9: git output: fatal: not a git repository\n",
            ["git output: fatal: not a git repository", "--- FAIL: TestShadow (0.24s)"],
        ),
    ],
)
def test_what_a_go_test_logs_of_another_program_names_nothing(said: str, expected: list[str]) -> None:
    found = identify(f"=== RUN   TestShadow\n--- FAIL: TestShadow (0.24s)\n{said}FAIL\n")
    assert [line.text for line in found.key_lines] == expected


def test_that_there_are_too_many_errors_names_none() -> None:
    cut = "cmd/a.go:9:4: too many errors (typecheck)\n"
    found = identify(f"cmd/a.go:3:4: undefined: foo (typecheck)\n{cut}")
    assert [line.text for line in found.key_lines] == ["undefined: foo (typecheck)"]
    assert not names_failure(identify(f"{cut}FAIL\n"))


@pytest.mark.parametrize("after", ["", " [recovered]", " [recovered, repanicked]"])
def test_what_became_of_a_panic_is_no_part_of_its_key(after: str) -> None:
    output = f"=== RUN   TestA\n--- FAIL: TestA (0.00s)\npanic: boom{after}\n\ngoroutine 6 [running]:\nFAIL\ta\t0.1s\n"
    assert identify(output).key_line == "panic: boom"
    assert identify(f"panic: boom{after}").fingerprint == identify("panic: boom").fingerprint


def test_a_list_with_bullets_is_no_report_of_jest() -> None:
    assert identify("● Checkpoint fa3c8337b5a4\n  session  b999d973\n  created  2026-07-22 22:16:54\n").tool != "jest"
    assert identify("● Validation Error:\n\n  Module jsdom not found.\n").key_line == "Module jsdom not found."
    assert identify("  ● cart › discount\n\n    expected 90, got 100\n").key_line == "expected 90, got 100"


@pytest.mark.parametrize("text", ["0\n", "12%\n", "docker: 2\naws: 9\n", "install: true\ncache: true\n"])
def test_a_number_or_a_setting_names_no_failure(text: str) -> None:
    assert all(one.role == "secondary" for one in identify(text).key_lines)


def test_the_name_of_a_test_says_more_than_got() -> None:
    text = (
        "=== RUN   TestTake\n    take_test.go:21: got:\n        \n        export A=1\n        \n        want:\n"
        "        export A=1\n--- FAIL: TestTake (0.00s)\nFAIL\nFAIL\tacme.io/shop\t0.013s\n"
    )
    assert identify(text).key_lines[0].text == "--- FAIL: TestTake (0.00s)"
