"""Random histories of reviewers, imports and undo: nothing is ever verified on a quote that is not there."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from core.align import Span
from core.base.fault import Fault
from core.evidence import (
    accept,
    add_entries,
    adjust,
    align_session,
    choose,
    demote,
    promote,
    read_events,
    reject,
    replay_events,
    take_words,
)
from core.evidence.rows import StoredQuote, read_quote
from core.flows.system.history import bring_back, take_back
from core.store import Store, history
from tests.casebooks import new_casebook
from tests.core.evidence.evidence_support import (
    EVERY,
    FAILED,
    MESSAGES,
    MISSING,
    SESSION,
    add_messages,
    entry,
    everything,
    replace_messages,
)

ENTRIES = ("one", "two", "three")
IMPORTS = (
    MESSAGES,
    ("Something new at the start.", *MESSAGES),
    MESSAGES[:2],
    (*MESSAGES[2:], *MESSAGES[:2], FAILED[1]),
    tuple(text.replace("PORT", "HOST") for text in MESSAGES),
)
ids = st.integers(1, 6)


class Reviewing(RuleBasedStateMachine):
    """Acts in any order; what the machine believes is never asked, the rows and the messages are."""

    @initialize(picked=st.lists(st.lists(st.sampled_from(EVERY), max_size=2), min_size=3, max_size=3))
    def start(self, picked: list[list[tuple[int, str]]]) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.store: Store = new_casebook(Path(self.folder.name) / "a.db")
        add_messages(self.store, MESSAGES)
        add_entries(self.store, SESSION, [entry(n, *quotes) for n, quotes in zip(ENTRIES, picked, strict=True)])
        align_session(self.store, SESSION)

    def teardown(self) -> None:
        if hasattr(self, "store"):
            with new_casebook(Path(self.folder.name) / "b.db") as target:
                replay_events(target, read_events(self.store))
                assert everything(target) == everything(self.store)
            self.store.close()
            self.folder.cleanup()

    @rule(at=st.integers(0, len(IMPORTS) - 1), again=st.booleans())
    def import_again(self, at: int, again: bool) -> None:
        replace_messages(self.store, IMPORTS[at])
        align_session(self.store, SESSION, again=again)

    @rule(text=st.sampled_from((FAILED[1], MISSING[1], "앞으로도 그대로 둡니다.")))
    def grow(self, text: str) -> None:
        add_messages(self.store, [text])
        align_session(self.store, SESSION)

    @rule(at=ids, confirmed=st.booleans())
    def accept(self, at: int, confirmed: bool) -> None:
        self._try(accept, at, confirmed=confirmed)

    @rule(at=ids, number=st.integers(1, 3))
    def choose(self, at: int, number: int) -> None:
        self._try(choose, at, number)

    @rule(at=ids, start=st.integers(0, 40), size=st.integers(1, 40), index=st.integers(0, 5))
    def look(self, at: int, start: int, size: int, index: int) -> None:
        self._try(accept, at, [Span(index, start, start + size)], confirmed=True)

    @rule(at=ids, edge=st.sampled_from(("start", "end")), words=st.integers(-3, 3))
    def adjust(self, at: int, edge: Any, words: int) -> None:
        self._try(adjust, at, edge, words, confirmed=True)

    @rule(at=ids)
    def take_words(self, at: int) -> None:
        self._try(take_words, at)

    @rule(at=ids)
    def reject(self, at: int) -> None:
        self._try(reject, at, "not so")

    @rule(name=st.sampled_from(ENTRIES))
    def promote(self, name: str) -> None:
        promote(self.store, "mina", name)

    @rule(name=st.sampled_from(ENTRIES), number=st.integers(1, 2))
    def settle_and_promote(self, name: str, number: int) -> None:
        """As a diligent reviewer does it, so that much of what follows happens to verified entries."""
        rows = self.store.con.execute("SELECT id FROM evidence WHERE entry_id = ?", (name,)).fetchall()
        for (at,) in rows:
            self._try(choose, int(str(at)), number, confirmed=True)
        promote(self.store, "mina", name)

    @rule(name=st.sampled_from(ENTRIES))
    def demote(self, name: str) -> None:
        demote(self.store, "mina", name)

    @rule(back=st.integers(0, 6))
    def undo(self, back: int) -> None:
        past = [one for one in history(self.store) if one.undone_by is None]
        if back < len(past):
            self._quietly(lambda: take_back(self.store, "mina", past[back].id))

    @rule()
    def redo(self) -> None:
        self._quietly(lambda: bring_back(self.store, "mina"))

    @invariant()
    def nothing_is_verified_without_its_quotes(self) -> None:
        if not hasattr(self, "store"):
            return
        con = self.store.con
        for (name,) in con.execute("SELECT id FROM entry WHERE stage = 'verified'").fetchall():
            rows = con.execute("SELECT id FROM evidence WHERE entry_id = ?", (name,)).fetchall()
            assert rows, name
            for (evidence_id,) in rows:
                one = read_quote(con, int(str(evidence_id)))
                assert one is not None
                assert self._founded(one), (name, one)

    @invariant()
    def the_queue_says_what_the_rows_say(self) -> None:
        if hasattr(self, "store"):
            rows = self.store.con.execute("SELECT evidence_id, state FROM review").fetchall()
            for evidence_id, state in rows:
                one = read_quote(self.store.con, int(str(evidence_id)))
                assert one is not None
                assert one.state == state
            counted = self.store.con.execute("SELECT coalesce(sum(quotes), 0) FROM review_count").fetchone()
            assert counted == (len(rows),)

    def _founded(self, one: StoredQuote) -> bool:
        """The words a person took, or those the machine found and nobody rejected, stand where they are said to."""
        texts = dict(self.store.con.execute("SELECT idx, text FROM message").fetchall())
        words = tuple(str(texts.get(span.message_index, ""))[span.start : span.end] for span in one.spans)
        if one.verdict == "accepted" and not one.lapsed:
            return one.decision is not None and bool(words) and words == one.decision.words
        machine = one.verdict != "rejected" and one.aligned is not None and one.aligned.status == "aligned"
        return machine and bool(words) and all(words)

    def _try(self, act: Any, at: int, *args: Any, **how: Any) -> None:
        self._quietly(lambda: act(self.store, "mina", at, *args, **how))

    def _quietly(self, act: Any) -> None:
        try:
            act()
        except Fault as fault:
            assert fault.code in ("invalid_input", "not_indexed")


TestReviewing = Reviewing.TestCase
TestReviewing.settings = settings(
    max_examples=60, stateful_step_count=40, deadline=None, suppress_health_check=list(HealthCheck)
)
