"""Secrets that are known by their form: tokens of services, private keys."""

from __future__ import annotations

import re
from functools import cache
from typing import Final, NamedTuple

from core.base.lazy_pattern import lazy_pattern
from core.text.secrets.values import is_stand_in

_ALNUM = "[A-Za-z0-9]"
_URL64 = "[A-Za-z0-9_-]"

_DOPPLER = f"(?:[a-z0-9_-]{{1,64}}+\\.)?{_ALNUM}{{40,}}+"

RARE: Final = "QJKIGT9_-v"
"""Signs of prefixes, the rarest in ordinary text first; the scan stops at the rarest of a prefix."""


class Shape(NamedTuple):
    """Tokens of one kind: one of the literal `prefixes`, then a `body`.

    `alone`: the prefix is short or common, so it must begin a word. `mixed`: the body must hold two digits and a
    letter near its start, because ordinary words share the prefix (`sk-loading-spinner`).
    """

    kind: str
    prefixes: tuple[str, ...]
    body: str
    alone: bool = False
    mixed: bool = False

    def pattern(self) -> str:
        """The whole token as a regular expression; linear, and bounded where it fails."""
        begin = r"(?:(?<![A-Za-z0-9_])|(?<=\\[nrt]))" if self.alone else ""
        mixed = f"(?={_URL64}{{0,48}}?[0-9]{_URL64}{{0,48}}?[0-9])(?={_URL64}{{0,48}}?[A-Za-z])" if self.mixed else ""
        return f"{begin}(?:{'|'.join(map(re.escape, self.prefixes))}){mixed}{self.body}"


SHAPES: Final = (
    Shape("aws", ("AKIA", "ASIA", "ABIA"), "[A-Z0-9]{12,}+"),
    Shape("google", ("AIza",), f"{_URL64}{{30,}}+"),
    Shape("google", ("GOCSPX-",), f"{_URL64}{{20,}}+"),
    Shape("google", ("ya29.",), r"[\w.-]{20,}+", alone=True),
    Shape("google", ("1//0",), f"{_URL64}{{30,}}+", alone=True),
    Shape("doppler", tuple(f"dp.{use}." for use in ("pt", "st", "sa", "ct", "scim", "audit")), _DOPPLER, alone=True),
    Shape("alibaba", ("LTAI",), f"{_ALNUM}{{12,}}+", alone=True, mixed=True),
    Shape("github", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), f"{_ALNUM}{{16,}}+"),
    Shape("github", ("github_pat_",), r"\w{16,}+"),
    Shape("gitlab", ("glpat-", "gldt-", "glrt-", "glft-", "glcbt-", "glptt-", "gloas-", "glimt-"), r"[\w.-]{16,}+"),
    Shape("gitlab", ("glsoat-", "glagent-"), r"[\w.-]{16,}+"),
    Shape("slack", ("xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxe-", "xoxo-", "xoxd-", "xoxc-"), r"[\w.%-]{10,}+"),
    Shape("slack", ("xapp-", "xwfp-"), r"[\w.%-]{16,}+", mixed=True),
    Shape("stripe", ("sk_live_", "sk_test_", "rk_live_", "rk_test_", "sk_prod_"), f"{_ALNUM}{{10,}}+"),
    Shape("stripe", ("whsec_",), "[A-Za-z0-9+/=]{16,}+"),
    Shape("anthropic", ("sk-ant-",), f"{_URL64}{{10,}}+"),
    Shape("openai", ("sk-proj-", "sk-svcacct-", "sk-admin-", "sk-or-v1-"), f"{_URL64}{{16,}}+"),
    Shape("openai", ("sk-",), f"{_URL64}{{16,}}+", alone=True, mixed=True),
    Shape("npm", ("npm_",), f"{_ALNUM}{{30,}}+", alone=True),
    Shape("pypi", ("pypi-",), f"{_URL64}{{16,}}+", alone=True, mixed=True),
    Shape("rubygems", ("rubygems_",), f"{_ALNUM}{{30,}}+"),
    Shape("huggingface", ("hf_", "api_org_"), f"{_ALNUM}{{24,}}+", alone=True),
    Shape("sendgrid", ("SG.",), rf"{_URL64}{{12,}}+\.{_URL64}{{16,}}+", alone=True),
    Shape("twilio", ("SK",), r"[0-9a-f]{32}(?!\w)", alone=True),
    Shape("digitalocean", ("dop_v1_", "doo_v1_", "dor_v1_"), f"{_ALNUM}{{20,}}+"),
    Shape("databricks", ("dapi",), r"[a-f0-9]{30,}+(?:-\d)?", alone=True),
    Shape("jwt", ("eyJ",), r"[\w-]{8,}+(?:\.[\w-]{6,}+(?:\.[\w-]*+){0,3}|(?<=[\w-]{24})(?=\.{2,3}|…))", alone=True),
    Shape("jwt", ("eyJhbGci", "eyJ0eXAi", "eyJraWQi"), r"[\w-]{12,}+(?:\.[\w-]*+){0,4}"),
    Shape("shopify", ("shpat_", "shpca_", "shppa_", "shpss_"), f"{_ALNUM}{{20,}}+"),
    Shape("square", ("sq0atp-", "sq0csp-"), f"{_URL64}{{20,}}+"),
    Shape("vault", ("hvs.", "hvb.", "hvr."), f"{_URL64}{{20,}}+", alone=True),
    Shape("terraform", (".atlasv1.",), f"{_URL64}{{40,}}+"),
    Shape("grafana", ("glsa_", "glc_"), r"[\w=+/-]{20,}+", alone=True, mixed=True),
    Shape("sentry", ("sntrys_", "sntryu_"), r"[\w=+/.-]{20,}+"),
    Shape("linear", ("lin_api_", "lin_oauth_"), f"{_ALNUM}{{20,}}+"),
    Shape("notion", ("ntn_", "secret_"), f"{_ALNUM}{{36,}}+", alone=True, mixed=True),
    Shape("figma", ("figd_", "figu_"), f"{_URL64}{{20,}}+", alone=True, mixed=True),
    Shape("planetscale", ("pscale_tkn_", "pscale_pw_", "pscale_oauth_"), r"[\w=.-]{20,}+"),
    Shape("supabase", ("sbp_", "sb_secret_"), f"{_URL64}{{20,}}+", alone=True, mixed=True),
    Shape("netlify", ("nfp_",), f"{_ALNUM}{{30,}}+", alone=True),
    Shape("docker", ("dckr_pat_", "dckr_oat_"), f"{_URL64}{{16,}}+"),
    Shape("groq", ("gsk_", "r8_", "fw_"), f"{_ALNUM}{{22,}}+", alone=True, mixed=True),
    Shape("xai", ("xai-", "pplx-", "nvapi-", "tvly-"), f"{_URL64}{{20,}}+", alone=True, mixed=True),
    Shape("tailscale", ("tskey-",), f"{_URL64}{{16,}}+", alone=True, mixed=True),
    Shape("postman", ("PMAK-", "NRAK-", "HRKU-", "CFPAT-"), f"{_URL64}{{20,}}+", alone=True),
    Shape("atlassian", ("ATCTT3x", "ATATT3x"), r"[\w=-]{20,}+", alone=True),
    Shape("ci", ("CCIPAT_", "CCIPRJ_", "bkua_"), r"\w{20,}+", alone=True),
    Shape("sonar", ("sqp_", "squ_", "sqa_", "pul-", "pnu_"), f"{_ALNUM}{{30,}}+", alone=True),
    Shape("langsmith", ("lsv2_pt_", "lsv2_sk_"), r"\w{20,}+"),
    Shape("onepassword", ("ops_",), f"{_URL64}{{60,}}+", alone=True),
    Shape("mailgun", ("key-",), r"[0-9a-f]{32}(?!\w)", alone=True),
    Shape("age", ("AGE-SECRET-KEY-",), "[A-Z0-9]{20,}+"),
    Shape("fly", ("fm2_", "fo1_"), r"[\w+/=-]{20,}+", alone=True, mixed=True),
    Shape("brevo", ("xkeysib-", "pat-na1-", "pat-eu1-", "FLWSECK-", "FLWSECK_TEST-"), f"{_URL64}{{30,}}+", alone=True),
    Shape("shippo", ("shippo_live_", "shippo_test_", "duffel_live_", "duffel_test_"), r"\w{20,}+"),
    Shape("sourcegraph", ("sgp_", "tfp_", "rdme_", "aio_", "apify_api_", "phx_"), r"\w{24,}+", alone=True, mixed=True),
    Shape("plaid", ("access-sandbox-", "access-production-"), r"[0-9a-f-]{36}", alone=True),
    Shape("elevenlabs", ("sk_",), "[0-9a-f]{40,}+", alone=True),
    Shape("jfrog", ("AKCp",), f"{_ALNUM}{{40,}}+", alone=True),
)


@cache
def token_pattern(prefix: str) -> re.Pattern[str]:
    """Any token that begins with `prefix`; compiled when that is first met."""
    return re.compile("|".join(shape.pattern() for shape in SHAPES if _begins(shape, prefix)), re.ASCII)


def _begins(shape: Shape, prefix: str) -> bool:
    return any(own.startswith(prefix) or prefix.startswith(own) for own in shape.prefixes)


class Anchor(NamedTuple):
    """Where the scan meets a prefix: at `sign`, with `before` (it included) to the left and `after` to the right."""

    sign: str
    before: str
    after: str


def anchors() -> tuple[Anchor, ...]:
    """One anchor a prefix, at the last occurrence of its rarest sign; none where a shorter prefix has the same."""
    found: dict[tuple[int, str], Anchor] = {}
    for prefix in sorted((prefix for shape in SHAPES for prefix in shape.prefixes), key=len):
        sign = next((sign for sign in RARE if sign in prefix), None)
        if sign is None:
            continue  # searched as a word
        cut = prefix.rfind(sign) + 1
        if not any((cut, prefix[:end]) in found for end in range(cut, len(prefix))):
            found[cut, prefix] = Anchor(sign, prefix[:cut], prefix[cut:])
    return tuple(found.values())


Span = tuple[int, int]

_BEGIN = lazy_pattern(r"KEY(?: BLOCK)?-----")
# A newline (also written as \\n), then a line number or whatever else a tool puts before a line.
_START = r"[\"' \t]{0,4}(?:\r?\n|(?:\\{1,3}r)?\\{1,3}n)(?:[^\n\\]{0,60}?[^A-Za-z0-9+/=\n\\])??"
_KEY_LINE = lazy_pattern(_START + r"(?P<run>[A-Za-z0-9+/=]{20,}+|[A-Za-z0-9+/]{1,19}+==?)(?=[\s\\\"',|]|\Z)")
_HEADER_LINE = lazy_pattern(_START + r"(?:[A-Za-z][A-Za-z-]+:[^\n\\]{0,80}+)?[ \t]*(?=\n|\r|\\)")
_RUN = lazy_pattern(r"\\{1,3}[nr]|[A-Za-z0-9+/=]{4,}+|[A-Za-z0-9+/]+=+")
_LINES = lazy_pattern(r"[ ](?P<count>\d{1,3})")
_PUTTY_LINE = lazy_pattern(_START + r"(?P<run>[A-Za-z0-9+/=]{4,80}+)(?=[\"',| \t]{0,4}(?:\r|\n|\\|\Z))")
_LONGEST: Final = 20_000


def pem_spans(text: str, key_at: int) -> tuple[Span, ...]:
    """The body of a private key whose `PRIVATE KEY` ends its BEGIN line at `key_at`, also when cut off before END."""
    begin = _BEGIN.match(text, key_at)
    if begin is None or text.rfind("-----BEGIN ", max(0, key_at - 40), key_at) < 0:
        return ()
    end = text.find("-----", begin.end(), begin.end() + _LONGEST)
    if end < 0 or not text.startswith("-----END", end):
        again = end if text.startswith("-----BEGIN", end) else begin.end() + _LONGEST
        return _cut_off(text, begin.end(), again)
    runs = _RUN.finditer(text, begin.end(), end)
    return tuple(run.span() for run in runs if not run[0].startswith("\\") and not is_stand_in(run[0]))


def _cut_off(text: str, at: int, stop: int) -> tuple[Span, ...]:
    """The body's lines from `at`; another key that begins at `stop` is read by itself."""
    found: list[Span] = []
    while at < stop:
        line = _KEY_LINE.match(text, at)
        if line:
            found.append(line.span("run"))
        elif found or not (line := _HEADER_LINE.match(text, at)):
            break
        at = line.end()
    return tuple(found)


def putty_spans(text: str, at: int) -> tuple[Span, ...]:
    """The lines of a PuTTY private key behind its `Private-Lines:` that ends at `at`, also in a comment or indented."""
    count = _LINES.match(text, at)
    if count is None:
        return ()
    found: list[Span] = []
    at = count.end()
    while len(found) < int(count["count"]) and (line := _PUTTY_LINE.match(text, at)):
        found.append(line.span("run"))
        at = line.end()
    return tuple(found)
