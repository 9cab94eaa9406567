"""A model from the Hugging Face hub, checked against the digests the hub itself states. Runs in a pull's process."""

from __future__ import annotations

import hashlib
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from core.base.fault import Fault
from core.embedding.models.catalogue import Model
from core.embedding.models.convert import WEIGHTS, convert, describe, put_tokenizer
from core.embedding.models.model_folder import CONFIG, DATA, ONNX, SPECIAL, TOKENIZER, TOKENIZER_CONFIG

if TYPE_CHECKING:
    from huggingface_hub.hf_api import RepoSibling

ANSWER_S = 2.5
"""How long the hub may take for its first answer."""
_LATER_S = 10.0
_EVERY_S = 0.1
"""How often a pull tells that bytes came."""
_CHUNK = 64 * 1024
_LARGEST = 6_000_000_000
_GRAPHS = ("onnx/model.onnx", ONNX, WEIGHTS)
"""Where repositories keep their weights, the best place first; safetensors are converted here."""
_SIDE = (
    TOKENIZER, TOKENIZER_CONFIG, SPECIAL, CONFIG, "modules.json", "sentence_bert_config.json", "1_Pooling/config.json",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Sign:
    """A sign of life: a request is sent, `done` of `total` bytes came, or what came is checked and converted."""

    kind: Literal["asking", "bytes", "working"]
    done: int = 0
    total: int = 0
    file: str = ""


class Signs:
    """Sends the signs of life of a pull, at a limited rate."""

    def __init__(self, tell: Callable[[Sign], None]) -> None:
        self._tell = tell
        self._done, self._total, self._last = 0, 0, 0.0

    def on_request(self) -> None:
        """The next thing is a request: from now on a server is waited for."""
        self._tell(Sign("asking"))

    def answered(self, total: int) -> None:
        """The server said what there is, `total` bytes of it."""
        self._total = total
        self._tell(Sign("bytes", 0, total))

    def on_bytes(self, count: int, file: str) -> None:
        """`count` more bytes of `file` came (fewer than none, where a part had to be fetched again)."""
        self._done = max(0, self._done + count)
        if time.monotonic() - self._last >= _EVERY_S:
            self._last = time.monotonic()
            self._tell(Sign("bytes", self._done, max(self._total, self._done), file))

    def working(self) -> None:
        """Everything came; checking and converting take their time."""
        self._tell(Sign("working", self._done))


@dataclass(frozen=True, slots=True)
class _RemoteFile:
    """A file to fetch: its size, and what the hub says of its bytes: SHA-256 of a large one, git's name of a small."""

    path: str
    size: int
    sha256: str
    git: str


def fetch_hub(model: Model, part: Path, signs: Signs) -> str:
    """Fill `part` with the model's files and return where they are from, with the revision. Raises Fault."""
    import httpx
    from huggingface_hub.errors import FileMetadataError, HfHubHTTPError, LocalEntryNotFoundError

    try:
        return _fetch(model, part, signs)
    except (LocalEntryNotFoundError, FileMetadataError) as error:  # what the client makes of a lost connection
        raise unreachable("the hub", error.__cause__ or error) from error
    except HfHubHTTPError as error:
        raise _refused(model, error.response.status_code) from error
    except (httpx.HTTPError, ConnectionError, TimeoutError) as error:
        raise unreachable("the hub", error) from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise Fault("model_unreachable", "invalid reply from the hub", "try the download again later") from error


def unreachable(what: str, error: object) -> Fault:
    """The fault for every network failure."""
    reason = " ".join(str(error).split())[:150]
    cure = "check the network, then pull again. Only the vector tier needs a model."
    return Fault("model_unreachable", f"{what} cannot be reached ({reason or type(error).__name__})", cure)


def _fetch(model: Model, part: Path, signs: Signs) -> str:
    from huggingface_hub import HfApi, constants

    download: Callable[..., str] = import_module("huggingface_hub").hf_hub_download
    constants.DOWNLOAD_CHUNK_SIZE = _CHUNK  # as shipped, 10 MB: a slow line would look like a dead one
    signs.on_request()
    info = HfApi().model_info(model.hub, files_metadata=True, timeout=ANSWER_S)
    revision = info.sha
    files = _choose(model, info.siblings or ())
    if not revision or sum(one.size for one in files) > _LARGEST:
        raise Fault("model_unreachable", f"invalid reply from the hub for {model.hub}", "try the download again later")
    signs.answered(sum(one.size for one in files))
    scratch = part / "download"
    for one in files:
        bar = _bar(signs, one.path)
        download(model.hub, one.path, revision=revision, local_dir=scratch, etag_timeout=_LATER_S, tqdm_class=bar)
    signs.working()
    for one in files:
        _check(scratch / one.path, one)
    _arrange(model, scratch, part)
    shutil.rmtree(scratch)
    return f"{model.hub}@{revision}"


def _choose(model: Model, siblings: Sequence[RepoSibling]) -> list[_RemoteFile]:
    """The weights and what goes with them, of all that the repository has."""
    there: Mapping[str, RepoSibling] = {one.rfilename: one for one in siblings}
    graph = next((name for name in _GRAPHS if name in there), None)
    if graph is None or TOKENIZER not in there:
        raise Fault(
            "model_unreachable", f"{model.hub} has no weights that casebook can use", "run: casebook models list"
        )
    names = [*(name for name in _SIDE if name in there), graph]
    names += [name for name in (f"{graph}_data",) if name in there]
    out: list[_RemoteFile] = []
    for name in names:
        one = there[name]
        out.append(_RemoteFile(name, int(one.size or 0), one.lfs.sha256 if one.lfs else "", one.blob_id or ""))
    return out


def _check(path: Path, file_info: _RemoteFile) -> None:
    """Raise a Fault unless the file is what the hub says it is."""
    if file_info.sha256:
        with path.open("rb") as file:
            right = hashlib.file_digest(file, "sha256").hexdigest() == file_info.sha256
    else:
        data = path.read_bytes()
        right = hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest() == file_info.git
    if not right:
        message = f"{file_info.path} is corrupt: its digest differs from the digest of the hub"
        raise Fault("model_unreachable", message, "pull again")


def _arrange(model: Model, scratch: Path, part: Path) -> None:
    """Give the files the names under which they are looked for here."""
    graph = next(scratch / name for name in _GRAPHS if (scratch / name).is_file())
    if graph.name == WEIGHTS:
        convert(scratch, part, model.id, model.window)
        return
    graph.replace(part / ONNX)
    data = graph.with_name(DATA)
    if data.is_file():
        data.replace(part / DATA)
    put_tokenizer(scratch, part, describe(scratch), model.window)


def _bar(signs: Signs, file: str) -> Any:
    """What the hub's client takes for a progress bar."""

    class Bar:
        def __init__(self, **_: object) -> None:
            pass

        def __enter__(self) -> Bar:
            return self

        def __exit__(self, *_: object) -> None:
            pass

        def update(self, count: float | None = 1) -> None:
            signs.on_bytes(int(count or 0), file)

    return Bar


def _refused(model: Model, status: int) -> Fault:
    what = {401: "does not have the model, or denies access", 403: "denies access", 404: "does not have the model"}
    problem = what.get(status, f"answers {status}")
    return Fault(
        "model_unreachable", f"the hub {problem}: {model.hub}", "pull again later, or run: casebook models add DIR"
    )
