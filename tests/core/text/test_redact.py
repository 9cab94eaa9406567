"""Redaction: what must go, what must stay, and that nothing else moves."""

from __future__ import annotations

import importlib
import json
import pkgutil
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import core.text
from core.text import MASK, is_masked, redact
from core.text.secrets.values import SHAPES, Shape, token_pattern

DATA = Path(__file__).parents[2] / "data"


def rows(name: str) -> list[dict[str, str]]:
    return [json.loads(line) for line in (DATA / name).read_text(encoding="utf-8").splitlines()]


SECRETS = rows("secrets.jsonl")
LOOKALIKES = rows("lookalikes.jsonl")


def leaks(secret: str, redacted: str) -> bool:
    """Whether the secret, or a run of eight of its signs, still stands there."""
    return any(secret[at : at + 8] in redacted for at in range(max(1, len(secret) - 7)))


def test_the_corpus_is_broad() -> None:
    assert len(SECRETS) >= 72
    assert len({row["kind"] for row in SECRETS}) >= 12
    assert len(LOOKALIKES) >= 36
    assert all(row["secret"] in row["text"] for row in SECRETS)


def test_secrets_are_gone() -> None:
    left = [row["text"] for row in SECRETS if leaks(row["secret"], redact(row["text"]))]
    assert len(left) <= 0.02 * len(SECRETS), left


def test_lookalikes_are_left_alone() -> None:
    touched = [row["text"] for row in LOOKALIKES if redact(row["text"]) != row["text"]]
    assert len(touched) <= 1, touched


def test_secrets_are_gone_inside_a_long_transcript() -> None:
    quiet = "The build ran 12 tests in 3.4s; see src/app.py:10 and https://example.org/docs?page=2 for more.\n"
    text = "".join(quiet * 3 + row["text"] + "\n" for row in SECRETS)
    redacted = redact(text)
    left = [row["secret"] for row in SECRETS if leaks(row["secret"], redacted)]
    assert len(left) <= 0.02 * len(SECRETS), left
    assert redacted.count(quiet) == text.count(quiet)


def prefixed(prefix: str) -> Callable[[str], str]:
    return lambda text: "\n".join(prefix + line for line in text.split("\n"))


def numbered(text: str) -> str:
    return "\n".join(f"{number:6d}\t{line}" for number, line in enumerate(text.split("\n"), 1))


def coloured(text: str) -> str:
    return re.sub("(?i)(password|token|secret|key)", "\x1b[01;31m\x1b[K\\1\x1b[m\x1b[K", text)


FORMS: dict[str, Callable[[str], str]] = {
    "json": lambda text: json.dumps({"command": "cd app\n" + text}, ensure_ascii=False),
    "diff": prefixed("+"),
    "quote": prefixed("> "),
    "log": prefixed("app-1  | "),
    "time": prefixed("2031-01-01T00:00:00.123Z "),
    "grep": prefixed("config/prod.env:12:"),
    "numbers": numbered,
    "colour": coloured,
    "crlf": lambda text: text.replace("\n", "\r\n"),
}


@pytest.mark.parametrize("form", FORMS)
def test_secrets_are_gone_in_every_form_that_tools_give_a_text(form: str) -> None:
    change = FORMS[form]
    left = [row["text"] for row in SECRETS if longest_part(row["secret"]) in redact(change(row["text"]))]
    assert len(left) <= 0.03 * len(SECRETS), left
    touched = [row["text"] for row in LOOKALIKES if redact(change(row["text"])) != change(row["text"])]
    assert len(touched) <= 1, touched


def longest_part(secret: str) -> str:
    """What no form changes: the longest run without blanks, quotes and backslashes."""
    return max(re.findall(r"[^\s\"\\]+", secret), key=len)[:24]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("password=hunter2 user=app", f"password={MASK * 7} user=app"),
        ("postgres://app:hunter2@10.0.3.7/shop", f"postgres://app:{MASK * 7}@10.0.3.7/shop"),
        ('{"password": "hun ter", "x": 1}', f'{{"password": "{MASK * 7}", "x": 1}}'),
        ("key AKIAIOSFODNN7EXAMPLE here", f"key {MASK * 20} here"),
        ("비밀번호: hunter2! 입니다", f"비밀번호: {MASK * 8} 입니다"),
        ("<password>geheim</password>", f"<password>{MASK * 6}</password>"),
        ("mysql -u root -pgeheim7 shop", f"mysql -u root -p{MASK * 7} shop"),
    ],
)
def test_the_value_goes_and_its_name_stays(text: str, expected: str) -> None:
    assert redact(text) == expected


_LABELS = (
    "비밀번호 비번 패스워드 암호 パスワード 密码 密碼 暗証番号 시크릿"
    " 시크릿키 비밀키 토큰 인증키 보안키 개인키 접근키 액세스키"
    " api키 アクセスキー トークン 令牌 密钥"
)


@pytest.mark.parametrize("label", _LABELS.split())
def test_every_label_of_another_script_is_looked_for(label: str) -> None:
    assert redact(f"{label}: Ab12cd34Ef56") == f"{label}: {MASK * 12}"
    assert redact(f"{label}: \x1b[1mAb12cd34Ef56\x1b[0m") != f"{label}: \x1b[1mAb12cd34Ef56\x1b[0m"


def test_a_private_key_cut_off_before_its_end_is_masked_and_the_next_output_is_not() -> None:
    lines = ["MIIEowIBAAKCAQEA" + "Zm9vYmFyYmF6" * 4, "cXV1eGNvcmdl" * 5]
    text = "-----BEGIN RSA PRIVATE KEY-----\n" + "\n".join(lines) + "\n\n$ echo the next command\nfine"
    redacted = redact(text)
    assert not any(line in redacted for line in lines)
    assert redacted.startswith("-----BEGIN RSA PRIVATE KEY-----\n")
    assert redacted.endswith("$ echo the next command\nfine")


def test_lone_surrogates_become_the_replacement_sign() -> None:
    assert redact("a\ud800b 한 password=hunter2") == f"a\ufffdb 한 password={MASK * 7}"


def test_text_without_a_secret_is_the_same_object() -> None:
    text = "TypeError: Cannot read properties of undefined (reading 'token')"
    assert redact(text) is text
    assert not is_masked(text)
    assert is_masked(redact("password=hunter2"))


SEEDS = st.sampled_from([row["text"] for row in SECRETS + LOOKALIKES] + [row["secret"] for row in SECRETS])
SIGNS = "=:&?@ \n\"'\\,;()<>"
PARTS = (
    "password=|token: |://|api_key|Bearer |-----BEGIN RSA PRIVATE KEY-----|비밀번호: |\ud800|eyJ|ghp_|sk-|Cookie: |is "
)
GLUE = (
    st.sampled_from(PARTS.split("|"))
    | st.sampled_from([MASK, "\x1b[32m", "\x1b[0m", "value=", "mysql ", "-p", " | sudo -S", "echo "])
    | st.sampled_from(SIGNS)
)
CUT = st.tuples(SEEDS, st.integers(0, 60), st.integers(0, 200)).map(lambda cut: cut[0][cut[1] : cut[1] + cut[2]])
MESSY = st.lists(SEEDS | GLUE | CUT | st.text(max_size=8), max_size=8).map("".join)


@given(MESSY | st.text(st.characters(exclude_categories=()), max_size=200))
@example("password=" * 3)
@example("\ud800\udc00")
def test_only_masks_are_put_in_and_the_length_stays(text: str) -> None:
    redacted = redact(text)
    assert len(redacted) == len(text)
    for before, after in zip(text, redacted, strict=True):
        assert after in (before, MASK) or (0xD800 <= ord(before) < 0xE000 and after == "\ufffd")


@given(MESSY)
def test_redaction_is_idempotent(text: str) -> None:
    once = redact(text)
    assert redact(once) == once


def test_every_pattern_that_is_compiled_late_compiles() -> None:
    modules = [module.name for module in pkgutil.walk_packages(core.text.__path__, "core.text.")]
    values = [value for name in modules for value in vars(importlib.import_module(name)).values()]
    patterns = [value for value in values if hasattr(value, "finditer") and value is not re]
    assert len(patterns) > 40
    assert all(pattern.search("") is None or pattern.pattern for pattern in patterns)
    assert all(token_pattern(prefix) for shape in SHAPES for prefix in shape.prefixes)


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.prefixes[0])
def test_every_vendor_prefix_is_met_by_the_scan(shape: Shape) -> None:
    body = "0a1b2c3d4e5f" * 6 if "0-9a-f" in shape.body or "a-f0-9" in shape.body else "A1B2C3D4E5F6" * 6
    for prefix in shape.prefixes:
        for token in (
            prefix + body,
            prefix + body[:32],
            prefix + body[:20] + "." + body[:30],
            prefix + body[:8] + "_" + body,
        ):
            if token_pattern(prefix).fullmatch(token):
                assert redact(f"saw {token} here") == f"saw {MASK * len(token)} here"
                break
        else:
            assert "[0-9a-f-]{36}" in shape.body
