"""What embeds and what is embedded, as protocols: a model, its vectors, and a source of texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

if TYPE_CHECKING:
    import apsw

Kind = Literal["document", "query", "tokens"]
"""Some models read a stored text and a question apart (`multilingual-e5-large` by a prefix). `tokens`: the vector of
each token before pooling, window by window, without a prefix."""

Vector = bytes
"""A unit-length vector as it is stored: little-endian float32, `4 * dim` bytes. To carry it takes no numpy."""


class Document(NamedTuple):
    """A text to be stored, as a model read it: its vectors, one a window, and the signs of its tokens
    (`core.embedding.index.token_bits`), empty where they are not wanted."""

    windows: tuple[Vector, ...]
    tokens: bytes = b""


class Embedder(Protocol):
    """A model that is ready to embed.

    `id` and `version` name the model and its weights; `recipe` says how it reads a text (prefix, pooling, windows), so
    that vectors made in different ways never meet; `dim` is the number of components.
    """

    @property
    def id(self) -> str: ...
    @property
    def version(self) -> str: ...
    @property
    def recipe(self) -> str: ...
    @property
    def dim(self) -> int: ...

    def embed(self, texts: Sequence[str], kind: Kind) -> list[tuple[Vector, ...]]:
        """The vectors of each text, in order: one, or several where a text is longer than the model's window; of the
        kind `tokens` one a token.

        Every vector is finite and of unit length. Raises Fault invalid_input for a blank text or one that no tokenizer
        can read, Fault model_unreachable or timeout where the model is not to be had; then no text was embedded.
        """
        ...

    def close(self) -> None:
        """Let go of what it holds; may be called twice."""
        ...


class LocalEmbedder(Embedder, Protocol):
    """One in this process, which can also say beforehand how much it has to read."""

    def read(self, texts: Sequence[str]) -> list[Document]:
        """The texts with their tokens, in order. Raises as `embed`."""
        ...

    def tokens(self, text: str) -> int:
        """About how many tokens a text has, for putting like lengths together. Raises nothing, whatever the text."""
        ...


class Source(Protocol):
    """Texts of one `kind` (`error`, `rule`, `chunk`), each with the id of its row.

    `recipe` names how a text is made of its row; a change of it means that every vector is made anew. Whoever writes
    a row puts its id into the table `backlog` (by triggers), and again when its text may have changed or it is gone.
    """

    @property
    def kind(self) -> str: ...
    @property
    def recipe(self) -> str: ...

    def texts(self, con: apsw.Connection, ids: Sequence[int]) -> dict[int, str]:
        """The texts to embed, by id; an id whose row is gone is left out."""
        ...

    def window(self, con: apsw.Connection, after: int, limit: int) -> list[int]:
        """The first `limit` ids above `after`, ascending: for walking all of them."""
        ...

    def count(self, con: apsw.Connection) -> int:
        """How many there are."""
        ...
