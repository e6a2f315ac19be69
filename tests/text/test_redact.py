"""Masking secrets: what is one, what is none, and the time that any text takes."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.text import redact as room
from hermes_tui.text.redact import MASK, redact

_BODY = "abcDEF1234567890abcdefXYZ"
_LONG = "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"

KEYS = [
    (f"sk-ant-api03-{_BODY}_-9", f"sk-ant-…{MASK}"),
    (f"sk-proj-{_BODY}", f"sk-proj-…{MASK}"),
    ("sk-abcdefghijklmnopqrstuvwx", f"sk-…{MASK}"),
    (f"sk-or-v1-{'0a' * 32}", f"sk-or-v1-…{MASK}"),
    (f"ghp_{_LONG}", f"ghp_…{MASK}"),
    (f"github_pat_{_LONG}_{_BODY}", f"github_pat_…{MASK}"),
    ("glpat-abcdefghij1234567890", f"glpat-…{MASK}"),
    (f"xoxb-123456789012-{_BODY}", f"xoxb-…{MASK}"),
    (f"xapp-1-A012-{_BODY}", f"xapp-1-…{MASK}"),
    ("AKIAIOSFODNN7EXAMPLE", f"AKIA…{MASK}"),
    (f"AIza{_LONG[:35]}", f"AIza…{MASK}"),
    (f"ya29.{_LONG}", f"ya29.…{MASK}"),
    (f"GOCSPX-{_BODY}", f"GOCSPX-…{MASK}"),
    (f"sk_live_{_BODY}", f"sk_live_…{MASK}"),
    (f"whsec_{_BODY}/+abc=", f"whsec_…{MASK}"),
    (f"hf_{_LONG}", f"hf_…{MASK}"),
    (f"npm_{_LONG}", f"npm_…{MASK}"),
    (f"pypi-AgEIcHlwaS5vcmc{_LONG}", f"pypi-AgE…{MASK}"),
    (f"SG.{_BODY[:22]}.{_LONG}", f"SG.…{MASK}"),
    (f"gsk_{_BODY}", f"gsk_…{MASK}"),
    ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w", f"eyJ…{MASK}"),
    (f"123456789:AA{_LONG[:33]}", f"123456789:AA…{MASK}"),
    (f"https://hooks.slack.com/services/T0000/B0000/{_BODY}", f"https://hooks.slack.com/services/…{MASK}"),
]


@pytest.mark.parametrize("before", ["", "key ", '"', "=", "\\n", "%3D", "https://"])
@pytest.mark.parametrize(("key", "hint"), KEYS, ids=[hint for _, hint in KEYS])
def test_a_key_of_a_known_form_leaves_its_beginning(key: str, hint: str, before: str) -> None:
    assert redact(f"{before}{key} after") == (f"{before}{hint} after", 1)


PRIVATE_KEY = "-----BEGIN RSA PRIVATE KEY-----\n{}\n-----END RSA PRIVATE KEY-----"


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        (f"a {PRIVATE_KEY.format(_LONG)} b", f"a -----BEGIN RSA PRIVATE KEY-----…{MASK} b"),
        (
            f'{{"k": "{PRIVATE_KEY.format(_LONG)}"}}'.replace("\n", "\\n"),
            f'{{"k": "-----BEGIN RSA PRIVATE KEY-----…{MASK}"}}',
        ),
        (
            PRIVATE_KEY.format(f"Proc-Type: 4,ENCRYPTED\n\n{_LONG}\nabc="),
            f"-----BEGIN RSA PRIVATE KEY-----…{MASK}",
        ),
        (f"-----BEGIN PRIVATE KEY-----\n{_LONG}\n", f"-----BEGIN PRIVATE KEY-----…{MASK}"),
        ("Authorization: Bearer abcdef012345", f"Authorization: Bearer {MASK}"),
        ('{"Authorization": "Basic dXNlcjpwYXNz"}', f'{{"Authorization": "Basic {MASK}"}}'),
        (f"sends Bearer {_BODY} along", f"sends Bearer {MASK} along"),
        ("Cookie: session=abc; other=def\nHost: x", f"Cookie: {MASK}\nHost: x"),
        ("X-Api-Key: abcdef012345", f"X-Api-Key: {MASK}"),
        ("postgres://bob:s3cr3t@db:5432/x", f"postgres://bob:{MASK}@db:5432/x"),
        ("redis://:p@ss-word@host", f"redis://:{MASK}@host"),
        ("https://x.blob/y?sp=r&sig=abcdefgh%3D&x=1", f"https://x.blob/y?sp=r&sig={MASK}&x=1"),
        ("https://x/?password=letmein&a=b", f"https://x/?password={MASK}&a=b"),
        ("curl -u bob:hunter22 http://x", f"curl -u bob:{MASK} http://x"),
        ("psql --password hunter", f"psql --password {MASK}"),
        ("password=hunter2 next", f"password={MASK} next"),
        ("password: hunter2", f"password: {MASK}"),
        ("DB_PASSWORD=correcthorse", f"DB_PASSWORD={MASK}"),
        ("passphrase = 'correct horse battery'", f"passphrase = '{MASK}'"),
        ('"api_key": "abcd1234efgh"', f'"api_key": "{MASK}"'),
        ('{"password": 123456}', f'{{"password": "{MASK}"}}'),
        (r'{\"password\": \"hunter2\", \"user\": \"bob\"}', rf'{{\"password\": \"{MASK}\", \"user\": \"bob\"}}'),
        ('password = "pa\\"ss word"', f'password = "{MASK}"'),
        ("aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfi", f"aws_secret_access_key = {MASK}"),
        (f"token: {_BODY}", f"token: {MASK}"),
        ("密码：abc12345", f"密码：{MASK}"),
    ],
)  # fmt: skip
def test_what_stands_where_a_secret_does_is_masked(text: str, masked: str) -> None:
    assert redact(text) == (masked, 1)


@pytest.mark.parametrize(
    "text",
    [
        "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
        "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "123e4567-e89b-12d3-a456-426614174000",
        "20260101_000007_ab12cd34",
        "/home/me/.hermes/profiles/work/state.db",
        "max_tokens: 4096, tokens=1234567890123456",
        "def login(password: str, token: Optional[str] = None) -> None:",
        "connect(password=pw, token=self.token)",
        'api_key = os.environ["OPENAI_API_KEY"]',
        "secret = get_secret('x')",
        "password=self.password",
        "password: $DB_PASSWORD",
        'password="<your password>"',
        "Authorization: Bearer $TOKEN",
        "https://user:password@host/",
        "Password: required",
        'the "token": "hello" of a tokenizer',
        "api_key_env: OPENAI_API_KEY",
        "password_file=/run/secrets/db",
        "the password is in the safe",
        "an -----BEGIN PRIVATE KEY----- line opens it",
        "sk-learn and risk-based-something-2024-long-name",
        "2026-11-29T14:02:03:AA",
        "pwd=/usr/local",
        "key-value, monkey-patch, npm_config_registry",
    ],
)
def test_what_only_looks_like_one_stays(text: str) -> None:
    assert redact(text) == (text, 0)


def test_each_is_counted() -> None:
    assert redact(f"password=hunter2\nsk-proj-{_BODY}\n{PRIVATE_KEY.format(_LONG)}")[1] == 3


_WORDS = (
    "password token api_key = sk- :// @ bob : Bearer Authorization Cookie: a=b … -- -u hunter2 \\n \\ \" '"
)
_PIECES = st.sampled_from(
    [
        *_WORDS.split(),
        " ",
        ": ",
        MASK,
        _BODY,
        _LONG,
        "-----BEGIN PRIVATE KEY-----\n",
        *(key for key, _ in KEYS),
    ]
)
_TEXTS = st.lists(_PIECES, max_size=12).map("".join) | st.text(max_size=60)


@given(_TEXTS)
def test_masked_text_has_nothing_to_mask(text: str) -> None:
    once, _ = redact(text)
    assert redact(once) == (once, 0)


@given(st.text(max_size=20), st.sampled_from([key for key, _ in KEYS]))
def test_no_key_survives_between_blanks(text: str, key: str) -> None:
    assert key not in redact(f"{text} {key} {text}")[0]


def _giving_back(pattern: re.Pattern[str]) -> list[str]:
    """Its quantifiers that have no end and are not possessive: only those can make it slow."""
    plain = re.sub(r"\\.|\[(?:\\.|[^\]\\])*\]", "x", pattern.pattern)
    return re.findall(r"[*+]|\{\d+,\}", re.sub(r"(?:[*+?]|\{\d*,?\d*\})\+", "", plain))


@pytest.mark.parametrize("pattern", [room._KEY, room._PEM, room._NAMED, *room._VALUE])
def test_what_repeats_without_end_gives_nothing_back(pattern: re.Pattern[str]) -> None:
    assert _giving_back(pattern) == []


def test_the_check_for_it_sees_one_that_does() -> None:
    assert _giving_back(re.compile(r"a\+[*]b*+c++(?:d+)?e{2,}")) == ["+", "{2,}"]
