"""Secrets in text, masked: what has the known form of a key, and what stands where a password does.

Each pattern takes time in proportion to the text, whatever the text is: what can repeat is bounded, or gives nothing
back, or cannot begin in the middle of itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable

MASK = "[masked]"

_START = r"(?:(?<![A-Za-z0-9_-])|(?<=\\[nrt])|(?<=%[0-9A-F]{2}))"
"""Where a key can begin; text in JSON has escapes before it, text in an address has bytes as hexadecimal."""

_KEYS = (
    # Anthropic, OpenAI, OpenRouter, Langfuse, Stripe
    r"sk-(?:ant|proj|svcacct|admin|or-v1|or|lf)-",
    r"[sr]k_(?:live|test)_",
    "whsec_",
    # GitHub, GitLab
    "gh[opsur]_",
    "github_pat_",
    r"gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|oas|soat)-",
    # Slack
    r"xox[abcdeoprs](?:\.xox[bp])?-",
    r"xapp-\d-",
    # Google
    r"ya29\.",
    "GOCSPX-",
    "1//0",
    # Models and their hosts
    "hf_",
    "gsk_",
    "xai-",
    "pplx-",
    "nvapi-",
    "r8_",
    "tvly-",
    "fc-(?=[0-9a-f]{32})",
    # Packages, hosting, tools
    "npm_",
    "pypi-AgE",
    "rubygems_",
    "dckr_pat_",
    r"do[opr]_v1_",
    "sbp_",
    "vercel_",
    r"hvs\.",
    r"dp\.pt\.",
    "shp(?:at|ca|pa|ss)_",
    "lin_api_",
    "ntn_",
    "glsa_",
    "sntry[su]_",
    "tskey-[a-z]{3,9}-",
    "NRAK-",
    "PMAK-",
    "ATATT3",
    "AGE-SECRET-KEY-1",
    r"SG\.",
    "key-(?=[0-9a-f]{32})",
    "dapi(?=[0-9a-f]{32})",
)
"""How keys begin; what follows are 20 characters and more, with a digit among them."""

_KEY = re.compile(
    rf"{_START}(?:"
    rf"(?P<known>{'|'.join(_KEYS)})(?=[A-Za-z_-]{{0,60}}\d)[A-Za-z0-9_-]{{20,}}+(?:[.+/=]{{1,2}}[A-Za-z0-9_-]++)*+={{0,2}}"
    r"|(?P<openai>sk-)[A-Za-z0-9]{20,}+"
    r"|(?P<amazon>A(?:KI|SI|BI|CC)A)[A-Z2-7]{16}(?![A-Za-z0-9])"
    r"|(?P<google>AIza)[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])"
    r"|(?P<jwt>(?<!\.)eyJ)[A-Za-z0-9_-]{8,}+\.[A-Za-z0-9_-]{8,}+\.[A-Za-z0-9_-]*+"
    r"|(?P<discord>(?<!\.)[MNO])[A-Za-z0-9_-]{23,25}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,38}(?![A-Za-z0-9_-])"
    r")"
    r"|(?P<telegram>(?<!\d)\d{8,10}:AA)[A-Za-z0-9_-]{33}(?![A-Za-z0-9_-])"
    r"|(?P<slack>hooks\.slack\.com/services/)[A-Za-z0-9/]{20,}+"
    r"|(?P<webhook>discord(?:app)?\.com/api/webhooks/\d{5,25}/)[A-Za-z0-9_-]{20,}+"
)

_BREAK = r"(?:\s|\\++[nrt])"
_LEAD = rf"{_BREAK}++|[A-Za-z-]{{4,20}}: [^\n\\]{{1,200}}|[\"'+,]"
_PEM = re.compile(
    r"(?P<pem>-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----)"
    rf"(?:{_LEAD})*+(?=[A-Za-z0-9+/=]{{16}})(?:{_LEAD}|[A-Za-z0-9+/=]{{16,}}+)++"
    rf"(?:[A-Za-z0-9+/=]{{0,15}}{_BREAK}*+-----END [A-Z0-9 ]{{1,60}}-----)?"
)

_QUOTED = (
    r'(?:"(?P<double>(?:[^"\\\r\n]|\\.){1,500})"'
    r"|'(?P<single>(?:[^'\\\r\n]|\\.){1,500})'"
    r"|(?P<quote>\\{1,8}[\"'])(?P<escaped>(?:(?!(?P=quote))[^\r\n]){1,500})(?P=quote))"
)
_BARE = r"[\"']?(?P<bare>[^\s\"'`,;&<>(){}\[\]|\\]{4,500})(?P<after>[(\[]?)"

_STRONG = (
    r"pass(?:word|wd|phrase|code|wort)|(?<![a-z])pwd|mot[ _]de[ _]passe|密码|密碼|口令|密钥|密鑰|パスワード"
    r"|(?:api|access|account|shared[_-]?access|private|signing|encryption|master|secret)[_-]?key"
    r"|secret(?:[_-]?access[_-]?key|[_-]?token)?|(?:auth|access|refresh|bearer|bot|session|id)[_-]?token"
)
_NAMED = re.compile(
    rf"(?:(?P<flag>--)(?:[a-z]{{1,20}}-){{0,2}})?(?P<name>(?P<strong>{_STRONG})|token|credentials?)"
    rf"(?P<end>\\{{0,3}}[\"'])?(?:(?P<sign>\s{{0,3}}(?:=>?|:=?|：)\s{{0,3}})|(?P<space>(?<=[a-z]) {{1,3}}))"
    rf"(?:{_QUOTED}|{_BARE})",
    re.IGNORECASE,
)

_VALUES = (
    # Headers of requests
    r"(?P<kept>authorization\\{0,8}[\"']?\s{0,3}[:=]\s{0,3}\\{0,8}[\"']?"
    r"(?:(?:bearer|basic|token|digest|bot|apikey|key)\s{1,3})?"
    r"|\bbearer\s{1,3}(?=[A-Za-z_~+/.-]{0,60}\d)(?=[^\s\"'\\]{20}))"
    r"(?P<value>[^\s\"'\\,;<>]{4,4000}+)",
    r"(?P<kept>\bcookie\\{0,8}[\"']?\s{0,2}:\s{0,2}\\{0,8}[\"']?)(?P<value>[\w.-]{1,100}=[^\r\n\"'\\]{1,4000}+)",
    # Addresses
    r"(?P<kept>[?&](?:sig|signature|x-amz-signature|x-amz-security-token)=)(?P<value>[^\s\"'\\&<>]{8,4000}+)",
    r"(?P<kept>://[^\s:@/\"'<>\\]{0,100}:)(?P<value>[^\s/\"'<>\\]{1,200})(?=@)",
    # curl
    r"(?P<kept>\s(?:-u|--user)[ =][\"']?[\w.@-]{1,100}:)(?P<value>[^\s\"'\\]{4,200})",
)
_VALUE = tuple(re.compile(pattern, re.IGNORECASE) for pattern in _VALUES)

_PLACEHOLDER = re.compile(
    r"[$<{%(\[*].*|(?:your|my|some|the|example|dummy|fake|test)?[ _.-]?"
    r"(?:none|null|nil|true|false|undefined|empty|password|passwd|passphrase|pass|secret|token|string|str|bytes"
    r"|required|optional|example|change_?me|redacted|hidden|api[_-]?key|key|here|env|prompt|value)(?:[ _-]?here)?"
    r"|(.)\1*|\.{3}.*|(?:your|my)[ _-].*|.*\[masked\].*",
    re.IGNORECASE | re.DOTALL,
)
_PATH = re.compile(
    r"(?:~|\.{1,2})?/[\w./-]*+|[A-Za-z]:[\\/].*|[a-z\d_.-]{1,60}(?:/[a-z\d_.-]{1,60}){1,10}"
    r"|[\w-]{1,60}(?:/[\w-]{1,60}){1,10}\.\w{1,5}",
    re.DOTALL,
)
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z_]*+(?:\.\w++)*+[.:]?")
_HAS_NAME = re.compile(r"pass|pwd|token|secret|key|credential|passe|密|口令|パスワード", re.IGNORECASE)


def redact(text: str) -> tuple[str, int]:
    """Mask the secrets in a text; a hint stays of what each was.

    Returns:
        The text, and how many were masked. Masked text has nothing to mask.
    """
    masked = 0

    def masking(hide: Callable[[re.Match[str]], str | None]) -> Callable[[re.Match[str]], str]:
        def replacement(found: re.Match[str]) -> str:
            nonlocal masked
            hidden = hide(found)
            masked += hidden is not None
            return found[0] if hidden is None else hidden

        return replacement

    if "PRIVATE KEY" in text:
        text = _PEM.sub(masking(_hide_body), text)
    text = _KEY.sub(masking(_hide_body), text)
    for pattern in _VALUE:
        text = pattern.sub(masking(_hide_value), text)
    if _HAS_NAME.search(text):
        text = _NAMED.sub(masking(_hide_named), text)
    return text, masked


def _hide_body(found: re.Match[str]) -> str:
    return f"{found[found.lastgroup or 0]}…{MASK}"


def _hide_value(found: re.Match[str]) -> str | None:
    return None if _PLACEHOLDER.fullmatch(found["value"]) else found["kept"] + MASK


def _hide_named(found: re.Match[str]) -> str | None:
    """The assignment with its value masked; None for one that holds no secret."""
    if found["space"] and not found["flag"]:
        return None
    kind = next(name for name in ("double", "single", "escaped", "bare") if found[name] is not None)
    value = found[kind]
    secret = _is_secret(found, value) if kind == "bare" else _is_quoted_secret(found, value)
    if not secret:
        return None
    start, end = (place - found.start() for place in found.span(kind))
    # A number becomes text; in JSON that has quotes.
    quote = found["end"] if kind == "bare" and found["end"] and value.isdigit() else ""
    return f"{found[0][:start]}{quote}{MASK}{quote}{found[0][end:]}"


def _is_quoted_secret(found: re.Match[str], value: str) -> bool:
    if len(value) < 4 or _PLACEHOLDER.fullmatch(value) or _PATH.fullmatch(value):
        return False
    return bool(found["strong"]) or _looks_random(value)


def _is_secret(found: re.Match[str], value: str) -> bool:
    """Whether a value without quotes is one: code and prose have the same form."""
    if found["after"] or _PLACEHOLDER.fullmatch(value) or _PATH.fullmatch(value):
        return False
    if not found["strong"]:
        return _looks_random(value)
    if _IDENTIFIER.fullmatch(value):
        # A variable or a word, except in an environment and in an address.
        before = found.string[found.start() - 1 : found.start()]
        return (found["sign"] == "=" and (found["name"].isupper() or before in ("?", "&"))) or bool(
            found["flag"]
        )
    return len(value) >= 6


def _looks_random(value: str) -> bool:
    return (
        len(value) >= 16
        and " " not in value
        and any(map(str.isdigit, value))
        and any(map(str.isalpha, value))
    )
