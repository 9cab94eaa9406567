"""The address of a server: TLS unless it is local, and no password in what is stored or said."""

from __future__ import annotations

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from core.base.fault import Fault
from core.team.postgres.server import Offline, checked_url, connected, conninfo, faults, place_of_server
from tests.postgres import Server

PASSWORD = "hunter2-and-more"


@pytest.mark.parametrize(
    ("url", "mode"),
    [
        ("postgresql://mina@db.example.com/acme", "verify-full"),
        ("host=db.example.com,localhost dbname=acme", "verify-full"),
        ("host=localhost hostaddr=192.0.2.7", "verify-full"),
        ("service=acme", "verify-full"),
        ("postgresql://db.example.com/acme?sslmode=require", "require"),
        ("postgresql://localhost/acme", None),
        ("postgresql://127.0.0.1:5433/acme", None),
        ("host=/run/postgresql", None),
        ("dbname=acme", None),
    ],
)
def test_tls_is_verified_unless_the_server_is_local(
    url: str, mode: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("PGHOST", "PGHOSTADDR", "PGSERVICE", "PGSSLMODE"):
        monkeypatch.delenv(name, raising=False)
    assert conninfo_to_dict(conninfo(url)).get("sslmode") == mode


def test_the_environment_of_libpq_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGCLIENTENCODING", "LATIN1")
    assert conninfo_to_dict(conninfo("dbname=acme"))["client_encoding"] == "UTF8"
    monkeypatch.setenv("PGHOSTADDR", "192.0.2.7")
    assert conninfo_to_dict(conninfo("host=localhost"))["sslmode"] == "verify-full"
    monkeypatch.delenv("PGHOSTADDR")
    monkeypatch.setenv("PGHOST", "db.example.com")
    assert conninfo_to_dict(conninfo("dbname=acme"))["sslmode"] == "verify-full"
    monkeypatch.setenv("PGSSLMODE", "require")
    assert "sslmode" not in conninfo_to_dict(conninfo("dbname=acme"))


@pytest.mark.parametrize(
    "url",
    [
        f"postgresql://mina:{PASSWORD}@db.example.com/acme",
        f"host=db.example.com password={PASSWORD}",
        f"postgresql://db.example.com/acme?sslpassword={PASSWORD}",
        f"postgresql://mina:{PASSWORD}@db.example.com:port/acme?nothing=1",
        f"mina:{PASSWORD}@db.example.com",
    ],
)
def test_an_address_with_a_password_is_refused_and_not_repeated(url: str) -> None:
    with pytest.raises(Fault) as found:
        checked_url(url)
    assert PASSWORD not in f"{found.value.message} {found.value.hint} {found.value.details} {found.value.__cause__}"
    assert found.value.__suppress_context__ or found.value.__context__ is None


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ('connection to server at "db" failed: fe_sendauth: no password supplied', "refuses the connection"),
        ('connection to server at "db" failed: FATAL:  password authentication failed for user "mina"', "refuses the"),
        ('connection to server at "db" failed: Connection refused', "cannot be reached"),
    ],
)
def test_a_server_that_wants_a_password_was_reached(said: str, message: str) -> None:
    with pytest.raises(Offline, match=message) as found, faults("postgresql://mina@db/acme"):
        raise psycopg.OperationalError(said)
    assert ("~/.pgpass" in found.value.hint) == ("refuses" in message)


def test_a_server_that_falls_silent_is_offline(postgres: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.team.postgres.server._SILENT_S", 0.2)
    with pytest.raises(Offline, match="no answer within"), connected(postgres.admin) as con:
        con.execute("SELECT pg_sleep(20)")


def test_a_server_that_is_not_there_is_offline() -> None:
    with pytest.raises(Offline, match="cannot be reached"), connected("host=/nowhere dbname=acme"):
        pass
    assert place_of_server("postgresql://mina@db.example.com/acme") == "db.example.com/acme"
