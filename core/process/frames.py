"""The one wire form between processes: frames of a JSON header and raw bytes. Pure, and light to import.

A frame is a prefix of 12 bytes (`cbm`, the version of this protocol, the two lengths as little-endian uint32), a JSON
object, and bytes. A reader trusts nothing: a wrong prefix is refused at its first wrong byte, a length beyond its cap
before anything of that length is held.
"""

from __future__ import annotations

from _struct import Struct  # `struct` without its wrapper

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

VERSION = 1
MAX_HEADER = 1 << 20
"""Bytes of a header: it carries the texts of a request."""
MAX_BODY = 32 << 20
"""Bytes behind a header: the vectors of an answer."""

_NAME = b"cbm"
_PREFIX = Struct("<3sBII")


class BadFrame(Exception):
    """What came is no frame of this protocol, or one that is too large; the text says which, in plain words."""


class Frame:
    """One message: a JSON object, and bytes that JSON could only hold at a third more."""

    __slots__ = ("body", "header")

    def __init__(self, header: Mapping[str, object], body: bytes = b"") -> None:
        self.header, self.body = header, body

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Frame) and (self.header, self.body) == (other.header, other.body)

    __hash__ = None  # pyright: ignore[reportAssignmentType]


def encode(frame: Frame) -> bytes:
    """The bytes of a frame. Raises BadFrame if it is larger than a reader takes."""
    from json import dumps

    # escapes carry a lone surrogate, which UTF-8 would not
    return join(dumps(frame.header).encode("ascii"), frame.body)


def join(header: bytes, body: bytes = b"", *, most: tuple[int, int] = (MAX_HEADER, MAX_BODY)) -> bytes:
    """The bytes of a frame with this JSON as its header. Raises BadFrame if it is larger than a reader takes."""
    if len(header) > most[0] or len(body) > most[1]:
        raise BadFrame(f"a message of {len(header) + len(body):,} bytes is too large")
    return _PREFIX.pack(_NAME, VERSION, len(header), len(body)) + header + body


def plain_header(fields: Mapping[str, str]) -> bytes:
    """The JSON of a header whose values are all texts, made without loading the module of that name."""
    try:
        from _json import encode_basestring_ascii as quote
    except ImportError:
        from json.encoder import encode_basestring_ascii as quote
    return ("{" + ", ".join(f"{quote(name)}: {quote(value)}" for name, value in fields.items()) + "}").encode("ascii")


class FrameReader:
    """Puts frames together from whatever pieces they arrive in."""

    def __init__(
        self,
        *,
        max_header: int = MAX_HEADER,
        max_body: int = MAX_BODY,
        loads: Callable[[bytes], object] | None = None,
    ) -> None:
        """`loads` parses a header, and raises ValueError or RecursionError; by default it is ASCII."""
        self._most = max_header, max_body
        self._loads = loads or _loads
        self._held = bytearray()

    @property
    def partial(self) -> bool:
        """Whether a frame has begun and is not yet whole."""
        return bool(self._held)

    def feed(self, data: bytes) -> list[Frame]:
        """The frames that are whole now that `data` has come, in order. Raises BadFrame; then read no further."""
        self._held += data
        whole: list[Frame] = []
        while (sizes := self._sizes()) is not None:
            start, middle = _PREFIX.size, _PREFIX.size + sizes[0]
            end = middle + sizes[1]
            if len(self._held) < end:
                break
            with memoryview(self._held) as held:
                header, body = bytes(held[start:middle]), bytes(held[middle:end])
            whole.append(Frame(self._object(header), body))
            del self._held[:end]
        return whole

    def _sizes(self) -> tuple[int, int] | None:
        """Return the lengths that the current frame states; None if its prefix is incomplete."""
        if not _NAME.startswith(self._held[: len(_NAME)]):
            raise BadFrame("this is not the protocol of casebook's processes")
        if len(self._held) > len(_NAME) and self._held[len(_NAME)] != VERSION:
            raise BadFrame(f"the other process uses protocol version {self._held[len(_NAME)]}, not {VERSION}")
        if len(self._held) < _PREFIX.size:
            return None
        _, _, header, body = _PREFIX.unpack_from(self._held)
        if header > self._most[0] or body > self._most[1]:
            raise BadFrame(f"a message of {header + body:,} bytes is too large")
        return header, body

    def _object(self, data: bytes) -> dict[str, object]:
        try:
            value = self._loads(data)
        except (ValueError, RecursionError) as error:
            raise BadFrame("invalid message: the header is not JSON") from error
        if not isinstance(value, dict):
            raise BadFrame("invalid message: the header is not a JSON object")
        return value  # pyright: ignore[reportUnknownVariableType]


def _loads(data: bytes) -> object:
    from json import loads

    return loads(data.decode("ascii"))
