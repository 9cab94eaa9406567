"""The keyword index of many rules reckons only what a call asks of it: rules are read before each first match."""

from __future__ import annotations

import pytest

from core.rules.format.rule import Rule
from core.rules.matching import keyword
from core.rules.matching.keyword import keyword_index


def test_what_a_term_says_is_reckoned_when_it_is_asked_for_and_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    reckoned: list[int] = []
    idf = keyword._idf
    monkeypatch.setattr(keyword, "_idf", lambda count, size: reckoned.append(count) or idf(count, size))
    rules = [Rule(f"ERR-{at:03}", f"zebra crossing{at}", problem="quagga") for at in range(50)]
    postings = keyword_index(rules, {}).postings
    assert not reckoned
    assert "zebra" in postings
    assert "okapi" not in postings
    assert postings["crossing7"] is postings["crossing7"]
    assert reckoned == [1]
    assert [at for at, _, _ in postings["crossing7"]] == [7]
