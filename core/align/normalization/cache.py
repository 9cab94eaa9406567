"""Views of texts that are looked at again and again, by content, up to a number of bytes (decision 9)."""

from __future__ import annotations

from collections import OrderedDict
from hashlib import blake2b

from core.align.normalization.normalized_view import View

DEFAULT_BYTES = 64 << 20
_PER_CHARACTER = 16
"""Bytes that the forms of one character take, with their offsets, as measured on mixed text."""


class ViewCache:
    """The views last used. Belongs to one thread."""

    def __init__(self, most_bytes: int = DEFAULT_BYTES) -> None:
        self._most = most_bytes
        self._held = 0
        self._views: OrderedDict[bytes, View] = OrderedDict()

    def view(self, text: str) -> View:
        """The view of `text`; a text that alone is larger than the cache is not kept."""
        key = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        found = self._views.get(key)
        if found is not None:
            self._views.move_to_end(key)
            return found
        view, size = View(text), _PER_CHARACTER * len(text)
        if size <= self._most:
            self._views[key] = view
            self._held += size
            while self._held > self._most:
                _, oldest = self._views.popitem(last=False)
                self._held -= _PER_CHARACTER * len(oldest.plain)
        return view
