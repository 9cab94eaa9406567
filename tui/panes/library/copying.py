"""The forms in which a hit, or a document, can be copied."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from tui.screens.copy_menu import Form

if TYPE_CHECKING:
    from core.library.search.hit import SearchHit


def forms_of(uri: str, hit: SearchHit | None, query: str) -> tuple[Form, ...]:
    """Every form; of a document there is only its citation and the command."""
    found = [Form("c", "citation", uri)]
    if hit is not None:
        from core.base.wire import dumps

        quoted = "\n".join(f"> {line}" for line in hit.snippet.split("\n"))
        found += [
            Form("p", "passage", hit.snippet),
            Form("q", "quote with its citation", f"{quoted}\n>\n> ({uri})\n"),
            Form("l", "Markdown link", f"[{_label(hit)}]({_url(uri)})"),
            Form("i", "passage id", hit.chunk_id),
            Form("j", "hit as JSON", dumps(hit), exact=True),
        ]
    if query.strip():
        found.append(Form("s", "shell command", shlex.join(["casebook", "library", "search", query])))
    return tuple(found)


def _label(hit: SearchHit) -> str:
    label = hit.section_label or hit.title or hit.doc_path
    return label.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")


def _url(uri: str) -> str:
    from urllib.parse import quote

    return quote(uri, safe="/#-._~=&,:", errors="replace")
