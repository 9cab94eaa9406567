"""The word index of passages (`chunks_fts`): its rows, its rebuild, and the filters of a search inside the query.

Filters are conditions of the query and are never applied to its answer (decision 20).
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Final, cast

import apsw

from core.base.fault import Fault
from core.base.installation import remedy
from core.base.trace import Step, facts
from core.lexical import HANGUL_RUN
from core.library.documents.rows import LANGUAGES, MEDIA, SOURCE_TYPES, TRUST_LEVELS, TrustLevel, short_hash
from core.library.ingest.readers import KUBERNETES
from core.library.search.korean import PACKAGE, Analyse, analyse, installed, morphemes
from core.library.search.subword import VERSION, pieces
from core.store import Store
from core.store.sql import storable, value

UNASKED = "this search does not use the Korean analyzer, but syllable pairs"
FTS_CONFIG: Final = f"heading_path,text,bigrams;contentless;unicode61 remove_diacritics 2;{VERSION}"
"""Configuration of the index. A change rebuilds every row."""

MERGED: Final = 8
"""Pieces of the index that are merged into one. FTS5's own 4 writes a tenth more and finds nothing sooner."""
_PUT = "INSERT INTO chunks_fts(rowid, heading_path, text, bigrams) VALUES (?, ?, ?, ?)"
_BATCH = 2_000


def index_version(analyser: str = "") -> str:
    """`v<schema version>.<hash of the configuration>` (decision 22)."""
    from core.store.schema.migrations import SHIPPED

    return f"v{SHIPPED.version}.{short_hash(fts_config(analyser))}"


def fts_config(analyser: str) -> str:
    """The configuration of an index that holds the morphemes of this analyser (`korean.installed`), or none."""
    return f"{FTS_CONFIG};{analyser}" if analyser else FTS_CONFIG


def indexed_by(con: apsw.Connection) -> str:
    """The analyser whose morphemes the index holds; empty where it holds none."""
    config = value(con, "SELECT value FROM kv WHERE key = 'fts_config'")
    last = str(config or "").rpartition(";")[2]
    return last if last.startswith(f"{PACKAGE} ") else ""


def heading_words(title: str, heading_path: Sequence[str]) -> str:
    """The headings of a passage as they are indexed: the document's title first, unless a heading says it already."""
    return " ".join(heading_path if not title or title in heading_path else (title, *heading_path))


IndexRow = tuple[str, str, str]
"""What the index holds of a passage: heading_path, text, bigrams."""


def index_row(title: str, heading_path: Sequence[str], text: str, analysing: Analyse | None = None) -> IndexRow:
    """What is indexed of a passage, with its morphemes by `analysing`. Most of the work: it may be done elsewhere."""
    heading = heading_words(title, heading_path)
    content = f"{heading}\n{text}"
    found = pieces(content)
    morpheme_text = morphemes(content, analysing) if analysing is not None else ""
    return heading, text, f"{found} {morpheme_text}" if morpheme_text else found


def put_rows(con: apsw.Connection, rows: Iterable[tuple[int, IndexRow]]) -> None:
    """Index passages, by their row ids, that are not indexed; inside the caller's transaction."""
    con.executemany(_PUT, ((item_id, *row) for item_id, row in rows))


def drop_rows(con: apsw.Connection, ids: Sequence[int]) -> None:
    """Take passages out of the index, inside the caller's transaction."""
    con.executemany("DELETE FROM chunks_fts WHERE rowid = ?", ((item_id,) for item_id in ids))


def rebuild_fts(store: Store, cancelled: Callable[[], bool] = lambda: False, *, analyser: str | None = None) -> int:
    """Rebuild `chunks_fts` from the passages (`library index --rebuild-fts`), in one transaction.

    `analyser`: what takes Korean apart, empty for none; None: as the index was, if that is installed. Cancelled, it
    leaves the index as it was and returns -1; else the number of passages. Raises Fault as `Store.transaction`.
    """
    con = store.con
    if analyser is None:
        analyser = installed() if indexed_by(con) else ""
    analysing = analyse if analyser else None
    done, last = 0, 0
    con_sql = (
        "SELECT c.id, d.title, c.heading_path_json, c.text FROM chunks c JOIN documents d ON d.doc_id = c.doc_id"
        " WHERE c.id > ? ORDER BY c.id LIMIT ?"
    )
    try:
        with store.transaction():
            con.execute("INSERT INTO chunks_fts(chunks_fts) VALUES ('delete-all')")
            while rows := cast("list[tuple[int, str, str, str]]", con.execute(con_sql, (last, _BATCH)).fetchall()):
                if cancelled():
                    raise _Cancelled
                made = ((at, index_row(title, json.loads(path), text, analysing)) for at, title, path, text in rows)
                put_rows(con, made)
                last, done = rows[-1][0], done + len(rows)
            con.execute("INSERT OR REPLACE INTO kv VALUES ('fts_config', ?)", (fts_config(analyser),))
    except _Cancelled:
        return -1
    return done


def refresh_fts(store: Store, analyser: str = "", *, cancelled: Callable[[], bool] = lambda: False) -> None:
    """Rebuild the index if another version or analyser built it, and configure its merging.

    Raises as `Store.transaction`.
    """
    if value(store.con, "SELECT value FROM kv WHERE key = 'fts_config'") != fts_config(analyser):
        rebuild_fts(store, cancelled=cancelled, analyser=analyser)
    if value(store.con, "SELECT v FROM chunks_fts_config WHERE k = 'automerge'") != MERGED:
        with store.transaction() as con:
            con.execute("INSERT INTO chunks_fts(chunks_fts, rank) VALUES ('automerge', ?)", (MERGED,))


class _Cancelled(Exception):
    pass


def query_analyser(
    con: apsw.Connection, text: str, analysing: Analyse | None
) -> tuple[Analyse | None, tuple[Step, ...]]:
    """Return `analysing` if the index has morphemes of the installed analyser, and the step of the trace.

    There is no step where nothing is to be told: no Korean in the query, or no morphemes in the index.
    """
    if HANGUL_RUN.search(text) is None or not (by := indexed_by(con)):
        return None, ()
    if analysing is None:
        return None, (Step("morphemes", "skipped", UNASKED),)
    if (here := installed()) != by:
        details = facts(remedy="casebook library ingest" if here else remedy("ko"))
        reason = f"the index was built with {by}, but {here or 'no analyzer'} is installed: syllable pairs are used"
        return None, (Step("morphemes", "failed", reason, details),)
    return analysing, (Step("morphemes", "hit", by),)


def korean_hint(steps: tuple[Step, ...]) -> list[str]:
    """What a person may want to know of it."""
    return [
        f"Morphemes are off: {step.reason}. Run: {step.fact('remedy')}" for step in steps if step.outcome == "failed"
    ]


LANG: Final = "lower(substr(d.lang, 1, instr(replace(d.lang, '_', '-') || '-', '-') - 1))"
"""The primary subtag of a document's language, of a row `d` of `documents`."""
_STARS: Final = 2
"""Stars of a glob that a pattern may try in every way: as often as in the square of the path's length."""
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}([T ][0-9:.]{5,15}(Z|[+-][0-9]{2}:?[0-9]{2})?)?")


@dataclass(frozen=True, slots=True)
class SearchFilters:
    """What a document must be; every one given must hold, of `tags_any` one.

    `path_glob`: `*` and `?` stay within a folder, `**` does not; without `/` it is the file's name. `trust_min`: at
    least as trusted. `lang`: the primary subtag counts (`ko-KR` is `ko`), `ko` and `en` include `mixed`. `code_lang`:
    `yaml` includes `kubernetes`. `doc`: an id or a path. `since` and `until` bound the document's own date
    (`updated_at`).
    """

    tags_any: tuple[str, ...] = ()
    lang: str | None = None
    path_glob: str | None = None
    trust_min: TrustLevel | None = None
    source: str | None = None
    source_type: str | None = None
    media: str | None = None
    doc: str | None = None
    code_lang: str | None = None
    repo: str | None = None
    since: str | None = None
    until: str | None = None

    def active(self) -> tuple[tuple[str, str], ...]:
        """Return the active filters by name, as shown to the user."""
        values: list[tuple[str, str]] = [("tags_any", ",".join(self.tags_any))]
        values += [(one.name, getattr(self, one.name) or "") for one in fields(self) if one.name != "tags_any"]
        return tuple((name, value) for name, value in values if value)


EVERYTHING: Final = SearchFilters()


def conditions(filters: SearchFilters) -> tuple[list[str], list[str]]:
    """The filters, but for the glob, as tests of a row `d` of `documents`. Raises Fault invalid_input."""
    tests: list[str] = []
    values: list[str] = []
    if filters.lang:
        tests.append(f"{LANG} IN (SELECT value FROM json_each(?))")
        own = primary(filters.lang)
        values.append(json.dumps([own, "mixed"] if own in ("ko", "en") else [own]))
    _one_of("type", filters.source_type, SOURCE_TYPES)
    _one_of("medium", filters.media, MEDIA)
    for column in ("source_type", "repo"):
        _equal(tests, values, f"d.{column}", getattr(filters, column))
    if filters.code_lang:
        tests.append("d.code_lang IN (SELECT value FROM json_each(?))")
        values.append(json.dumps(_code_langs(filters.code_lang)))
    _equal(tests, values, "d.source_id", filters.source)
    _equal(tests, values, "d.media_type", filters.media)
    if filters.tags_any:
        tests.append("d.doc_id IN (SELECT doc_id FROM document_tags WHERE tag IN (SELECT value FROM json_each(?)))")
        values.append(json.dumps([_nfc(tag) for tag in filters.tags_any]))
    if filters.trust_min:
        _one_of("trust level", filters.trust_min, TRUST_LEVELS)
        tests.append("d.trust_level IN (SELECT value FROM json_each(?))")
        values.append(json.dumps(TRUST_LEVELS[: TRUST_LEVELS.index(filters.trust_min) + 1]))
    if filters.doc:
        tests.append("(d.doc_id = ? OR d.workspace_path = ?)")
        values += [storable(filters.doc), _nfc(filters.doc)]
    for sign, date in ((">=", filters.since), ("<=", filters.until)):
        if date:
            tests.append(f"d.updated_at {sign} ?")
            values.append(_date(date) if sign == ">=" or len(date) > 10 else f"{_date(date)}T99")
    return tests, values


def documents_passing(con: apsw.Connection, filters: SearchFilters) -> tuple[str, ...] | None:
    """The ids of the documents that pass, by path; None where no filter is set. Raises Fault invalid_input."""
    if filters == EVERYTHING:
        return None
    if filters.lang:
        rows = con.execute(f"SELECT DISTINCT {LANG} FROM documents d").fetchall()
        _one_of("language", primary(filters.lang), tuple(dict.fromkeys((*LANGUAGES, *(str(row[0]) for row in rows)))))
    tests, values = conditions(filters)
    where = f" WHERE {' AND '.join(tests)}" if tests else ""
    rows = con.execute(
        f"SELECT d.doc_id, d.workspace_path FROM documents d{where} ORDER BY d.workspace_path", values
    ).fetchall()
    found = cast("list[tuple[str, str]]", rows)
    if filters.path_glob:
        fits = path_fits(filters.path_glob)
        found = [row for row in found if fits(row[1])]
    return tuple(doc_id for doc_id, _ in found)


def refuse_unknown(con: apsw.Connection, filters: SearchFilters) -> None:
    """Raise Fault invalid_input for a filter that no document of the library can pass, with the values that some can.

    Only worth asking where nothing passes. Of an empty library, of values that documents may have without any having
    it today (`ko`, `pdf`), and where each filter alone lets something pass, nothing is said.
    """
    if value(con, "SELECT 1 FROM documents LIMIT 1") is None:
        return
    for name, column, given, alone in (
        ("code language", "code_lang", filters.code_lang, SearchFilters(code_lang=filters.code_lang)),
        ("repository", "repo", filters.repo, SearchFilters(repo=filters.repo)),
        ("source", "source_id", filters.source, SearchFilters(source=filters.source)),
    ):
        if given and _lets_nothing_pass(con, alone):
            raise _unknown(name, given, _stored_values(con, f"SELECT {column} FROM documents WHERE {column} <> ''"))
    if filters.tags_any and _lets_nothing_pass(con, SearchFilters(tags_any=filters.tags_any)):
        raise _unknown("tag", ", ".join(filters.tags_any), _stored_values(con, "SELECT tag FROM document_tags"))
    if filters.doc and _lets_nothing_pass(con, SearchFilters(doc=filters.doc)):
        raise _refused(f"no document named {filters.doc[:200]}", "to list paths, run: casebook library list")
    if filters.path_glob and _lets_nothing_pass(con, SearchFilters(path_glob=filters.path_glob)):
        raise _refused(f"no document's path matches {filters.path_glob[:200]}", _globs(con))


_NAMED: Final = 20
"""Known values that an error names, the most frequent ones."""


def _lets_nothing_pass(con: apsw.Connection, filters: SearchFilters) -> bool:
    """Whether this filter alone lets nothing pass."""
    return not documents_passing(con, filters)


def _stored_values(con: apsw.Connection, sql: str) -> list[str]:
    rows = con.execute(f"SELECT * FROM ({sql}) GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT {_NAMED + 1}").fetchall()
    return [str(row[0]) for row in rows]


def _unknown(name: str, given: str, known: Sequence[str]) -> Fault:
    some = ", ".join((*known[:_NAMED], *("…" for _ in known[_NAMED:])))
    return _refused(f"no document has the {name} {given[:200]}", f"use one of: {some}" if known else "omit the filter")


def _globs(con: apsw.Connection) -> str:
    """Names folders and endings that there are, as globs."""
    paths = [str(row[0]) for row in con.execute("SELECT workspace_path FROM documents").fetchall()]
    folders = Counter(f"{path.partition('/')[0]}/**" for path in paths if "/" in path)
    ends = Counter(f"*.{path.rpartition('.')[2]}" for path in paths if "." in path.rpartition("/")[2])
    named = [glob for counted in (folders, ends) for glob, _ in counted.most_common(_NAMED // 2)]
    return f"use a pattern such as {', '.join(named)}" if named else "to list paths, run: casebook library list"


def _refused(message: str, hint: str) -> Fault:
    return Fault("invalid_input", message, hint)


def chunks_passing(con: apsw.Connection, documents: tuple[str, ...] | None) -> frozenset[int] | None:
    """The chunks of those documents, for a search by vectors; None: all."""
    if documents is None:
        return None
    rows = con.execute(
        "SELECT c.id FROM json_each(?) CROSS JOIN chunks c ON c.doc_id = value", (json.dumps(documents),)
    ).fetchall()
    return frozenset(cast("int", row[0]) for row in rows)


def path_fits(glob: str) -> Callable[[str], bool]:
    """Whether a whole path is as a glob says. One of few stars is a pattern; in one of many that would try every way
    to share a path out among them, so there the places are followed that each part may end at."""
    whole_path = _nfc(glob).removeprefix("./")
    if "/" not in whole_path:
        whole_path = f"**/{whole_path}"
    parts: list[str] = re.findall(r"\*\*/|\*\*|\*|\?|[^*?]+", whole_path)
    if sum("*" in part for part in parts) > _STARS:
        return lambda path: len(path) in _ends(parts, path)
    signs = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    pattern = re.compile("".join(signs.get(part) or re.escape(part) for part in parts), re.DOTALL)
    return lambda path: pattern.fullmatch(path) is not None


def _ends(parts: Sequence[str], path: str) -> set[int]:
    """Where these parts may end that begin where the path does."""
    at: set[int] = {0}
    for part in parts:
        if not at:
            break
        first = min(at)
        if part == "**/":
            at |= {place + 1 for place in range(first, len(path)) if path[place] == "/"}
        elif part == "**":
            at = set(range(first, len(path) + 1))
        elif part == "*":
            begins: dict[int, int] = {path.find("/", place): place for place in sorted(at, reverse=True)}
            at = {one for end, place in begins.items() for one in range(place, (len(path) if end < 0 else end) + 1)}
        elif part == "?":
            at = {place + 1 for place in at if path[place : place + 1] not in ("", "/")}
        else:
            at = {place + len(part) for place in at if path.startswith(part, place)}
    return at


def primary(lang: str) -> str:
    """The language of a tag, without script and region: `ko` of `ko-KR` and of `ko_KR`."""
    return lang.strip().lower().replace("_", "-").partition("-")[0]


def _one_of(name: str, value: str | None, choices: Sequence[str]) -> None:
    """Raises Fault invalid_input for a value that no document can have."""
    if value and value not in choices:
        raise Fault("invalid_input", f"unknown {name}: {value[:60]}", f"use one of: {', '.join(choices)}")


def _code_langs(given: str) -> list[str]:
    """The languages that a filter for one lets pass: YAML includes what holds Kubernetes resources."""
    language = _nfc(given).lower()
    return [language, KUBERNETES] if language == "yaml" else [language]


def _equal(tests: list[str], values: list[str], column: str, value: str | None) -> None:
    if value:
        tests.append(f"{column} = ?")
        values.append(_nfc(value))


def _date(text: str) -> str:
    if not _DATE.fullmatch(text):
        raise Fault("invalid_input", f"{text[:60]} is not a date", "use the format 2026-01-31 or 2026-01-31T18:00")
    return text.replace(" ", "T")


def _nfc(text: str) -> str:
    return unicodedata.normalize("NFC", storable(text))
