"""The tool servers that a CLI has itself: which files list them, and what may be shown of an entry. Opens no file.

The file `own_tool_servers.py` in the folder of a runtime knows its files. `tool_servers/of_clis.py` reads them. The
values of variables and of headers are secrets and never leave this module.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

import msgspec

MOST_SERVERS, MOST_PARTS = 100, 100  # of a file; arguments, variables or headers of one
MOST_KEY_PARTS = 20  # of a key in TOML
LONGEST = 1000  # characters
HIDDEN = "…"
# All expressions take a time in proportion to the length of a text: strangers may have written it.
_TELLING = re.compile(r"key|token|secret|pass|auth|header|credential|cookie|bearer", re.IGNORECASE)
_OPTION = re.compile(r"-[\w-]*+")
# Also in JSON, where a quotation mark ends the name.
_ASSIGNED = re.compile(r"(?<![\w-])([\w-]++)[\"']?+\s*+([=:])\s*+")
# How the keys of well-known services begin.
_KEY = re.compile(r"(?<![\w-])(?:sk-|gh[opsu]_|github_pat_|glpat-|xox[abp]-|AKIA|AIza|eyJ)[\w.-]{12,}+")
# What is not closed reaches to the end: otherwise each further quotation mark would be searched for its end again.
_STRING = r'"(?:[^"\\]|\\.?)*+(?:"|\Z)'
_COMMENT = re.compile(rf"{_STRING}|//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
_LAST_COMMA = re.compile(rf"{_STRING}|,(\s*[}}\]])", re.DOTALL)
_USER_INFO = re.compile(r"(\w://)[^/\s]*@")
_ADDRESS = re.compile(r"[a-z]+://", re.IGNORECASE)
_NO_SPACE = re.compile(r"\S++")
_SCHEME = re.compile(r"\w://")
# A key of so many parts, such as `a.b.c`; also in a text. `tomllib` takes the square of their number for each line.
_KEY_PART = r"""(?:[\w-]++|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+')[ \t]*+"""
_LONG_KEY = re.compile(rf"(?<![\w-])(?:{_KEY_PART}\.[ \t]*+){{{MOST_KEY_PARTS}}}")

Transport = Literal["stdio", "http", "sse"]
# What decides whether runs without an agent use it: nothing, the CLI's question whether the folder is trusted, or that
# it is switched off.
Use = Literal["yes", "if_trusted", "no"]


class OwnToolServer(msgspec.Struct, frozen=True, kw_only=True):
    """A tool server in the settings of a CLI. `variables`, `headers`: names. Texts are as somebody wrote them."""

    name: str
    transport: Transport = "stdio"
    command: tuple[str, ...] = ()
    address: str = ""
    variables: tuple[str, ...] = ()
    headers: tuple[str, ...] = ()
    is_off: bool = False


class ToolServerFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file that may list tool servers: TOML if it is named so, else JSON with comments.

    `beneath`: the folder that others may have written, in which no link is followed. `servers`: finds the entries in
    the content.
    """

    path: Path
    servers: Callable[[Any], Mapping[str, Any]]
    read: Callable[[str, Mapping[str, Any]], OwnToolServer]
    beneath: Path | None = None
    use: Use = "yes"


def usual(name: str, entry: Mapping[str, Any]) -> OwnToolServer:
    """Return an entry in the form that most CLIs share: `command`, `args`, `env`; or `url`, `type`, `headers`.

    Without secrets. An entry with neither has no command and no address.
    """
    address = text(entry.get("httpUrl")) or text(entry.get("url"))
    kind = text(entry.get("type"))
    is_http = bool(entry.get("httpUrl")) or kind in ("http", "streamable-http", "streamableHttp")
    return made(
        name,
        command=(text(entry.get("command")), *texts(entry.get("args"))),
        address=address,
        transport="http" if is_http else "sse",
        variables=names(entry.get("env")),
        headers=names(entry.get("headers")),
        is_off=entry.get("disabled") is True or entry.get("enabled") is False,
    )


def made(name: str, *, address: str, command: tuple[str, ...], transport: Transport, **fields: Any) -> OwnToolServer:
    """Return a tool server that has either an address or a command, without secrets. The address counts if it has both.

    Long names and values are cut. `fields`: those of `OwnToolServer`.
    """
    if address:
        return OwnToolServer(name=name[:LONGEST], address=_without_secrets(address), transport=transport, **fields)
    return OwnToolServer(name=name[:LONGEST], command=_shown(command) if command[:1] != ("",) else (), **fields)


def at(*keys: str) -> Callable[[Any], Mapping[str, Any]]:
    """Return a function that finds the object below these keys of a content; an empty one if there is none."""

    def found(content: Any) -> Mapping[str, Any]:
        for key in keys:
            content = content.get(key) if isinstance(content, dict) else None
        return content if isinstance(content, dict) else {}

    return found


def parsed(file: ToolServerFile, content: bytes) -> Any:
    """Return the content of a file: TOML if it is named so, else JSON, where comments and last commas are allowed.

    An empty JSON file is an empty object. Raises `ValueError`, and `RecursionError` for one that is nested too deeply.
    """
    said = content.decode("utf-8-sig")
    if file.path.suffix == ".toml":
        if _LONG_KEY.search(said):
            raise ValueError
        return tomllib.loads(said)
    without = _COMMENT.sub(lambda match: match[0] if match[0].startswith('"') else " ", said)
    without = _LAST_COMMA.sub(lambda match: match[0] if match[0].startswith('"') else match[1], without)
    return msgspec.json.decode(without) if without.strip() else {}


def entries(file: ToolServerFile, content: Any) -> Iterator[OwnToolServer]:
    """Yield the first `MOST_SERVERS` tool servers that a content lists. What is no entry is left out."""
    for name, entry in list(file.servers(content).items())[:MOST_SERVERS]:
        if isinstance(entry, dict):
            server = file.read(str(name), entry)
            if server.address or server.command:
                yield server


def is_more(file: ToolServerFile, content: Any) -> bool:
    """Return whether a content lists more tool servers than `entries` yields."""
    return len(file.servers(content)) > MOST_SERVERS


def _shown(command: tuple[str, ...]) -> tuple[str, ...]:
    """Return a command without the values of options that look like secrets."""
    shown: list[str] = []
    is_next = False
    for part in command[:MOST_PARTS]:
        shown.append(HIDDEN if is_next and not part.startswith("-") else _without_secrets(part))
        start = part[:LONGEST]
        is_next = _OPTION.fullmatch(start) is not None and _TELLING.search(start) is not None
    if len(command) > MOST_PARTS:
        shown.append(HIDDEN)
    return tuple(part for part in shown if part)


def _without_secrets(part: str) -> str:
    is_cut = len(part) > LONGEST  # then the rest may contain the end of a password, so it is hidden up to there
    part = _USER_INFO.sub(rf"\1{HIDDEN}@", part[:LONGEST] + "@" * is_cut).removesuffix("@" * is_cut)
    part = _KEY.sub(HIDDEN, _NO_SPACE.sub(_without_query, part))
    if not _ADDRESS.match(part):
        for match in _ASSIGNED.finditer(part):
            if match.end() < len(part) and (_TELLING.search(match[1]) or _is_variable(match[1], match[2])):
                return f"{part[: match.end()]}{HIDDEN}"
    return f"{part}{HIDDEN}" if is_cut and not part.endswith(HIDDEN) else part


def _is_variable(name: str, sign: str) -> bool:
    """Return whether a value is assigned to an environment variable: `NAME=`, `-eNAME=`, `--env=NAME=`."""
    return sign == "=" and name.rpartition("-")[2].removeprefix("e").isupper()


def _without_query(match: re.Match[str]) -> str:
    """Return a word without the query and the fragment of an address in it."""
    word = match[0]
    scheme = _SCHEME.search(word)
    found = [at for at in (word.find("?", scheme.end()), word.find("#", scheme.end())) if at >= 0] if scheme else []
    return f"{word[: min(found) + 1]}{HIDDEN}" if found and min(found) < len(word) - 1 else word


def text(value: Any) -> str:
    """Return the value if it is a string, otherwise an empty string."""
    return value if isinstance(value, str) else ""


def texts(value: Any) -> tuple[str, ...]:
    """Return the strings and numbers of a list as strings; empty if the value is not a list."""
    return tuple(str(each) for each in value if isinstance(each, str | int | float)) if isinstance(value, list) else ()


def names(value: Any) -> tuple[str, ...]:
    """Return the first `MOST_PARTS` keys of an object, without the values; empty if it is no object."""
    return tuple(str(each)[:LONGEST] for each in list(value)[:MOST_PARTS]) if isinstance(value, dict) else ()
