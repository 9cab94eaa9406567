"""The proxy that the environment names, if one lies between here and a server."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

from core.base.fault import Fault
from core.llm.endpoint import Endpoint


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
    cure = f"name an http proxy, or except {endpoint.host} in NO_PROXY"
    try:
        parts = urlsplit(named if "://" in named else f"http://{named}")
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port, parts = None, None, urlsplit("")
    if parts.scheme != "http" or not host:
        raise Fault(
            "config_invalid", f"the proxy that the environment names for {endpoint.scheme} is no http one", cure
        )
    login = f"{unquote(parts.username or '')}:{unquote(parts.password or '')}"
    headers = {"Proxy-Authorization": "Basic " + b64encode(login.encode()).decode("ascii")} if parts.username else {}
    return Proxy(host, port or 80, headers)
