"""Signs, raised figures and a terminal's escapes: what changes the sense is asked about, what is form is not."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.align import AlignSettings, Session, align_quote
from core.align.normalized_view import View

SETTINGS = AlignSettings()
DATA = Path(__file__).parents[3] / "data" / "align" / "meaning"


def status(source: str, quote: str) -> str:
    text = f"Notes from the shift.\n\n{source}\n\n그 밖의 일은 없었다. Nothing else to tell."
    return align_quote(Session([text]), 0, quote, SETTINGS).status


@pytest.mark.parametrize(
    ("source", "quote"),
    [
        ("Before the copy I ran chmod -w data/ledger on the node.", "I ran chmod +w data/ledger on the node."),
        ("The wrapper begins with `set -u` and ends there.", "The wrapper begins with `set +u` and ends there."),
        ("The kernel module is built with `-DTRACE` on arm.", "The kernel module is built with `-UTRACE` on arm."),
        ("We ran `kubectl label node n4 zone-` at noon.", "We ran `kubectl label node n4 zone` at noon."),
        ("The loop stops when `!queue.empty()` holds.", "The loop stops when `queue.empty()` holds."),
        ("The bound starts at -inf before the search.", "The bound starts at +inf before the search."),
        ("The hook reads ~root/.profile at login.", "The hook reads root/.profile at login."),
        ("Every glob like *.tmp is swept at night.", "Every glob like .tmp is swept at night."),
        ("The ports 8000-8010 are open to the mesh.", "The ports 8000 8010 are open to the mesh."),
        ("The rate was 2e-5 in the last epoch.", "The rate was 2e5 in the last epoch."),
        ("The mask is a ^ b in the driver.", "The mask is a & b in the driver."),
        ("The reader accepts version ~= 2.4 of it.", "The reader accepts version == 2.4 of it."),
        ("백업 전에 `set -o pipefail`을 넣었다.", "백업 전에 `set +o pipefail`을 넣었다."),
        ("새벽 기온은 영하 7도까지 내려갔다.", "새벽 기온은 7도까지 내려갔다."),
    ],
)
def test_a_changed_sign_is_asked_about(source: str, quote: str) -> None:
    assert status(source, quote) == "flagged"
    assert status(source, source) == "aligned"


@pytest.mark.parametrize(
    ("source", "quote"),
    [
        ("The long-lived token is in the *vault* of the team.", "The long lived token is in the vault of the team."),
        ("- The cache is warm\n- The index is built", "* The cache is warm\n* The index is built"),
        ("The gate is open — the valve is not stuck.", "The gate is open - the valve is not stuck."),
        ("Set `retries` to **five** and (again) restart it!", "Set retries to five and again restart it."),
        ("$ make docs\nbuilt 14 pages", "make docs\nbuilt 14 pages"),
        ("// the pool is shared\n// by all the shards", "the pool is shared by all the shards"),
        ("릴리스 노트는 **두 번째** 탭 - 변경 목록에 있다.", "릴리스 노트는 두 번째 탭 — 변경 목록에 있다."),
        ("It listens on port #12 of the read/write panel.", "It listens on port 12 of the read write panel."),
    ],
)  # fmt: skip
def test_decoration_is_no_sign(source: str, quote: str) -> None:
    assert status(source, quote) == "aligned"


DIFF = "The change is this:\n\n```diff\n pool:\n-  workers: 12\n+  workers: 4\n   queue: orders\n```"


def test_the_line_that_a_diff_takes_out_is_not_quoted_as_if_it_were_there() -> None:
    assert status(DIFF, "-  workers: 12") == "aligned"
    assert status(DIFF, "workers: 4") == "aligned"
    assert status(DIFF, "+  workers: 12") == "flagged"
    found = align_quote(Session([DIFF]), 0, "workers: 12", SETTINGS)
    assert [(one.kind, found.method) for one in found.concerns] == [("removed line", "exact")]


@given(st.sampled_from(["-", "+", "!", "~", "^"]), st.sampled_from(["verbose", "ready", "x", "서버", "inf"]))
def test_a_sign_taken_from_a_quote_is_never_aligned(sign: str, word: str) -> None:
    source = f"the call was made with {sign}{word} in the second run of it"
    for quote in (source.replace(sign, "", 1), source[source.index(sign) + 1 :]):
        assert align_quote(Session([source]), 0, quote, SETTINGS).status != "aligned"


@pytest.mark.parametrize(
    ("source", "quote"),
    [
        ("The table holds 10⁶ rows at most today.", "The table holds 106 rows at most today."),
        ("The key space has 2⁶⁴ slots in all of it.", "The key space has 264 slots in all of it."),
        ("The drift was 6 × 10⁻⁴ volts per hour.", "The drift was 6 × 10⁴ volts per hour."),
        ("The join is O(n³) in the number of legs.", "The join is O(n) in the number of legs."),
        ("The dump took 2½ hours on the old disk.", "The dump took 21/2 hours on the old disk."),
        ("The free plan has 30² seats in the table.", "The free plan has 302 seats in the table."),
        ("The jitter is 7 µs at the worst of times.", "The jitter is 7 ms at the worst of times."),
        ("순서는 ③ 전원을 켜고 ④ 밸브를 연다.", "순서는 ② 전원을 켜고 ③ 밸브를 연다."),
        ("버킷은 2¹²개로 정했고 더 늘리지 않는다.", "버킷은 212개로 정했고 더 늘리지 않는다."),
    ],
)
def test_a_raised_figure_keeps_its_place(source: str, quote: str) -> None:
    assert status(source, quote) != "aligned"


@pytest.mark.parametrize(
    ("source", "quote"),
    [
        ("The table holds 10⁶ rows at most today.", "The table holds 10^6 rows at most today."),
        ("The dump took 2½ hours on the old disk.", "The dump took 2 1/2 hours on the old disk."),
        ("Each probe needs ¼ second of the core.", "Each probe needs 1/4 second of the core."),
        ("The sensor reads CO₂ and H₂O in the hall.", "The sensor reads CO2 and H2O in the hall."),
        ("The jitter is 7 \u00b5s at the worst of times.", "The jitter is 7 \u03bcs at the worst of times."),
        ("창고는 400㎡이고 천장이 높다.", "창고는 400m²이고 천장이 높다."),
    ],
)
def test_plain_writing_of_figures_says_the_same(source: str, quote: str) -> None:
    assert status(source, quote) == "aligned"


ESCAPES = ["\x1b[31m", "\x1b[0m", "\x1b[1;38;5;42m", "\x1b[2K", "\x1b]8;;https://example.org\x1b\\"]


@given(st.data())
def test_escapes_of_a_terminal_in_the_source_change_no_status(data: st.DataObject) -> None:
    source = "ready at last. the worker of pool 3 failed with 12 errors after the reload; 나머지는 정상이다. all done"
    cut = data.draw(st.integers(0, len(source) - 30))
    quote = source[cut : cut + data.draw(st.integers(20, 30))].strip()
    places = data.draw(st.lists(st.integers(0, len(source)), max_size=5))
    marked = source
    for at in sorted(places, reverse=True):
        marked = marked[:at] + data.draw(st.sampled_from(ESCAPES)) + marked[at:]
    plain, found = (align_quote(Session([text]), 0, quote, SETTINGS) for text in (source, marked))
    assert found.status == plain.status
    (span,) = found.spans
    assert View(marked[span.start : span.end]).normal.strip() == View(quote).normal


def pairs(name: str) -> list[list[str]]:
    """The sources and quotes of a file, one pair a line, with `\\n` for a line's end and `\\e` for an escape."""
    text = (DATA / name).read_text(encoding="utf-8")
    return [line.replace("\\n", "\n").replace("\\e", "\x1b").split(" || ") for line in text.splitlines()]


@pytest.mark.parametrize(("source", "quote"), pairs("signs_changed.txt"))
def test_paths_flags_and_formulas_keep_their_signs(source: str, quote: str) -> None:
    assert status(source, quote) != "aligned"


@pytest.mark.parametrize(("source", "quote"), pairs("signs_kept.txt"))
def test_tables_lists_prompts_and_ranges_are_form(source: str, quote: str) -> None:
    assert status(source, quote) == "aligned"
