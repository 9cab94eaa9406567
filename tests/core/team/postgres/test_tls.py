"""TLS: the server of a team is trusted by its certificate and its name, or nothing is sent to it.

The PostgreSQL of the wheel is built without OpenSSL, so a proxy before it speaks TLS, as a pooler does. An installed
server speaks it itself: CASEBOOK_TEST_POSTGRES names it with `sslmode=verify-full&sslrootcert=FILE`."""

from __future__ import annotations

import socket
import ssl
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from psycopg.conninfo import conninfo_to_dict

from core.base.fault import Fault
from core.team.postgres import schema
from core.team.postgres.server import connected
from tests.postgres import PASSWORD, Server

_TLS, _GSS = 80877103, 80877104
"""Codes of the requests that a client begins with."""


def certificate(folder: Path, name: str) -> Path:
    """A file with a key and a certificate of its own authority, for a server of this name."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    began = datetime.now(UTC) - timedelta(days=1)
    made = (
        x509.CertificateBuilder().subject_name(subject).issuer_name(subject).public_key(key.public_key())
        .serial_number(x509.random_serial_number()).not_valid_before(began).not_valid_after(began + timedelta(days=9))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )  # fmt: skip
    pem = serialization.Encoding.PEM
    secret = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    path = folder / f"{name}.pem"
    path.write_bytes(secret + made.public_bytes(pem))
    return path


@dataclass
class Proxy:
    """Where it listens, and what clients sent that speak no TLS."""

    port: int
    plain: list[bytes] = field(default_factory=list[bytes])


@contextmanager
def proxy(postgres: Server, cert: Path | None) -> Iterator[Proxy]:
    """Before the server of the tests; None: it refuses TLS."""
    listener = socket.create_server(("127.0.0.1", 0))
    one = Proxy(listener.getsockname()[1])

    def serve() -> None:
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=_serve_one, args=(client, postgres, cert, one), daemon=True).start()

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield one
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join(60)


def _serve_one(client: socket.socket, postgres: Server, cert: Path | None, proxy: Proxy) -> None:
    with suppress(OSError), client:
        asked = client.recv(8)
        while asked[4:] == struct.pack("!I", _GSS):
            client.sendall(b"N")
            asked = client.recv(8)
        if cert is None or asked[4:] != struct.pack("!I", _TLS):
            client.sendall(b"N")
            proxy.plain.append(client.recv(1024))
            return
        client.sendall(b"S")
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(cert)
        with context.wrap_socket(client, server_side=True) as tls, _upstream(postgres) as server:
            back = threading.Thread(target=_pump, args=(server, tls), daemon=True)
            back.start()
            _pump(tls, server)
            back.join(60)


def _upstream(postgres: Server) -> socket.socket:
    given = conninfo_to_dict(postgres.admin)
    host, port = str(given.get("host") or "localhost"), given.get("port") or 5432
    if not host.startswith("/"):
        return socket.create_connection((host, int(port)))
    server = socket.socket(socket.AF_UNIX)
    server.connect(f"{host}/.s.PGSQL.{port}")
    return server


def _pump(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(1 << 16):
            target.sendall(data)
    with suppress(OSError):
        target.shutdown(socket.SHUT_WR)


@pytest.fixture
def member(postgres: Server) -> str:
    return postgres.login(schema.role_name(postgres.team(), "member"))


def address(postgres: Server, proxy: Proxy, login: str, authority: Path) -> str:
    """As a member would write it; the authority is a file of their own."""
    more = {"host": "localhost", "port": proxy.port, "sslmode": "verify-full", "sslrootcert": str(authority)}
    return postgres.address(login, **more)


def test_a_server_with_a_right_certificate_is_used(postgres: Server, member: str, tmp_path: Path) -> None:
    cert = certificate(tmp_path, "localhost")
    with proxy(postgres, cert) as one, connected(address(postgres, one, member, cert)) as con:
        assert con.pgconn.ssl_in_use
        assert schema.membership(con).login == member


def test_a_wrong_authority_a_wrong_name_and_no_tls_are_refused(
    postgres: Server, member: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    right, other = certificate(tmp_path, "localhost"), certificate(tmp_path, "other.example")
    for cert, authority in ((right, other), (other, other), (None, right)):
        with proxy(postgres, cert) as one:
            with pytest.raises(Fault) as found, connected(address(postgres, one, member, authority)):
                pass
            assert "is not trusted" in found.value.message
            assert "sslrootcert" in found.value.hint
            assert not any(member.encode() in sent or PASSWORD.encode() in sent for sent in one.plain)


def test_an_installed_server_speaks_tls_itself(postgres: Server, member: str, tmp_path: Path) -> None:
    if postgres.sql("SHOW ssl") != [("on",)] or conninfo_to_dict(postgres.admin).get("sslmode") != "verify-full":
        pytest.skip("needs CASEBOOK_TEST_POSTGRES with sslmode=verify-full; the wheel's server is built without TLS")
    with connected(postgres.address(member)) as con:
        assert con.execute("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()").fetchone() == (True,)
        assert schema.membership(con).login == member
    other = certificate(tmp_path, "localhost")
    with pytest.raises(Fault) as found, connected(postgres.address(member, sslrootcert=str(other))):
        pass
    assert "is not trusted" in found.value.message
