"""An SQLite file read page by page without SQLite, so that a bad page costs only what lies on it.

The format is SQLite's documented database file format: b-tree pages of cells, each cell a record of typed values.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from mmap import mmap

from core.store.sql import Value

_TABLE_LEAF, _TABLE_INNER, _INDEX_LEAF, _INDEX_INNER = 13, 5, 10, 2
_LEAVES = (_TABLE_LEAF, _INDEX_LEAF)
_ENCODINGS = {2: "utf-16-le", 3: "utf-16-be"}
_INTEGERS = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}  # serial type -> bytes


class Damage(ValueError):
    """A page or a record that is not what the format says."""


@dataclass(frozen=True, slots=True)
class Row:
    """One record: its rowid (None in the b-tree of an index) and its values in the order they are stored."""

    rowid: int | None
    values: tuple[Value, ...]


@dataclass(slots=True)
class Image:
    """The bytes of a database. `seen`: pages that a walk reached; `damage`: what was wrong, in plain words."""

    data: bytes | mmap
    page_size: int
    reserved: int = 0
    encoding: str = "utf-8"
    seen: set[int] = field(default_factory=set[int])
    damage: list[str] = field(default_factory=list[str])

    @property
    def pages(self) -> int:
        """How many whole pages there are; they are counted from 1."""
        return len(self.data) // self.page_size

    @property
    def usable(self) -> int:
        """Bytes of a page that hold content."""
        return self.page_size - self.reserved

    def page(self, number: int) -> bytes:
        """The content of a page. Raises Damage for one that is not there."""
        if not 0 < number <= self.pages:
            raise Damage(f"page {number} is missing")
        start = (number - 1) * self.page_size
        return bytes(self.data[start : start + self.usable])


def image_of(data: bytes | mmap, page_size: int | None = None) -> Image:
    """The image of a file, told by its header; `page_size` (bytes) where the header does not say, else 4096."""
    head = bytes(data[:100]).ljust(100, b"\0")
    size = struct.unpack(">H", head[16:18])[0]
    size = 65536 if size == 1 else size
    if not head.startswith(b"SQLite format 3\0") or size < 512 or size & (size - 1):
        image = Image(data, page_size or 4096)
        image.damage.append("the header is damaged")
        return image
    encoding = _ENCODINGS.get(struct.unpack(">I", head[56:60])[0], "utf-8")
    reserved = head[20] if size - head[20] >= 480 else 0
    return Image(data, size, reserved, encoding)


def walk(image: Image, root: int) -> Iterator[Row]:
    """Every record of the b-tree under page `root` that can be read; what cannot is noted in `image.damage`.

    The inner pages of an index hold records too, and those are given as well.
    """
    waiting = [root]
    while waiting:
        number = waiting.pop()
        if number in image.seen:
            image.damage.append(f"page {number} belongs to two places")
            continue
        image.seen.add(number)
        try:
            content = image.page(number)
            kind, cells, rightmost = _cells(content, number)
        except Damage as damage:
            image.damage.append(str(damage))
            continue
        if kind in (_TABLE_INNER, _INDEX_INNER):
            children = [child for at in cells if (child := _number(content, at)) is not None]
            waiting.extend(reversed([*children, rightmost]))
        if kind != _TABLE_INNER:
            yield from _rows(image, number, content, kind, cells)


def mark(image: Image, root: int) -> None:
    """Note which pages the b-tree under page `root` has, without reading its rows."""
    waiting = [root]
    while waiting:
        number = waiting.pop()
        if number in image.seen:
            continue
        try:
            content = image.page(number)
            kind, cells, rightmost = _cells(content, number)
        except Damage:
            continue
        image.seen.add(number)
        if kind not in _LEAVES:
            waiting.extend([rightmost, *(child for at in cells if (child := _number(content, at)) is not None)])


def loose(image: Image) -> Iterator[tuple[int, bool, list[Row]]]:
    """Pages with rows that no walk reached and that are not free: (page, whether of an index, its rows)."""
    free = _free_pages(image)
    for number in range(1, image.pages + 1):
        if number in image.seen or number in free:
            continue
        try:
            content = image.page(number)
            kind, cells, _ = _cells(content, number)
        except Damage:
            continue  # most such pages hold no b-tree at all (overflow)
        if kind == _TABLE_INNER or not cells:
            continue
        image.seen.add(number)
        yield number, kind != _TABLE_LEAF, list(_rows(image, number, content, kind, cells))


def _rows(image: Image, number: int, content: bytes, kind: int, cells: tuple[int, ...]) -> Iterator[Row]:
    for at in cells:
        try:
            yield _row(image, content, kind, at)
        except (Damage, IndexError, struct.error) as damage:
            image.damage.append(f"page {number}: a row cannot be read ({damage})")


def _cells(content: bytes, number: int) -> tuple[int, tuple[int, ...], int]:
    """The kind of a page, where its cells begin, and the rightmost child of an inner page."""
    start = 100 if number == 1 else 0
    kind = content[start]
    if kind not in (_TABLE_LEAF, _TABLE_INNER, _INDEX_LEAF, _INDEX_INNER):
        raise Damage(f"page {number} holds no rows (kind {kind})")
    body = start + (8 if kind in _LEAVES else 12)
    count = struct.unpack_from(">H", content, start + 3)[0]
    end = body + 2 * count
    if end > len(content):
        raise Damage(f"page {number} claims {count} rows")
    cells = struct.unpack_from(f">{count}H", content, body)
    if any(not end <= at < len(content) for at in cells):
        raise Damage(f"page {number} points outside itself")
    rightmost = 0 if kind in _LEAVES else struct.unpack_from(">I", content, start + 8)[0]
    return kind, cells, rightmost


def _number(content: bytes, at: int) -> int | None:
    return struct.unpack_from(">I", content, at)[0] if at + 4 <= len(content) else None


def _row(image: Image, content: bytes, kind: int, at: int) -> Row:
    if kind == _INDEX_INNER:
        at += 4
    length, at = _varint(content, at)
    rowid: int | None = None
    if kind == _TABLE_LEAF:
        rowid, at = _varint(content, at)
    if not 0 < length <= len(image.data):
        raise Damage(f"a length of {length}")
    return Row(rowid, _record(_payload(image, content, at, length, kind == _TABLE_LEAF), image.encoding))


def _payload(image: Image, content: bytes, at: int, length: int, table: bool) -> bytes:
    usable = image.usable
    most = usable - 35 if table else (usable - 12) * 64 // 255 - 23
    if length <= most:
        if at + length > len(content):
            raise Damage("it runs over the end of its page")
        return content[at : at + length]
    least = (usable - 12) * 32 // 255 - 23
    local = least + (length - least) % (usable - 4)
    local = local if local <= most else least
    parts, left = [content[at : at + local]], length - local
    following = _number(content, at + local)
    chain: list[int] = []
    while left > 0:
        if not following or following in chain[-1:]:
            raise Damage("its overflow pages end too early")
        part = image.page(following)
        chain.append(following)
        parts.append(part[4 : 4 + left])
        left -= len(part) - 4
        following = struct.unpack_from(">I", part, 0)[0]
    image.seen.update(chain)
    return b"".join(parts)


def _record(payload: bytes, encoding: str) -> tuple[Value, ...]:
    size, at = _varint(payload, 0)
    if not 0 < size <= len(payload):
        raise Damage(f"a record header of {size} bytes")
    kinds: list[int] = []
    while at < size:
        kind, at = _varint(payload, at)
        kinds.append(kind)
    values: list[Value] = []
    for kind in kinds:
        value, at = _value(payload, at, kind, encoding)
        values.append(value)
    return tuple(values)


def _value(payload: bytes, at: int, kind: int, encoding: str) -> tuple[Value, int]:
    if kind == 0:
        return None, at
    if kind in (8, 9):
        return kind - 8, at
    if kind in (10, 11) or kind < 0:
        raise Damage(f"a value of kind {kind}")
    length = _INTEGERS.get(kind, 8 if kind == 7 else (kind - 12) // 2)
    end = at + length
    if end > len(payload):
        raise Damage("a value runs over the end of its record")
    content = payload[at:end]
    if kind in _INTEGERS:
        return int.from_bytes(content, "big", signed=True), end
    if kind == 7:
        return struct.unpack(">d", content)[0], end
    return (content if kind % 2 == 0 else content.decode(encoding, "replace")), end


def _varint(content: bytes, at: int) -> tuple[int, int]:
    """A variable-length integer of 1 to 9 bytes, and where the next thing begins."""
    value = 0
    for step in range(8):
        byte = content[at + step]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, at + step + 1
    value = value << 8 | content[at + 8]
    return (value - (1 << 64) if value >> 63 else value), at + 9


def _free_pages(image: Image) -> set[int]:
    """Pages that hold nothing any more; rows found there were deleted."""
    free: set[int] = set()
    head = bytes(image.data[:100])
    if not head.startswith(b"SQLite format 3\0"):
        image.damage.append("the list of free pages is lost: rows that were deleted may be among those found")
        return free
    trunk = struct.unpack(">I", head[32:36])[0]
    while trunk and trunk not in free:
        try:
            content = image.page(trunk)
        except Damage:
            image.damage.append("the list of free pages is damaged: rows that were deleted may be among those found")
            break
        free.add(trunk)
        trunk, count = struct.unpack_from(">II", content, 0)
        count = min(count, (len(content) - 8) // 4)
        free.update(struct.unpack_from(f">{count}I", content, 8))
    return free
