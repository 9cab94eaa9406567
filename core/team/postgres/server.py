"""The connection to a team's server: where it is, what may be stored of that, and its failures as faults.

A password never reaches casebook: libpq takes it from `~/.pgpass`, a service file or `PGPASSWORD`.
"""

from __future__ import annotations

import os
import time
from collections.abc import Generator
from contextlib import contextmanager
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from core.base.fault import Fault, FaultCode
from core.base.installation import remedy
from core.text import visible

if TYPE_CHECKING:
    from psycopg import Connection, Error

    Session = Connection[tuple[Any, ...]]

PATIENCE_S: Final = 5
"""Seconds to connect."""
_OPTIONS: Final = {
    "application_name": "casebook", "client_encoding": "UTF8", "connect_timeout": str(PATIENCE_S),
    "keepalives_idle": "30", "keepalives_interval": "10", "keepalives_count": "3", "tcp_user_timeout": "60000",
}  # fmt: skip
"""What libpq is given unless the address says otherwise: a line that is dead is noticed within a minute."""
_STATEMENT_MS: Final = 60_000
_SILENT_S: Final = 65
"""Seconds after which a server counts as gone that neither answers nor ends a statement, though its system is there."""
_SECRET: Final = ("password", "sslpassword", "scram_client_key", "scram_server_key", "oauth_client_secret")
_LOCAL: Final = ("localhost", "127.0.0.1", "::1", "")
_NO_TEAM: Final = frozenset(("3F000", "42P01", "42883", "P0002"))


class Offline(Fault):
    """The server cannot be reached, or does not answer in time. Nothing is lost: it is tried again."""


def checked_url(url: str) -> str:
    """The address of a server as it may be stored. Raises Fault where it is none, or holds a password."""
    given = _parts(url)
    if any(given.get(name) for name in _SECRET):
        raise Fault(
            "invalid_input",
            "the server URL contains a password",
            "put the password into ~/.pgpass, and pass only the URL",
        )
    return url


def _parts(url: str) -> dict[str, str]:
    psycopg = _psycopg()
    from psycopg.conninfo import conninfo_to_dict

    try:
        given = conninfo_to_dict(url)
    except psycopg.ProgrammingError:  # what libpq says of it may repeat a password
        message = "the server URL is not a PostgreSQL URL"
        raise Fault("invalid_input", message, "pass postgresql://USER@HOST/DATABASE or service=NAME") from None
    return {name: str(value) for name, value in given.items() if value is not None}


def conninfo(url: str) -> str:
    """What libpq is given: TLS with a verified certificate, unless the server is local or the user says otherwise."""
    from psycopg.conninfo import make_conninfo

    given = _parts(url)
    named_hosts = [given.get("hostaddr"), os.environ.get("PGHOSTADDR"), given.get("host"), os.environ.get("PGHOST")]
    hosts = next(filter(None, named_hosts), "").split(",")
    named = "service" in given or "PGSERVICE" in os.environ  # its file may name any host
    local = not named and all(one in _LOCAL or one.startswith(("/", "@")) for one in hosts)
    if not local and "sslmode" not in given and "PGSSLMODE" not in os.environ:
        given["sslmode"] = "verify-full"
    return make_conninfo(**(_OPTIONS | given))


def place_of_server(url: str) -> str:
    """Host and database of an address, for people."""
    given = _parts(url)
    host = given.get("host") or given.get("hostaddr") or given.get("service") or "this machine"
    return visible(f"{host}/{given['dbname']}" if "dbname" in given else host)


def is_installed() -> bool:
    """Whether the extra `team` is installed."""
    from importlib.util import find_spec

    return find_spec("psycopg") is not None


def _psycopg() -> Any:
    try:
        import psycopg
    except ImportError as error:  # also where its C library does not load
        why = "sharing through PostgreSQL needs the extra team, which is not installed"
        raise Fault("invalid_input", why, f"run: {remedy('team')}") from error
    return psycopg


@lru_cache(maxsize=1)
def _patient_connection() -> type[Session]:
    """A connection that waits for an answer at most `_SILENT_S`."""
    import psycopg

    def bounded(exchange: Generator[Any, Any, Any]) -> Generator[Any, Any, Any]:
        until = time.monotonic() + _SILENT_S
        try:
            wanted = next(exchange)
            while True:
                ready = yield wanted
                if not ready and time.monotonic() > until:
                    raise psycopg.OperationalError(f"no answer within {_SILENT_S} seconds")
                wanted = exchange.send(ready)
        except StopIteration as done:
            return done.value

    class Patient(psycopg.Connection[tuple[Any, ...]]):
        def wait(self, gen: Any, *args: Any, **more: Any) -> Any:
            return super().wait(bounded(gen), *args, **more)

    return Patient


@contextmanager
def connected(url: str) -> Generator[Session]:
    """A connection in autocommit mode. Raises Fault; Offline where the server cannot be reached."""
    with faults(url):
        con = _patient_connection().connect(conninfo(url), autocommit=True, prepare_threshold=None)
    try:
        with faults(url):
            con.execute(
                "SELECT set_config('statement_timeout', %s, false), set_config('lock_timeout', %s, false)",
                (str(_STATEMENT_MS), str(_STATEMENT_MS)),
            )
            yield con
    finally:
        con.close()


@contextmanager
def faults(url: str, team: str = "") -> Generator[None]:
    """Turn failures of the server into faults. No message holds a password: libpq's name the host and the user."""
    psycopg = _psycopg()
    try:
        yield
    except psycopg.Error as error:
        raise _fault(error, url, team) from error


def _fault(error: Error, url: str, team: str) -> Fault:
    state, place = error.sqlstate or "", place_of_server(url)
    why = visible(_cause(str(error)))
    named = f"team {team}" if team else "a team"
    if not state and ("certificate" in why or "SSL was required" in why):
        hint = "add the certificate authority to the URL: sslrootcert=FILE"
        return Fault("io_error", f"the server at {place} is not trusted: {why}", hint)
    if not state or state[:2] in ("08", "53", "57") or state == "55P03":
        code: FaultCode = "timeout" if state in ("57014", "55P03") else "io_error"
        if (
            "FATAL" in why or "password" in why
        ):  # it answered: a login that it refuses, or a server that starts or stops
            hint = "check ~/.pgpass, or ask the owner. casebook tries again later"
            return Offline(code, f"the server at {place} refuses the connection: {why}", hint)
        return Offline(code, f"the server at {place} cannot be reached: {why}", "casebook tries again later")
    if state == "42501":
        hint = f"ask its owner to grant you casebook_{team or 'TEAM'}_member. Or run: casebook team leave"
        return Fault("invalid_input", f"your login is not a member of {named} at {place}: {why}", hint)
    if state in _NO_TEAM:
        missing = f"team {team} not found at {place}" if team else f"no team found at {place}"
        return Fault("not_indexed", missing, "ask the owner to run: casebook team init")
    return Fault("io_error", f"the server at {place} refuses: {why}", "see the log on the server")


def _cause(message: str) -> str:
    """The line of what libpq says that names a cause, without the address."""
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    named = [line for line in lines if not line.startswith(("Multiple connection attempts", "- host:", "CONTEXT:"))]
    return (named or ["unknown"])[0].rpartition(" failed: ")[2][:300]
