"""A text longer than a model reads, as several that overlap: nothing of it is left unread."""

from __future__ import annotations

import os
import threading
import unicodedata
import warnings
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar

from core.base.fault import Fault
from core.embedding.index.token_bits import token_bits
from core.embedding.index.vectors import cosine
from core.embedding.models.calibrate import Centre, read_centre
from core.embedding.models.catalogue import Model, Pooling, Wheel
from core.embedding.models.model_folder import ONNX
from core.embedding.models.models import LocalModel
from core.embedding.models.prepare import prepare
from core.embedding.runtime.embedder import Document, Embedder, Kind, LocalEmbedder, Vector
from core.embedding.runtime.loading import load_on_thread

if TYPE_CHECKING:
    from fastembed import TextEmbedding
    from numpy.typing import NDArray
    from tokenizers import Tokenizer


_T = TypeVar("_T")
Tokens = Callable[[str], Sequence[tuple[int, int]]]
"""Where each token of a text lies in it (code points), special tokens left out."""


def windows(text: str, room: int, tokens: Tokens) -> list[str]:
    """Parts of `text`, each of at most `room` tokens, that together hold all of it; the text itself if it fits.

    Neighbours share a quarter of their tokens, so that what is said across a border stands whole in one of them. A
    part is cut between words where there are any; one that reads as more tokens than it did inside its text is halved.
    """
    spans = tokens(text)
    if len(spans) <= room:
        return [text]
    step = max(1, room - room // 4)
    out: list[str] = []
    for first in range(0, len(spans), step):
        part = spans[first : first + room]
        out += _fitting(text[_word_start(text, first, room, spans) : part[-1][1]], room, tokens)
        if first + room >= len(spans):
            break
    return [part for part in out if part.strip()]


def _word_start(text: str, first: int, room: int, spans: Sequence[tuple[int, int]]) -> int:
    """Where the word begins in which a window would, if that is near: half a word is read as another one."""
    for index in range(first, max(0, first - room // 8), -1):
        start = spans[index][0]
        if spans[index - 1][1] < start or not text[start - 1 : start].isalnum():
            return start
    return spans[first][0]


def _fitting(part: str, room: int, tokens: Tokens) -> list[str]:
    if len(part) < 2 or len(tokens(part)) <= room:
        return [part]
    middle = len(part) // 2
    return [*_fitting(part[:middle], room, tokens), *_fitting(part[middle:], room, tokens)]


_FATAL = 4
"""onnxruntime's number for faults that end the process."""
CUDA, CPU = "CUDAExecutionProvider", "CPUExecutionProvider"


def choose(available: Sequence[str]) -> tuple[str, ...]:
    """The providers to ask for, the best first.

    CUDA where the installed onnxruntime has it (extra `[gpu]`), and always the processor behind it: where a driver is
    missing, onnxruntime goes on to the next by itself. No other is asked for: none was tried.
    """
    return (CUDA, CPU) if CUDA in available else (CPU,)


def offered() -> Sequence[str]:
    """What the installed onnxruntime can run on. Loads it, and keeps it from writing over the screen: what fails is
    raised as well."""
    keep_to_itself()
    runtime = import_module("onnxruntime")
    runtime.set_default_logger_severity(_FATAL)
    warnings.filterwarnings("ignore", message="Attempt to set CUDAExecutionProvider failed")
    return runtime.get_available_providers()


def keep_to_itself() -> None:
    """Call before anything imports onnxruntime: since 1.31 it reports every start to its makers, and keeps a device id
    in the user's cache folder, unless its environment forbids it (onnxruntime, `Privacy.md`)."""
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"


MAX_CHARS = 200_000
"""A longer text is refused: it would be some hundred windows, which are no error, rule or note."""
_BATCH_TEXTS, _BATCH_TOKENS = 16, 16_384
"""A batch holds at most so many texts and, padded, so many tokens: what lies between the model's layers then fits the
processor's cache (64 texts: a sixth slower; single ones: twice as slow), and memory is bounded."""
_MEASURED = 4_096
"""Characters of a text whose tokens are counted for the order of texts; of a longer one they are estimated."""
_ENDS = 2
"""Special tokens around a text, the first and the last one."""
_REGISTERING = Lock()


def load(found: LocalModel, *, threads: int = 1, stop: Callable[[], bool] = lambda: False) -> LocalEmbedder:
    """The model, ready to embed; takes a second or so: not for a thread that draws.

    `threads` 0 uses all cores. Ctrl-C interrupts the wait on the main thread; where `stop` says so LoadStoppedError is
    raised (see `loading`). Raises Fault model_not_pulled where its files are not to be had or damaged,
    model_unreachable where they are whole and yet cannot be run here.
    """
    return load_on_thread(lambda: _loaded(found, threads), stop)


def _loaded(found: LocalModel, threads: int) -> LocalEmbedder:
    kept = prepare(found)
    embedder = open_folder(found.folder, kept.model, threads=threads)
    wheel = found.model.wheel
    if wheel is not None and kept.files[ONNX][1] != wheel.onnx_sha256:
        _check_vectors(embedder, wheel)
    return embedder


def open_folder(folder: Path, model: Model, *, threads: int = 1) -> LocalEmbedder:
    """The model whose files lie in `folder`, unchecked. Raises Fault model_unreachable."""
    try:
        return _Local(folder, model, threads)
    except Fault:
        raise
    except Exception as error:  # onnxruntime and tokenizers raise what they like
        raise _broken(model, error) from error


def _check_vectors(embedder: Embedder, wheel: Wheel) -> None:
    """Where the converted file has other bytes than the pinned ones: are its vectors nevertheless the right ones?"""
    one, other, similarity = wheel.known
    (first,), (second,) = embedder.embed([one, other], "document")
    if abs(cosine(first, second) - similarity) > 1e-3:
        message = f"the converted model {embedder.id} returns wrong vectors"
        raise Fault("model_unreachable", message, f"run: casebook models pull {embedder.id}")


class _Local:
    """The embedder (see `core.embedding.runtime.embedder`); one may be used by several threads."""

    def __init__(self, folder: Path, model: Model, threads: int) -> None:
        self._model = model
        self._centre = _centre(folder, model)
        session: Any = _open(folder, model, threads)
        self._session: TextEmbedding | None = session
        # fastembed's own: to read the words of a hundred languages once more would take a second or two
        self._tokenizer: Tokenizer = session.model.tokenizer
        self._special = int(self._tokenizer.num_special_tokens_to_add(False))

    @property
    def id(self) -> str:
        return self._model.id

    @property
    def version(self) -> str:
        return self._model.version

    @property
    def recipe(self) -> str:
        return self._model.recipe

    @property
    def dim(self) -> int:
        return self._model.dim

    def embed(self, texts: Sequence[str], kind: Kind) -> list[tuple[Vector, ...]]:
        if kind != "tokens":
            return [vectors for vectors, _ in self._read(texts, kind, _nothing)]
        found = self._read(texts, kind, self._unit)
        return [tuple(vector for own in windows for vector in own) for _, windows in found]

    def read(self, texts: Sequence[str]) -> list[Document]:
        return [Document(vectors, b"".join(signs)) for vectors, signs in self._read(texts, "document", token_bits)]

    def _read(
        self, texts: Sequence[str], kind: Kind, of_tokens: Callable[[NDArray[Any]], _T]
    ) -> list[tuple[tuple[Vector, ...], list[_T]]]:
        """Of each text its vectors, one a window, and for each window what `of_tokens` makes of its tokens' vectors."""
        for text in texts:
            _refuse(text)
        prefix = {"document": self._model.document_prefix, "query": self._model.query_prefix, "tokens": ""}[kind]
        more = self._special + len(self._spans(prefix))
        parts = [(index, *part) for index, text in enumerate(texts) for part in self._parts(text, more)]
        found = self._windows([prefix + part for _, part, _ in parts], [size for _, _, size in parts], of_tokens)
        vectors = [vector for vector, _ in found]
        if self._centre is not None and vectors and kind != "tokens":
            vectors = _moved(vectors, self._centre, [part for _, part, _ in parts], kind)
        grouped: list[list[Vector]] = [[] for _ in texts]
        tokens: list[list[_T]] = [[] for _ in texts]
        for (index, _, _), vector, (_, own) in zip(parts, vectors, found, strict=True):
            grouped[index].append(vector)
            tokens[index].append(own)
        return [(tuple(own), made) for own, made in zip(grouped, tokens, strict=True)]

    def tokens(self, text: str) -> int:
        head = text[:_MEASURED].encode("utf-8", "replace").decode()  # half characters are refused later
        return len(self._spans(head)) * max(1, len(text)) // max(1, len(head)) if head else 0

    def close(self) -> None:
        self._session = None

    def _parts(self, text: str, more: int) -> list[tuple[str, int]]:
        """The windows of a text, each with its number of tokens; `more` tokens are added to each."""
        tokens = len(self._spans(text))
        if tokens + more <= self._model.window:
            return [(text, tokens + more)]
        found = windows(text, self._model.window - more, self._spans)
        return [(part, len(self._spans(part)) + more) for part in found]

    def _windows(
        self, texts: list[str], lengths: list[int], of_tokens: Callable[[NDArray[Any]], _T]
    ) -> list[tuple[Vector, _T]]:
        """What each text becomes. A batch is as wide as its longest text, so it holds texts of like length."""
        order = sorted(range(len(texts)), key=lengths.__getitem__)
        out: dict[int, tuple[Vector, _T]] = {}
        first = 0
        while first < len(order):
            last = first + 1
            while last < len(order) and _fits(last + 1 - first, lengths[order[last]]):
                last += 1
            batch = order[first:last]
            out.update(zip(batch, self._run([texts[index] for index in batch], of_tokens), strict=True))
            first = last
        return [out[index] for index in range(len(texts))]

    def _run(self, batch: list[str], of_tokens: Callable[[NDArray[Any]], _T]) -> list[tuple[Vector, _T]]:
        import numpy as np

        states, masks = self._states(batch)
        if self._model.pooling == "cls":
            rows = states[:, 0].astype(np.float64)
        else:
            rows = np.sum(states, axis=1, where=masks[:, :, None], dtype=np.float64) / masks.sum(1, keepdims=True)
        tokens = [of_tokens(self._inner(*own)) for own in zip(states, masks, strict=True)]
        return list(zip(self._unit(rows), tokens, strict=True))

    def _inner(self, states: NDArray[Any], real: NDArray[Any]) -> NDArray[Any]:
        """What the model makes of a text's own tokens."""
        rows = states[real]
        return rows[1:-1] if self._special == _ENDS and len(rows) > _ENDS else rows

    def _unit(self, rows: NDArray[Any]) -> list[Vector]:
        """The rows as unit vectors, whatever the model says about normalising."""
        import numpy as np

        if rows.ndim != 2 or rows.shape[1] != self.dim:
            message = f"the model {self.id} returns {rows.shape[-1]} dimensions, not {self.dim}"
            raise Fault("model_unreachable", message, "")
        lengths = np.linalg.norm(rows.astype(np.float64), axis=1, keepdims=True)
        if not (np.isfinite(lengths).all() and (lengths > 1e-9).all()):
            raise Fault("model_unreachable", f"the model {self.id} returns invalid vectors", "run: casebook doctor")
        return [row.tobytes() for row in (rows / lengths).astype("<f4")]

    def _states(self, batch: list[str]) -> tuple[NDArray[Any], NDArray[Any]]:
        """What the model makes of each token of each text, and which tokens are real: the rest fills up."""
        import numpy as np

        model = self._opened().model
        try:
            found: Any = model.onnx_embed(batch)
            return np.asarray(found.model_output), np.asarray(found.attention_mask, dtype=bool)
        except Exception as error:  # onnxruntime raises what it likes
            raise _broken(self._model, error) from error

    def _opened(self) -> Any:
        if self._session is None:
            raise Fault("model_unreachable", f"the model {self.id} was closed", "run the command again")
        return self._session

    def _spans(self, text: str) -> list[tuple[int, int]]:
        """Where each token lies. The tokenizer cuts what is longer than a window and keeps the rest, filled up."""
        found: Any = self._tokenizer.encode(text, add_special_tokens=False)
        return [
            span
            for part in (found, *found.overflowing)
            for span, real in zip(part.offsets, part.attention_mask, strict=True)
            if real
        ]


def _open(folder: Path, model: Model, threads: int) -> TextEmbedding:
    from loguru import logger

    logger.disable("fastembed")  # it would write over the screen
    # Tokenizers with threads of their own complain on the screen when a process is forked; they are no bottleneck.
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    keep_to_itself()
    from fastembed import TextEmbedding

    name = _registered(TextEmbedding, model.pooling)
    return TextEmbedding(
        name,
        cache_dir=str(folder),  # else it makes a folder of its own among the temporary files
        threads=threads or None,
        providers=choose(offered()),
        local_files_only=True,
        specific_model_path=str(folder),
    )


def _registered(kind: type[TextEmbedding], pooling: Pooling) -> str:
    """The name under which fastembed pools as the model needs; registering a name twice would be an error."""
    from fastembed.common.model_description import ModelSource, PoolingType

    name = f"casebook/{pooling}"
    with _REGISTERING:
        if not any(one["model"] == name for one in kind.list_supported_models()):
            kind.add_custom_model(
                name,
                pooling={"mean": PoolingType.MEAN, "cls": PoolingType.CLS}[pooling],
                normalization=True,
                sources=ModelSource(hf="local/none"),  # never asked: the folder is always given
                dim=0,  # the model's own is checked below
                model_file=ONNX,
            )
    return name


def _centre(folder: Path, model: Model) -> Centre | None:
    centre = read_centre(folder) if model.centre else None
    if centre is not None and centre.name != model.centre:
        raise Fault(
            "model_unreachable", f"the center of the model {model.id} has changed", "run: casebook models add DIR"
        )
    return centre


def _moved(vectors: list[Vector], centre: Centre, texts: list[str], kind: Kind) -> list[Vector]:
    import numpy as np

    rows = np.array([np.frombuffer(vector, "<f4") for vector in vectors])
    return [row.tobytes() for row in centre.moved(rows, texts, kind).astype("<f4")]


def _nothing(_tokens: NDArray[Any]) -> None:
    """For those who want the vectors alone."""


def _fits(texts: int, longest: int) -> bool:
    return texts <= _BATCH_TEXTS and texts * longest <= _BATCH_TOKENS


def _refuse(text: str) -> None:
    if len(text) > MAX_CHARS:
        raise Fault(
            "invalid_input", f"the text has {len(text):,} characters and is too long to embed", "pass part of the text"
        )
    if any("\ud800" <= char <= "\udfff" for char in text):
        raise Fault(
            "invalid_input",
            "the text contains a lone surrogate (invalid Unicode) and cannot be embedded",
            "remove the surrogate",
        )
    if not any(unicodedata.category(char)[0] not in "ZC" for char in text):
        raise Fault("invalid_input", "a blank text cannot be embedded", "pass text that is not blank")


def _broken(model: Model, error: Exception) -> Fault:
    reason = " ".join(str(error).split())[:200] or type(error).__name__
    return Fault("model_unreachable", f"the model {model.id} cannot be run: {reason}", "run: casebook doctor")


_LEAST = 4
"""Texts below which a part is not worth a thread."""
_MOST = 16
"""Texts given to the model at once; see `core.embedding.runtime.local`."""


@dataclass(frozen=True, slots=True)
class Parallel:
    """An `Embedder` that gives `inner`, which several threads may use, up to `workers` parts at a time."""

    inner: LocalEmbedder
    workers: int

    @property
    def id(self) -> str:
        return self.inner.id

    @property
    def version(self) -> str:
        return self.inner.version

    @property
    def recipe(self) -> str:
        return self.inner.recipe

    @property
    def dim(self) -> int:
        return self.inner.dim

    def embed(self, texts: Sequence[str], kind: Kind) -> list[tuple[Vector, ...]]:
        """See `Embedder`."""
        return self._shared(texts, lambda part: self.inner.embed(part, kind))

    def read(self, texts: Sequence[str]) -> list[Document]:
        """See `LocalEmbedder`."""
        return self._shared(texts, self.inner.read)

    def _shared(self, texts: Sequence[str], give: Callable[[Sequence[str]], list[_T]]) -> list[_T]:
        """Neighbours stay together: texts in the order of their length make parts of one length."""
        count = max(1, min(self.workers, len(texts) // _LEAST))
        parts = _parts(len(texts), count)
        found: dict[range, list[_T] | BaseException] = {}
        waiting = deque(reversed(parts))  # the longest first: who is ready early takes one more of the short ones

        def work() -> None:
            with suppress(IndexError):
                while True:
                    part = waiting.popleft()
                    try:
                        found[part] = give(texts[part.start : part.stop])
                    except BaseException as error:  # noqa: BLE001  raised below, in the caller's thread
                        found[part] = error

        # Daemons, not a pool: a process that is told to end does not wait for them.
        others = [threading.Thread(target=work, daemon=True) for _ in range(count - 1)]
        for other in others:
            other.start()
        work()
        for other in others:
            other.join()
        out: list[_T] = []
        for part in parts:
            made = found[part]
            if isinstance(made, BaseException):
                raise made
            out += made
        return out

    def close(self) -> None:
        """Let go of the model."""
        self.inner.close()


def _parts(texts: int, workers: int) -> list[range]:
    """As many parts for each worker, none of more than `_MOST` texts."""
    rounds = max(1, -(-texts // (_MOST * workers)))
    step = max(1, -(-texts // (rounds * workers)))
    return [range(at, min(at + step, texts)) for at in range(0, texts, step)]
