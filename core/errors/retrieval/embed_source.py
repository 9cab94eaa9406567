"""The cases as texts to embed: each case's first key line, in words."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import apsw

from core.errors.cases.derived import own_titles
from core.errors.identity.api import key_line
from core.errors.retrieval.embed_text import RECIPE, embed_text
from core.store.sql import number
from core.text import redact

_LINES = """
  SELECT e.id, e.error_normalized, e.error_raw,
    (SELECT key_line FROM fingerprint WHERE case_id = e.id ORDER BY first_seen, fingerprint LIMIT 1)
  FROM json_each(?) AS wanted CROSS JOIN error_kb AS e ON e.id = wanted.value
"""


@dataclass(frozen=True, slots=True)
class ErrorSource:
    """A case is embedded by its first key line, which stays while further ones are seen (DESIGN 7)."""

    kind: str = "error"
    recipe: str = RECIPE

    def texts(self, con: apsw.Connection, ids: Sequence[int]) -> dict[int, str]:
        """The texts by case id; a case that is gone is left out, one without any word gives an empty text."""
        rows = cast(
            "list[tuple[int, str, str | None, str | None]]", con.execute(_LINES, (json.dumps(list(ids)),)).fetchall()
        )
        own = {case_id: one.key_line for case_id, one in own_titles(con, ids).items()}
        return {case_id: embed_text(own.get(case_id) or line or _unnamed(key, raw)) for case_id, key, raw, line in rows}

    def window(self, con: apsw.Connection, after: int, limit: int) -> list[int]:
        """The first `limit` case ids above `after`."""
        rows = con.execute("SELECT id FROM error_kb WHERE id > ? ORDER BY id LIMIT ?", (after, limit)).fetchall()
        return [cast("int", row[0]) for row in rows]

    def count(self, con: apsw.Connection) -> int:
        """How many cases there are."""
        return number(con, "SELECT count(*) FROM error_kb")


def _unnamed(key: str, raw: str | None) -> str:
    """The line of a row that another program wrote and nothing here has named yet."""
    return key_line(redact(raw)) if raw and raw.strip() else redact(key)
