"""What names an error: its key lines, the seed's normalized key and the finer fingerprint (`error_id.v1`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

KeyLineRole = Literal["primary", "secondary"]


@dataclass(frozen=True, slots=True)
class KeyLine:
    """One line that names an error.

    `text` is the line without its location prefix, cleaned; `start` and `end` are the half-open code-point span of
    it in the raw text; `tool` is the entry that recognised it (`python`, `tsc`, …, `unknown`). `role` is `primary` for
    the line that names the output and for its peers, which are errors of their own (a compiler's next diagnosis, the
    next failing test); causes, wrappers and details are `secondary`. If nothing names the failure, all are secondary:
    the first is a trailer (`make: *** Error 1`) or a guess.
    """

    text: str
    start: int
    end: int
    tool: str
    role: KeyLineRole


@dataclass(frozen=True, slots=True)
class Identity:
    """The names of one error output. Compilers and test runners name several: `key_lines`, the primary first."""

    SCHEMA: ClassVar[str] = "error_id.v1"

    key_line: str
    key_lines: tuple[KeyLine, ...]
    tool: str
    normalized: str
    fingerprint: str
