"""Morphemes beside syllable pairs (`library.korean`), with a small double of the analyser.

The analyser itself is 105 MB and no part of the development environment, so a package of its name and with its one
method, written by `analyser` below, knows a dozen words. The last test is of the real one, where it is installed.
"""

from __future__ import annotations

import importlib
import shutil
import sys
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.base.installation import remedy
from core.flows.ingest.api import ingest
from core.flows.system.parallel import Second
from core.library.ingest.options import IngestOptions
from core.library.search import korean
from core.library.search.api import SearchQuery, search
from core.library.search.fts import index_row, index_version, indexed_by, rebuild_fts
from core.library.search.korean import RULES, content_forms
from core.library.search.lexical import lexical_query
from core.process.worker import Call
from core.store import Store

DOUBLE = """
WORDS = {"끊겼다": "끊기/VV", "끊길": "끊기/VV", "연결이": "연결/NNG", "서버는": "서버/NNG"}


class Token:
    def __init__(self, form, tag, start):
        self.form, self.tag, self.start = form, tag, start


class Kiwi:
    def __init__(self, num_workers):
        pass

    def tokenize(self, text):
        text.encode("utf-16-le")  # as the real one, which raises for lone surrogates
        found, at = [], 0
        for word in text.split():
            at = text.index(word, at)
            found.append(Token(*WORDS.get(word, word + "/SW").split("/"), at))
            at += len(word)
        return found
"""
MORPHEMES = IngestOptions(korean="morphemes")
Put = Callable[..., Path]


def _write(folder: Path, version: str) -> None:
    (folder / "kiwipiepy.py").write_text(DOUBLE, encoding="utf-8")
    for old in folder.glob("*.dist-info"):
        shutil.rmtree(old)
    for name in ("kiwipiepy", "kiwipiepy_model"):
        info = folder / f"{name}-{version}.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    importlib.invalidate_caches()


@pytest.fixture
def analyser(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of the double, first in the search path, so that a second process has it too."""
    folder = tmp_path / "site"
    folder.mkdir()
    _write(folder, "0.1")
    monkeypatch.syspath_prepend(folder)
    monkeypatch.delitem(sys.modules, "kiwipiepy", raising=False)
    korean._kiwi.cache_clear()
    yield folder
    korean._kiwi.cache_clear()
    sys.modules.pop("kiwipiepy", None)


def _found(store: Store, text: str) -> list[str]:
    answer = search(store, SearchQuery(text, "lexical"), None, korean.analyse)
    return [hit.doc_path for hit in answer.hits]


def _absent(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("search.korean", "ingest.options", "search.fts"):
        monkeypatch.setattr(f"core.library.{module}.installed", lambda: "")


@pytest.mark.usefixtures("analyser")
def test_an_inflected_verb_is_found_by_another_form(library: Store, notes: Path, put: Put) -> None:
    put("cut.md", "# 접속\n\n어제 세션이 끊겼다\n")
    put("other.md", "# 다른\n\n배포를 늦추었다\n")
    ingest(library, [notes])
    assert _found(library, "끊길") == []
    plain = search(library, SearchQuery("끊길", "lexical")).index_version

    report = ingest(library, [notes], MORPHEMES)
    assert (report.unchanged, report.updated) == (2, 0)  # the index alone is built anew
    assert _found(library, "끊길 때") == ["cut.md"]
    by = f"kiwipiepy 0.1/0.1 {RULES}"
    assert indexed_by(library.con) == by
    assert search(library, SearchQuery("끊길", "lexical")).index_version == index_version(by) != plain

    ingest(library, [notes])
    assert (indexed_by(library.con), _found(library, "끊길")) == ("", [])


def test_another_version_builds_the_index_anew(analyser: Path, library: Store, notes: Path, put: Put) -> None:
    put("cut.md", "어제 세션이 끊겼다\n")
    ingest(library, [notes], MORPHEMES)
    before = indexed_by(library.con)
    _write(analyser, "0.2")
    answer = search(library, SearchQuery("끊길", "lexical"), None, korean.analyse)
    assert not answer.hits
    assert "casebook library ingest" in str(answer.hint)
    rebuild_fts(library)  # without a word of what: with the analyser of today
    assert before != indexed_by(library.con) == f"kiwipiepy 0.2/0.2 {RULES}"
    assert _found(library, "끊길") == ["cut.md"]


@pytest.mark.usefixtures("analyser")
def test_new_and_edited_passages_are_taken_apart_too(library: Store, notes: Path, put: Put) -> None:
    put("one.md", "서버는 켜졌다\n")
    ingest(library, [notes], MORPHEMES)
    put("one.md", "연결이 끊겼다\n", 1_700_000_001)
    put("two.md", "세션이 끊겼다\n")
    ingest(library, [notes], MORPHEMES)
    assert sorted(_found(library, "끊길")) == ["one.md", "two.md"]
    (notes / "two.md").unlink()
    ingest(library, [notes], MORPHEMES)
    assert _found(library, "끊길") == ["one.md"]


def _row(_call: Call, text: str) -> tuple[object, ...]:
    return index_row("", (), text, korean.analyse)


@pytest.mark.usefixtures("analyser")
def test_a_second_process_takes_apart_what_this_one_does() -> None:
    here = index_row("", (), "세션이 끊겼다", korean.analyse)
    with Second() as second:
        assert second.take(second.ask((_row, ("세션이 끊겼다",)))) == here
    assert "끊기" in here[2].split()


def test_without_the_extra_pairs_serve_and_one_line_says_so(
    library: Store, notes: Path, put: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    _absent(monkeypatch)
    put("cut.md", "데이터베이스연결에 실패\n")
    assert remedy("ko") in MORPHEMES.lacking
    assert IngestOptions().lacking == ""
    ingest(library, [notes], MORPHEMES)
    assert indexed_by(library.con) == ""
    answer = search(library, SearchQuery("연결", "lexical"), None, korean.analyse)
    assert ([hit.doc_path for hit in answer.hits], answer.hint) == (["cut.md"], None)


@pytest.mark.usefixtures("analyser")
def test_an_index_with_morphemes_is_searched_without_the_extra(
    library: Store, notes: Path, put: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    put("cut.md", "연결이 끊겼다\n")
    ingest(library, [notes], MORPHEMES)
    _absent(monkeypatch)
    answer = search(library, SearchQuery("연결", "lexical"), None, korean.analyse)
    assert [hit.doc_path for hit in answer.hits] == ["cut.md"]
    assert remedy("ko") in str(answer.hint)
    assert search(library, SearchQuery("pump", "lexical"), None, korean.analyse).trace[0].stage == "lexical"


@pytest.mark.usefixtures("analyser")
def test_a_process_with_a_screen_never_loads_the_analyser(library: Store, notes: Path, put: Put) -> None:
    put("cut.md", "연결이 끊겼다\n")
    ingest(library, [notes], MORPHEMES)
    korean._kiwi.cache_clear()
    answer = search(library, SearchQuery("연결이", "lexical"))
    assert [hit.doc_path for hit in answer.hits] == ["cut.md"]
    assert (answer.trace[0].stage, answer.trace[0].outcome) == ("morphemes", "skipped")
    assert korean._kiwi.cache_info().currsize == 0


def test_an_analyser_that_cannot_be_loaded_is_a_fault(analyser: Path) -> None:
    (analyser / "kiwipiepy.py").write_text("raise OSError('no model file')\n")
    with pytest.raises(korean.Fault, match="no model file"):
        list(korean.analyse("한글"))


def _one(form: str, tag: str) -> list[tuple[int, str]]:
    class Token:
        def __init__(self) -> None:
            self.form, self.tag, self.start = form, tag, 0

    return list(content_forms("가", lambda: lambda _: [Token()]))


def test_content_forms_alone_are_kept() -> None:
    assert _one("끊기", "VV") == [(0, "끊기")]
    assert _one("춥", "VA-I") == [(0, "춥")]
    for form, tag in (("하", "VV"), ("는", "JX"), ("ᆯ", "ETM"), ("API", "SL"), ("다", "EF")):
        assert _one(form, tag) == []


def test_a_form_belongs_to_the_word_it_stands_in() -> None:
    asked = lexical_query("서버는 연결이 끊길 때", analysing=lambda _: [(0, "서버"), (8, "끊기"), (11, "때")])
    assert {term.word: "끊기" in term.pieces for term in asked.terms}["끊길"]
    assert not any("끊기" in term.pieces for term in asked.terms if term.word != "끊길")
    assert '"끊기"' in str(asked.match)


@given(st.text(alphabet=st.sampled_from("가나끊길 \n\r\x00\ud800\U0001f600a.\u202e"), max_size=2500))
def test_hostile_text_keeps_its_places(text: str) -> None:
    class Token:
        tag = "NNG"

        def __init__(self, start: int, form: str) -> None:
            self.start, self.form = start, form

    def tokenize(line: str) -> list[Token]:
        line.encode("utf-16-le")
        assert "\x00" not in line
        assert 0 < len(line) <= 1000
        return [Token(at, sign) for at, sign in enumerate(line)]

    assert list(content_forms(text, lambda: tokenize)) == [
        (at, sign) for at, sign in enumerate(text) if sign in "가나끊길"
    ]


def test_text_without_hangul_asks_nobody() -> None:
    def never() -> korean.Tokenize:
        raise AssertionError

    assert list(content_forms("plain English, 漢字 and \ud800", never)) == []


@pytest.mark.skipif(find_spec("kiwipiepy") is None, reason="the extra ko is not installed")
def test_the_analyser_itself() -> None:
    said = "데이터베이스연결에 실패했다. \ud800\x00 연결이 끊길 때"
    forms = dict(korean.analyse(said))
    assert forms[6] == "연결"
    assert forms[said.index("끊")] == "끊기"
    assert list(korean.analyse(said)) == list(korean.analyse(said))
