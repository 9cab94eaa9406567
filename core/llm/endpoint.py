"""The address of a language model server, as the settings give it, its API key, and the proxy in between."""

from __future__ import annotations

import os
import re
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

from core.base.config.settings import LlmSettings
from core.base.fault import Fault
from core.text import visible

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
_LOOPBACK = re.compile(r"localhost|127(?:\.[0-9]{1,3}){3}|::1", re.ASCII)
_PATH = re.compile(r"[A-Za-z0-9/._~%:@+-]*", re.ASCII)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A server's address without a slash at its end. The key is no part of what is shown of it."""

    scheme: str
    host: str
    port: int
    path: str
    key: str = field(default="", repr=False)

    @property
    def address(self) -> str:
        """What a person would type."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        usual = 443 if self.scheme == "https" else 80
        return f"{self.scheme}://{host}" + ("" if self.port == usual else f":{self.port}") + self.path

    @property
    def loopback(self) -> bool:
        """Whether it is on this machine: then no proxy lies between."""
        return _LOOPBACK.fullmatch(self.host) is not None


def endpoint_of(settings: LlmSettings, environ: Mapping[str, str] | None = None) -> Endpoint:
    """The endpoint that the settings name. Raises Fault config_invalid; what may be a secret is not repeated."""
    cure = "set models.llm.endpoint to a URL such as http://127.0.0.1:11434"
    try:
        parts = urlsplit(settings.endpoint.strip())
        host, port = parts.hostname or "", parts.port
    except ValueError as error:
        raise Fault("config_invalid", f"models.llm.endpoint is not a valid URL: {visible(str(error))}", cure) from None
    if parts.username is not None or parts.password is not None:
        cure = "put the key into an environment variable, and set models.llm.api_key_env to its name"
        raise Fault("config_invalid", "models.llm.endpoint contains a user name or a password", cure)
    if parts.scheme not in ("http", "https") or not host or parts.query or parts.fragment:
        raise Fault(
            "config_invalid",
            f"models.llm.endpoint is not an http or https URL: {_display_url(settings.endpoint)}",
            cure,
        )
    if not host.isascii():
        try:
            host = host.encode("idna").decode("ascii")
        except UnicodeError:
            raise Fault("config_invalid", f"models.llm.endpoint has no host: {_display_url(host)}", cure) from None
    if not host.isprintable() or " " in host or _PATH.fullmatch(parts.path) is None:
        raise Fault(
            "config_invalid",
            f"models.llm.endpoint is not an http or https URL: {_display_url(settings.endpoint)}",
            cure,
        )
    usual = 443 if parts.scheme == "https" else 80
    return Endpoint(parts.scheme, host, port or usual, parts.path.rstrip("/"), _key(settings.api_key_env, environ))


def _key(variable: str, environ: Mapping[str, str] | None) -> str:
    """The key out of the environment, or nothing where none is wanted."""
    if not variable:
        return ""
    if _NAME.fullmatch(variable) is None:  # it may be the key itself, which is shown to nobody
        cure = "put the key into an environment variable, and set models.llm.api_key_env to its name"
        raise Fault("config_invalid", "models.llm.api_key_env is not the name of an environment variable", cure)
    key = (os.environ if environ is None else environ).get(variable, "").strip()
    if not key:
        cure = f"set {variable}. If the server needs no key, clear models.llm.api_key_env"
        raise Fault("config_invalid", f"the environment variable {variable} is empty", cure)
    if not key.isascii() or not key.isprintable():
        raise Fault(
            "config_invalid", f"the environment variable {variable} is not a valid key", "set it to a valid key"
        )
    return key


def _display_url(text: str) -> str:
    line = visible(text).replace("\n", "⏎")
    return line if len(line) <= 120 else line[:120] + "…"


@dataclass(frozen=True, slots=True)
class Proxy:
    """Where it is, and the headers it wants."""

    host: str
    port: int
    headers: Mapping[str, str] = field(repr=False)


def proxy_for(endpoint: Endpoint) -> Proxy | None:
    """The proxy for this endpoint by HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY; none to this machine itself.

    Raises Fault config_invalid for one that is spoken to in another way than HTTP.
    """
    if endpoint.loopback:
        return None
    from urllib.request import getproxies_environment, proxy_bypass

    known = getproxies_environment()
    named = known.get(endpoint.scheme) or known.get("all")
    if not named or proxy_bypass(f"{endpoint.host}:{endpoint.port}"):
        return None
    cure = f"set an http proxy, or add {endpoint.host} to NO_PROXY"
    try:
        parts = urlsplit(named if "://" in named else f"http://{named}")
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port, parts = None, None, urlsplit("")
    if parts.scheme != "http" or not host:
        raise Fault("config_invalid", f"the proxy for {endpoint.scheme} is not an http proxy", cure)
    login = f"{unquote(parts.username or '')}:{unquote(parts.password or '')}"
    headers = {"Proxy-Authorization": "Basic " + b64encode(login.encode()).decode("ascii")} if parts.username else {}
    return Proxy(host, port or 80, headers)
