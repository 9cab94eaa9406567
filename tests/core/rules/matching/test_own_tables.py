"""The user's own words and patterns: added to the shipped ones, and refused with their line where they are wrong."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from core.base.fault import Fault
from core.rules.evaluation.labels import read_labelled
from core.rules.format.book import book_of
from core.rules.format.parse import parse_text
from core.rules.matching import tables
from core.rules.matching.api import match
from core.rules.matching.call import ToolCall, call_text
from core.rules.matching.tables import is_quick, load_tables, strangers, table_flaws

DATA = Path(__file__).parents[3] / "data" / "rules"
RULES = parse_text("### ERR-042: House style\n**Problem**: nobody else would guess this\n").rules


@pytest.mark.parametrize("written", ["ERR-042", "err-42", "ERR 42", "ERR_042"])
def test_an_own_pattern_names_a_rule_outright(tmp_path: Path, written: str) -> None:
    call = ToolCall("Bash", {"command": "frobnicate --wide"})
    assert match(book_of(RULES, load_tables(tmp_path)), call).rules == ()
    (tmp_path / "rules.toml").write_text(
        f"[error_patterns.frob]\nmatch = 'frobnicate\\b'\nrules = ['{written}']\n", encoding="utf-8"
    )
    found = match(book_of(RULES, load_tables(tmp_path)), call)
    assert [one.id for one in found.rules] == ["ERR-042"]
    assert found.trace[0].fact("patterns") == "frob"
    assert strangers(RULES, tmp_path) == ()


def test_own_words_make_two_languages_meet(tmp_path: Path) -> None:
    (tmp_path / "glossary.toml").write_text('[words]\nguess = "어림짐작"\n', encoding="utf-8")
    assert load_tables(tmp_path).glossary["어림짐작"] == "guess"
    assert "어림짐작" not in load_tables(tmp_path / "absent").glossary


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[error_patterns.a]\nmatch = '('\n", "line 2: error_patterns.a.match is not a regular expression"),
        ("[error_patterns]\na = 3\n", "error_patterns.a is not a table"),
        ("[error_patterns.a]\nterms = ['x']\n", "error_patterns.a has no match"),
        (
            "[error_patterns.a]\nmatch = ['x', 'y']\n",
            "line 2: error_patterns.a.match is not quoted text (for several",
        ),
        ("[error_patterns.a]\nmatch = ''\n", "line 2: error_patterns.a.match is empty: it would match every call"),
        ("[error_patterns\n", "rules.toml"),
        (f"[error_patterns]\na = {'1' * 5000}\n", "rules.toml: it contains a number with too many digits"),
    ],
)
def test_what_is_wrong_is_named_with_its_file_and_line(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "rules.toml").write_text(text, encoding="utf-8")
    with pytest.raises(Fault, match=r"rules\.toml") as raised:
        load_tables(tmp_path)
    assert raised.value.code == "config_invalid"
    assert said in raised.value.message


@pytest.mark.parametrize(
    ("text", "bad"),
    [
        ('[words]\n배포 = "deploy"\n', "배포"),
        ('[words]\n"배포" = "deploy"\ngit push = "배포"\n', "git push"),
        ("[words.배포]\n", "배포"),
        ("[words]\ndeploy = 배포\n", ""),
        ("[words]\n배포\n", ""),
        ('[words]\n"배포 = "deploy"\n', None),
    ],
)
def test_a_key_that_needs_quotes_is_told_so(tmp_path: Path, text: str, bad: str | None) -> None:
    (tmp_path / "glossary.toml").write_text(text, encoding="utf-8")
    (flaw,) = table_flaws(tmp_path)
    assert flaw.path == str(tmp_path / "glossary.toml")
    needs = f', quote the key: "{bad}"'
    assert bad is None or flaw.message.endswith(needs) == bool(bad), flaw.message


def test_what_nobody_knows_is_named_with_its_line_and_left_alone(tmp_path: Path) -> None:
    own = "[error_pattern]\nBash = ['x']\n\n[error_patterns.a]\nmatch = 'x'\nrule = ['ERR-042']\nzzz = 1\n"
    (tmp_path / "rules.toml").write_text(own, encoding="utf-8")
    (tmp_path / "glossary.toml").write_text('[word]\nguess = "x"\n', encoding="utf-8")
    told = [(Path(flaw.path).name, flaw.line, flaw.message) for flaw in table_flaws(tmp_path)]
    assert told == [
        ("rules.toml", 1, "unknown table error_pattern, did you mean error_patterns?"),
        ("rules.toml", 6, "unknown key error_patterns.a.rule, did you mean rules?"),
        ("rules.toml", 7, "unknown key error_patterns.a.zzz (ignored)"),
        ("glossary.toml", 1, "unknown table word, did you mean words?"),
    ]
    assert load_tables(tmp_path).error_patterns[-1].name == "a"


def test_an_id_that_no_rule_has_is_told_with_its_line(tmp_path: Path) -> None:
    own = "[error_patterns.a]\nmatch = 'x'\nrules = ['ERR-999', 'ERR-042']\n"
    (tmp_path / "rules.toml").write_text(own, encoding="utf-8")
    assert [(flaw.line, flaw.rule) for flaw in strangers(RULES, tmp_path)] == [(3, "ERR-999")]
    assert table_flaws(tmp_path) == ()


@pytest.mark.parametrize(("text", "line"), [("[error_patterns.a]\nmatch = '('\n", 2), ("\n[error_patterns\n", 2)])
def test_a_table_that_cannot_be_read_is_a_flaw_with_its_line(tmp_path: Path, text: str, line: int) -> None:
    (tmp_path / "rules.toml").write_text(text, encoding="utf-8")
    (flaw,) = table_flaws(tmp_path)
    assert (flaw.path, flaw.line) == (str(tmp_path / "rules.toml"), line)
    assert strangers(RULES, tmp_path) == ()


def test_a_path_that_is_no_file_is_named_once(tmp_path: Path) -> None:
    (tmp_path / "rules.toml").mkdir()
    with pytest.raises(Fault) as raised:
        load_tables(tmp_path)
    assert raised.value.message == f"{tmp_path / 'rules.toml'}: Is a directory"


def test_what_a_shipped_pattern_needs_hides_no_match() -> None:
    shipped = load_tables(Path("/absent")).error_patterns
    calls = [one.call for path in sorted(DATA.glob("*.jsonl")) for one in read_labelled(path)]
    texts = [call_text(call).pattern_text for call in calls]
    hidden = [
        (one.name, text)
        for one in shipped
        for text in texts
        if one.match.search(text) and not one.may_match(text.casefold())
    ]
    assert hidden == []


def test_an_own_pattern_is_tried_only_where_what_it_needs_is(tmp_path: Path) -> None:
    own = "[error_patterns.frob]\nmatch = 'frob|zap'\nneeds = ['FROB']\nrules = ['ERR-042']\n"
    (tmp_path / "rules.toml").write_text(own, encoding="utf-8")
    book = book_of(RULES, load_tables(tmp_path))
    shown = [match(book, ToolCall("Bash", {"command": command})).rules for command in ("Frob; frob", "zap")]
    assert [len(one) for one in shown] == [1, 0]


@pytest.mark.parametrize(
    ("source", "quick"),
    [
        (r"frobnicate\b", True), (r"docker run.*--privileged", True), (r"rm|del|erase", True), (r"\[a+\]\{[*+]", True),
        (r"kubectl (?:apply|delete) .*", True), (r"colou?rs?", True), (r"[]+*]+x", True), (r"[^]+*]+x", True),
        (r"(a+)+$", False), (r"(?:a|a)*$", False), (r"\s*\s*x", False), (r"(a|ab)(c|bcd)(d*)", False),
        (r"(a*)\1", False), (r"(?x) # [\n(a+)+ ]", False), (r"(?=a+)b", False), (r"(?P<n>a*)(?P=n)", False),
        (r"a?a?a?a?a?aaaaa", False), (r"(?:ab){5000}", False),
    ],
)  # fmt: skip
def test_a_pattern_that_may_take_long_is_known_by_its_signs(source: str, quick: bool) -> None:
    re.compile(source)
    assert is_quick(source) == quick


def test_a_pattern_that_may_take_long_finds_what_it_finds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "PATIENCE", 60.0)
    (tmp_path / "rules.toml").write_text(
        "[error_patterns.a]\nmatch = '^(zap )+\ud55c$'\nrules = ['ERR-042']\n"
        "[error_patterns.b]\nmatch = '(zip )+'\nterms = ['guess']\n",
        encoding="utf-8",
    )
    book = book_of(RULES, load_tables(tmp_path))
    found = [match(book, ToolCall("Bash", {"command": f"frob\nzap zap {end}"})) for end in ("\ud55c", "\ud55c\udc80")]
    assert [one.trace[0].fact("patterns") for one in found] == ["a", ""]
    assert [[rule.id for rule in one.rules] for one in found] == [["ERR-042"], []]


def test_a_pattern_that_has_no_end_is_left_out_and_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "PATIENCE", 0.2)
    (tmp_path / "rules.toml").write_text(
        "[error_patterns.endless]\nmatch = '(a+)+$'\n[error_patterns.behind]\nmatch = '(b+)+'\n"
        "[error_patterns.quick]\nmatch = 'ab'\nrules = ['ERR-042']\n",
        encoding="utf-8",
    )
    found = match(book_of(RULES, load_tables(tmp_path)), ToolCall("Bash", {"command": f"make {'a' * 60}b"}))
    assert [one.id for one in found.rules] == ["ERR-042"]
    assert (found.trace[0].fact("patterns"), found.trace[0].fact("no_time_for")) == ("quick", "endless, behind")
