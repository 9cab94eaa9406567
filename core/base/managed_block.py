"""casebook's own block in a text file that belongs to the user. Nothing outside the block is ever changed.

A block is the lines from `<!-- casebook:start KIND sha=HASH -->` to `<!-- casebook:end -->`. The hash is of the lines
between them, so that a block which was edited by hand is noticed. A file has at most one block of each kind.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from core.base.atomic import write_file
from core.base.fault import Fault
from core.base.lazy import lazy_pattern

MOST_BYTES = 4 << 20
"""Size of a file that a block is written into."""
_NO_WAIT: int = getattr(os, "O_NONBLOCK", 0)
END = "<!-- casebook:end -->"
_MARK = lazy_pattern(
    r"^(?P<bom>\ufeff?)[ \t]*<!-- casebook:(?P<what>start|end|fix)\b"
    r"(?: (?P<kind>[a-z][a-z-]*)(?: sha=(?P<sha>[0-9a-f]+))?)?[^\r\n]*?-->[ \t]*$"
)
_LINE = lazy_pattern(r"[^\r\n]*(?:\r\n|\r|\n)?")
_NEWLINE = lazy_pattern(r"\r\n|\r|\n")


class Block(NamedTuple):
    """A block: offsets `start` to `end` with its marker lines, without the last line's ending; its body's offsets.

    `line`: the 1-based number of its start marker. `edited`: the body is neither what casebook wrote nor
    empty, so that it holds text of a person.
    """

    kind: str
    start: int
    end: int
    body: int
    body_end: int
    line: int
    edited: bool


def with_block(text: str, kind: str, body: str, *, name: str = "the file", force: bool = False) -> str:
    """`text` with `body` as its block of this kind: in the place of the one it has, else at its end.

    The block takes the line endings of the text. A marker in `body` is made harmless. Raises Fault invalid_input, with
    the line, for markers that do not match, and, without `force`, for a block that was edited by hand.
    """
    found = next((block for block in blocks(text, name) if block.kind == kind), None)
    newline = match[0] if (match := _NEWLINE.search(text)) else "\n"
    lines = _NEWLINE.split(body.replace("<!-- casebook:", "<!- casebook:").replace("\0", "\ufffd").strip("\r\n"))
    inner = "".join(f"{line}{newline}" for line in lines if body)
    block = f"<!-- casebook:start {kind} sha={_digest(inner)} -->{newline}{inner}{END}"
    if found is None:
        return f"{text}{newline if text else ''}{block}{newline}"
    if found.edited and not force:
        raise edited_by_hand(name, found.line, "move your text out of the block, or replace the block with --force")
    return text[: found.start] + block + text[found.end :]


def without_block(text: str, kind: str, *, name: str = "the file") -> str:
    """`text` without its block of this kind, as it is if it has none. A line ending before a block at the end goes too,
    so that the text is again what it was before `with_block`.

    Raises Fault invalid_input for markers that do not match, and for a block that was edited by hand.
    """
    found = next((block for block in blocks(text, name) if block.kind == kind), None)
    if found is None:
        return text
    if found.edited:
        raise edited_by_hand(name, found.line, "move your text out of the block, then run the command again")
    before, after = text[: found.start], text[found.end :]
    ending = _NEWLINE.match(after)
    after = after[ending.end() :] if ending else after
    if not after and (newline := _NEWLINE.search(text)):
        before = before.removesuffix(newline[0])
    return before + after


def edited_by_hand(name: str, line: int, hint: str) -> Fault:
    """The fault of a block whose body is not what casebook wrote."""
    return Fault("invalid_input", f"{name}:{line}: the casebook block was edited by hand", hint, edited=True)


def blocks(text: str, name: str = "the file") -> tuple[Block, ...]:
    """The blocks of a text. Raises Fault invalid_input, with the line, for markers that do not match."""
    found = list[Block]()
    begun: tuple[re.Match[str], int, int, int] | None = None
    in_fix = False  # a file of exported fixes has pairs `fix`, `end` of its own
    for number, at, line in _lines(text):
        mark = _MARK.match(line.rstrip("\r\n")) if "<!-- casebook:" in line else None
        if mark is None:
            continue
        what = mark["what"]
        if what == "start" and begun is None:
            in_fix = False  # a fix that has no end does not hide the blocks after it
            if any(block.kind == mark["kind"] for block in found):
                raise _broken(name, number, f"a second block of the kind {mark['kind']}")
            begun = mark, number, at + len(mark["bom"]), at + len(line)
        elif what == "end" and begun is not None:
            opened, first, start, body = begun
            inner = text[body:at]
            end = at + len(line.rstrip("\r\n"))
            edited = opened["sha"] != _digest(inner) and (bool(inner.strip()) or opened["sha"] is None)
            found.append(Block(opened["kind"] or "", start, end, body, at, first, edited))
            begun = None
        elif what == "fix" and begun is None:
            in_fix = True
        elif what == "end" and in_fix:
            in_fix = False
        else:
            raise _broken(name, number, f"casebook:{what} without casebook:{'start' if what == 'end' else 'end'}")
    if begun is not None:
        raise _broken(name, begun[1], "casebook:start without casebook:end")
    return tuple(found)


def write_block(path: Path, kind: str, body: str | None, *, force: bool = False) -> int:
    """Put a block into the file `path`, which is made if it is missing, and return the file's size in bytes.

    `body` None takes the block out, and with it the file that was made for it.

    Bytes outside the block, the byte order mark and the file's mode stay. A link within the folder stays a link. Raises
    Fault as `with_block`, and: invalid_input for a link that leads out of the folder, a file that is no text or too
    large; io_error where the system refuses, or another program has just changed the file.
    """
    target = _target(path)
    old = read_small_file(target)
    if old is None:
        if body is None:
            return 0
        return write_file(target, [with_block("", kind, body, name=str(path))], replace=False)
    # Bytes that are no UTF-8 pass through as they are.
    text = old.decode("utf-8", "surrogateescape")
    if body is None:
        changed = without_block(text, kind, name=str(path))
    else:
        changed = with_block(text, kind, body.encode("utf-8", "replace").decode(), name=str(path), force=force)
        if not text:
            changed = f"\n{changed}"  # the file was there before, and stays without the block
    new = changed.encode("utf-8", "surrogateescape")
    if new == old:
        return len(old)
    if read_small_file(target) != old:
        raise Fault("io_error", f"{path} was changed by another program", "run the command again")
    if not new and text.startswith("<!--"):
        remove_file(target)
        return 0
    return write_file(target, [new], replace=True, mode=stat.S_IMODE(target.stat().st_mode))


def remove_file(path: Path) -> None:
    """Remove a file that may be missing. Raises Fault io_error."""
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise Fault("io_error", f"cannot remove {path}: {error.strerror}", "check the permissions") from error


def read_text(path: Path) -> str:
    """The file's text, with bytes that are no UTF-8 escaped; empty if there is none. Raises Fault as `write_block`."""
    return (read_small_file(_target(path)) or b"").decode("utf-8", "surrogateescape")


def _target(path: Path) -> Path:
    """Where the file is that `path` names."""
    try:
        target = path.resolve()
        folder = path.parent.resolve()
    except (OSError, RuntimeError) as error:
        raise Fault(
            "invalid_input", f"cannot resolve the path {path}: {error}", "pass the path of the file itself"
        ) from error
    if path.is_symlink() and folder not in target.parents:
        raise Fault(
            "invalid_input", f"{path} is a link that points outside its folder, to {target}", "pass the target itself"
        )
    return target


def read_small_file(path: Path) -> bytes | None:
    """The bytes of a regular file, or None if it is missing. A pipe is never waited for.

    Raises Fault: io_error where the system refuses, invalid_input for what is no text file of at most `MOST_BYTES`.
    """
    try:
        with open(path, "rb", opener=lambda name, flags: os.open(name, flags | _NO_WAIT)) as file:
            regular = stat.S_ISREG(os.fstat(file.fileno()).st_mode)
            data = file.read(MOST_BYTES + 1) if regular else b""
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Fault(
            "io_error", f"cannot read {path}: {error.strerror}", "check the path and its permissions"
        ) from error
    if not regular:
        raise Fault("invalid_input", f"{path} is not a regular file", "pass another file")
    if len(data) > MOST_BYTES:
        raise Fault("invalid_input", f"{path} is larger than {MOST_BYTES >> 20} MiB", "pass another file")
    if b"\0" in data:
        raise Fault("invalid_input", f"{path} is not UTF-8 text", "pass another file")
    return data


def _lines(text: str) -> Iterator[tuple[int, int, str]]:
    """Number, offset and text of each line, with its ending."""
    for number, found in enumerate(_LINE.finditer(text), 1):
        if found[0]:
            yield number, found.start(), found[0]


def _digest(body: str) -> str:
    """The same for every kind of line ending."""
    return sha256(_NEWLINE.sub("\n", body).encode("utf-8", "surrogatepass")).hexdigest()[:12]


def _broken(name: str, line: int, what: str) -> Fault:
    return Fault(
        "invalid_input",
        f"{name}:{line}: {what}",
        "correct the marker lines manually (casebook left the file unchanged)",
    )
