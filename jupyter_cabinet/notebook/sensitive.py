"""Recognizes likely secrets, by name or by form. Pure.

A hint and not a barrier: a secret under a harmless name and without a known form looks like other text.
"""

from __future__ import annotations

import functools
import re

MARK = "[looks like a secret: left out]"

_NAMES = re.compile(
    r"(?:^|_|\b)(?:pass(?:words?|wd|phrases?)?|pwd|secrets?|tokens?|api_?keys?|access_?keys?|private_?keys?|auth(?:orization)?"
    r"|credentials?|cookies?|session_?id|bearer|conn(?:ection)?_?str(?:ing)?|dsn)(?:$|_|\b|\d)",
    re.IGNORECASE,
)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_FORMS = re.compile(
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)"
    r"|\b(?:sk|pk|rk)[-_][A-Za-z0-9_-]{16,}"  # OpenAI, Anthropic, Stripe
    r"|\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_\w{20,}|\bglpat-[\w-]{16,}"
    r"|\bhf_[A-Za-z0-9]{20,}|\bnpm_[A-Za-z0-9]{20,}|\bpypi-[\w-]{20,}"
    r"|\bxox[abprs]-[\w-]{10,}|\bAIza[\w-]{30,}|\bya29\.[\w-]{20,}"
    r"|\b(?:AKIA|ASIA)[A-Z0-9]{16}\b"
    r"|\beyJ[\w-]{8,4000}\.eyJ[\w-]{8,4000}\.[\w-]*"  # a JSON web token
    r"|(?<=://)[^\s/@:]*:[^\s/]+(?=@)"  # a name and a password in an address
    r"|(?i:(?<=bearer )|(?<=authorization: )|(?<=token ))[\w.~+/-]{16,}=*"
    r"|(?i:(?<=--password )|(?<=--token )|(?<=--api-key )|(?<=--secret ))[^\s-]\S+",
    re.DOTALL,
)
_NAME = re.compile(r"(?<![\w.-])[\w.-]{1,100}(?=[\"']?\]?\s{0,20}[:=!,])")
_TYPE = r"\s{0,20}:\s{0,20}[\w.]{1,60}(?:\[[^\]=\n]{0,60}\])?(?:\s?\|\s?[\w.]{1,60}){0,3}(?=\s{0,20}=[^=])"
_STRING = (
    r"[rRbBfFuU]{0,2}(?:\"\"\".*?(?:\"\"\"|\Z)|'''.*?(?:'''|\Z)"
    r"|\"(?:[^\"\\\n]|\\.)*+(?:\"|(?=\n|\Z))|'(?:[^'\\\n]|\\.)*+(?:'|(?=\n|\Z)))"
)
_GIVEN = re.compile(
    rf"[\"']?\]?(?:{_TYPE})?\s{{0,20}}(?:[:=!]?=|:)\s{{0,20}}[(\[{{\\]{{0,2}}\s{{0,20}}"
    rf"(?P<value>{_STRING}|[^\s,;)}}\]\"']{{1,1000}})",
    re.DOTALL,
)
_SECOND = re.compile(rf"[\"']\s{{0,20}},\s{{0,20}}(?P<value>{_STRING})", re.DOTALL)  # of a pair


@functools.lru_cache(maxsize=4096)
def has_secret_name(name: str) -> bool:
    """Return whether a value with this name is probably one: `db_password`, `apiKey`, `OPENAI_API_KEY`."""
    return bool(_NAMES.search(_CAMEL.sub("_", name)))


def without_secrets(text: str) -> str:
    """Return the text with likely secrets replaced by `MARK`.

    Secrets are texts in the form of a key or a token, and values that are assigned to names such as `password`.
    """
    return _without_assigned(_FORMS.sub(MARK, text))


def _without_assigned(text: str) -> str:
    parts, end = [], 0
    for name in _NAME.finditer(text):
        value = _value_of(text, name) if name.start() >= end and has_secret_name(name[0]) else None
        if value is not None:
            parts += [text[end : value.start("value")], MARK]
            end = value.end("value")
    return "".join([*parts, text[end:]])


def _value_of(text: str, name: re.Match[str]) -> re.Match[str] | None:
    """Return the value assigned to a name; None for another name, as in `token = next()`."""
    is_pair = text[max(0, name.start() - 2) : name.start()] in ("('", '("')
    found = _GIVEN.match(text, name.end()) or (_SECOND.match(text, name.end()) if is_pair else None)
    if found is None or MARK in found["value"]:
        return None
    value = found["value"].lstrip("rRbBfFuU")
    if value[:1] in ("'", '"'):
        return found if value.strip("\"'") else None
    # otherwise on a separate line, as in `for x in tokens:`
    is_beside = "\n" not in text[name.end() : found.start("value")]
    is_count = name[0].lower().endswith("tokens") and found["value"].isdecimal()  # max_tokens=4096
    is_given = len(value) > 2 and any(map(str.isdigit, value))
    return found if is_given and is_beside and not is_count else None
