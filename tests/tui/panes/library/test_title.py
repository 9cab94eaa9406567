"""The title of the hits says so where none has a word of what was searched, and they are only near in meaning."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tests.tui.panes.library.support import library_app, put_notes, read_notes, searched
from tests.tui.support import frame, until


async def test_hits_with_none_of_the_words_are_not_titled_found(tmp_path: Path) -> None:
    app = library_app(read_notes(tmp_path / "library.db", put_notes(tmp_path / "notes")))
    async with app.run_test(size=(160, 45)) as pilot:
        screen = await searched(pilot, app, "ledger")
        found, hits = screen.searching.found, screen.hits
        assert found is not None and len(found.response.hits) > 1
        assert "─ Found" in frame(app)

        def put(words: tuple[str, ...], missing: tuple[str, ...]) -> None:
            first, *rest = found.response.hits
            near = (
                replace(first, words=words, missing=missing),
                *(replace(one, words=(), missing=("ledger",)) for one in rest),
            )
            response = replace(found.response, hits=near)
            hits.show_hits(replace(found, response=response), screen.searching.scope, keep=False, waiting=False)

        assert "not embedded" not in frame(app)
        trace = tuple(
            replace(step, outcome="hit", facts=(*step.facts, ("waiting", 1558))) if step.stage == "vector" else step
            for step in found.response.trace
        )
        partly = replace(found, response=replace(found.response, mode="hybrid", trace=trace))
        hits.show_hits(partly, screen.searching.scope, keep="nothing", waiting=False)
        await until(pilot, lambda: "Found · 1,558 not embedded" in frame(app))
        put((), ("ledger",))
        await until(pilot, lambda: f"No keyword match · {hits.total} closest results by meaning" in frame(app))
        put(("ledger",), ())
        await until(pilot, lambda: "─ Found" in frame(app))
