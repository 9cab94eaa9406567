"""The same library answers the same, however it came about."""

from __future__ import annotations

from pathlib import Path

from core.flows.ingest.api import ingest
from core.library.search.api import SearchQuery, search
from core.store import Store, open_store
from tests.core.library.ingest.support import Put, state

QUERIES = ("pump", "valve pump", "저장소", "연결", "twin words", "note 7", "gauge OR pump*", "retry_limit")


def said(store: Store, query: str) -> list[tuple[str, str, float]]:
    return [
        (hit.doc_path, hit.citation.uri, hit.score) for hit in search(store, SearchQuery(query, "lexical", k=30)).hits
    ]


def test_results_do_not_depend_on_the_order_in_which_files_came(library: Store, tmp_path: Path, put: Put) -> None:
    texts = {f"{n:03d}.md": "# Twin\n\nthe twin words of a pump\n" for n in range(150)}
    texts |= {
        f"n/{n}.md": f"# Note {n}\n\n저장소연결을 다시 {n}번 시도한다. retry_limit valve {n}\n" for n in range(20)
    }
    notes = tmp_path / "notes"
    for name, text in sorted(texts.items(), reverse=True):
        put(name, text)
        if name.endswith(("70.md", "30.md", "/4.md")):
            ingest(library, [notes])
    ingest(library, [notes])
    with open_store(tmp_path / "at-once.db", create=True) as other:
        ingest(other, [notes])
        assert state(other) == state(library)
        for query in QUERIES:
            assert said(library, query) == said(library, query) == said(other, query)
        first = [path for path, _, _ in said(other, "twin words")]
        assert first == sorted(first) and len(first) == 30
