"""Forms in which commands, files and tools write a secret, with values made anew in each run, and texts like them."""

from __future__ import annotations

import base64
import json
import random
import string
from pathlib import Path
from urllib.parse import quote

import pytest

from core.text import MASK, redact
from core.text.secrets.values import SHAPES, Shape, token_pattern

DATA = Path(__file__).parents[2] / "data"
SEEDS = range(8)
WORDS = string.ascii_letters + string.digits
URL_BASE64 = f"{WORDS}-_"


def made(seed: int, length: int, signs: str = WORDS) -> str:
    """A value with a letter, a capital and a digit."""
    draw = random.Random(seed)
    return "".join(("a", "Z", "7", *(draw.choice(signs) for _ in range(length - 3))))


@pytest.mark.parametrize(
    "form",
    [
        "curl -sSu 'admin:{}' https://x",
        "curl -vu admin:{} https://x",
        "curl -uadmin:{} https://x",
        "curl -fsSb 'session={}; theme=dark' https://x",
        "curl --cookie 'sid={}' https://x",
        "curl --oauth2-bearer {} https://x",
        "smbclient //host/share -U bob%{}",
        "db:\n  password: |\n    {}\n  host: x",
        "db:\r\n  password: >-\r\n    {}\r\n  host: x",
        "| User | admin |\n| Password | `{}` |",
        "create user bob identified by '{}'",
        "alter user bob with password '{}'",
        '    storePassword "{}"',
        "?data=%7B%22user%22%3A%22bob%22%2C%22password%22%3A%20%22{}%22%7D",
        "LINE_CHANNEL_SECRET={}",
        "NEXT_AUTH_SECRET={}",
    ],
)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_secret_is_masked_in_this_form_and_the_rest_stays(form: str, seed: int) -> None:
    secret = made(seed, 24)
    assert redact(form.format(secret)) == form.format(MASK * 24)


def test_a_password_with_blanks_is_masked_up_to_its_quote() -> None:
    assert redact("curl -u 'admin:one2 three4' https://x") == f"curl -u 'admin:{MASK * 11}' https://x"
    assert redact("curl --user 'admin:one2 three4' x") == f"curl --user 'admin:{MASK * 11}' x"


@pytest.mark.parametrize(
    "text",
    [
        "    --- PASS: TestReads8Bytes (0.00s)",
        "PASS: backend/test_s3_lock",
        '"FAIL","PASS","GSC-G302"',
        '"better-auth": "^1.7.0-rc.5",',
        "debug: ecdsa-sha2-nistp521-cert-v01@openssh.com,sk-ssh-ed25519@openssh.com,sk-ecdsa-sha2-nistp256@openssh.com",
        '{"key":"PGPASSWORD","configurationId":null}',
        'echo "=== hardcoded password ===" && grep -c "metrics" a.txt',
        '"form.enter_password": "비밀번호를 입력하세요"',
        '"form.password": "密码存储"',
        "- Auto-login (no password needed)",
        "TEST_USER_PASSWORD\t2026-02-02T10:07:16Z",
        "E2E credentials: `tests/e2e/.env` and `Config.PWD` (`config.go:66`)",
        'const STORAGE_KEY = "orpheus:v1:results";',
        "Each row is identified by 'order_id7' or by its user",
        "## Basic subscribeCrosshairMove Usage",
        "| token | string | required |",
        "get-password | sha256sum",
        "curl -sSu admin https://x",
        "curl -b cookies.txt https://x",
    ],
)
def test_a_text_without_a_secret_stays(text: str) -> None:
    assert redact(text) == text


@pytest.mark.parametrize(
    "shape", [one for one in SHAPES if "_-]" in one.body or r"\w" in one.body], ids=lambda one: one.prefixes[0]
)
def test_a_token_is_found_wherever_its_body_has_a_dash_or_an_underscore(shape: Shape) -> None:
    for prefix in shape.prefixes:
        for at in range(12):
            body = list("A1B2C3D4E5F6" * 4)
            body[at] = "_"
            token = prefix + "".join(body)
            if (match := token_pattern(prefix).match(token)) and match.end() == len(token):
                assert redact(f"saw {token} here") == f"saw {MASK * len(token)} here"


def key_lines(seed: int) -> list[str]:
    body = base64.b64encode(random.Random(seed).randbytes(600)).decode()
    return [body[at : at + 64] for at in range(0, len(body), 64)]


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\\n", "\n    ", "\n  12| "])
@pytest.mark.parametrize("seed", SEEDS)
def test_the_end_of_a_private_key_is_masked_without_its_beginning(newline: str, seed: int) -> None:
    lines = key_lines(seed)
    text = f"the last lines:{newline}{newline.join(lines[3:])}{newline}-----END PRIVATE KEY-----{newline}done"
    redacted = redact(text)
    assert not any(line in redacted for line in lines[3:])
    assert redacted.startswith("the last lines:")
    assert redacted.endswith(f"-----END PRIVATE KEY-----{newline}done")


def test_a_text_before_a_lone_end_line_stays() -> None:
    text = "$ tail key.pem\nthe file ends with\n-----END PRIVATE KEY-----\n"
    assert redact(text) == text


@pytest.mark.parametrize("kind", ["", "RSA ", "EC ", "DSA ", "OPENSSH ", "ENCRYPTED "])
def test_a_private_key_encoded_once_more_is_masked(kind: str) -> None:
    lines = key_lines(len(kind))
    pem = f"-----BEGIN {kind}PRIVATE KEY-----\n" + "\n".join(lines) + f"\n-----END {kind}PRIVATE KEY-----\n"
    encoded = base64.b64encode(pem.encode()).decode()
    assert redact(f"  tls.key: {encoded}\ntype: Opaque") == f"  tls.key: {MASK * len(encoded)}\ntype: Opaque"
    wrapped = [encoded[at : at + 76] for at in range(0, len(encoded), 76)]
    assert not any(line in redact("\n".join(wrapped)) for line in wrapped if len(line) == 76)
    escaped = redact(quote(pem))
    assert not any(part in escaped for line in lines for part in quote(line).split("%") if len(part) > 8)


CORPUS = [json.loads(line)["text"] for line in (DATA / "secrets.jsonl").read_text("utf-8").splitlines()]
NUMBERED = ["\n".join(f"{at:6d}\t{line}" for at, line in enumerate(["-----BEGIN RSA PRIVATE KEY-----", *key_lines(3)]))]


@pytest.mark.parametrize("ascii_only", [True, False])
@pytest.mark.parametrize("text", CORPUS + NUMBERED)
def test_a_secret_in_json_leaves_the_json_and_its_other_fields(text: str, ascii_only: bool) -> None:
    given = {"text": text, "check": 'pytest "tests/a b"', "not": ["z", 1, None]}
    found = json.loads(redact(json.dumps(given, ensure_ascii=ascii_only)))
    assert {**found, "text": text} == given
    assert len(found["text"]) == len(text) or MASK in found["text"]


def test_a_certificate_encoded_once_more_stays() -> None:
    encoded = base64.b64encode(b"-----BEGIN CERTIFICATE-----\n" + "\n".join(key_lines(1)).encode()).decode()
    assert redact(f"tls.crt: {encoded}") == f"tls.crt: {encoded}"
