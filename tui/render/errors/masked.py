"""What the key of a case masks: shown in its place in the key line, and explained mark by mark."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual.content import Content

from tui.render.common.untrusted import inline

if TYPE_CHECKING:
    from core.errors import Masked

_WORDS = {"<STR>": "any quoted text", "<PATH>": "any path", "<N>": "any number", "<SECRET>": "a secret, never kept"}
_SHOWN = 40


def masked_in(key_line: str, keys: Sequence[str]) -> tuple[Masked, ...]:
    """What the first of `keys` that fits masks in `key_line`: a case may have several keys."""
    from core.errors import masked_parts

    return next((parts for key in keys if (parts := masked_parts(key_line, key))), ())


def dim_masked(content: Content, parts: Sequence[Masked]) -> Content:
    """The masked parts quieter and slanted: they are not what names the case."""
    length = len(content.plain)
    for part in parts:
        if part.start < length:
            content = content.stylize("not bold italic $cb-dim", part.start, min(part.end, length))
    return content


def draw_masked(key_line: str, parts: Sequence[Masked]) -> Content:
    """Each mark with the text in its place, in order: what may differ and still be the same kind of error."""
    if not parts:
        return Content.assemble(("The key is the line as it is: nothing in it is masked.", "$cb-dim"))
    lines: list[tuple[str, str]] = [("The same kind of error may differ in\n", "$cb-dim")]
    for part in parts[:_SHOWN]:
        shown = inline(key_line[part.start : part.end], 200)
        lines += [
            (f"  {part.mark:<9}", "bold $cb-accent"),
            (shown, "italic $cb-text"),
            (f"  {_WORDS.get(part.mark, '')}\n", "$cb-dim"),
        ]
    if len(parts) > _SHOWN:
        lines.append((f"  and {len(parts) - _SHOWN} more\n", "$cb-dim"))
    return Content.assemble(*lines).rstrip()
