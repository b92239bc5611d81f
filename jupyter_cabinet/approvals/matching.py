"""Decides whether a rule applies to an action: narrowly, to allow it, or widely, to ask or deny. Pure."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from urllib.parse import urlsplit

from ..core.paths import HIDDEN_STATE
from ..runtimes.requested_actions import AnyAction, Command, Edit, Fetch, ToolUse
from . import shell
from .rules import AnyRuledAction, RuledCommand, RuledEdit, RuledFetch, RuledTool
from .shell import ShellText, Words
from .shell_programs import program_of, runs_others

DEEPEST = 4  # shell texts nested in each other's arguments
MOST_BEHIND = 2000  # words of one command where another command may begin
LONGEST_CLUSTER = 4  # characters of short options that a rule joins, with the dash: `-rf`
_LONG = {"r": "--recursive", "R": "--recursive", "f": "--force", "n": "--dry-run"}
_WEB_PORTS = {"http": 80, "https": 443}


def text_of(asks: Command) -> ShellText:
    """Return the commands that would run, from the shell line or, without one, from the list of words."""
    if not asks.text:
        return shell.read_argv(asks.argv)
    return shell.read(asks.text)


# --- to allow -------------------------------------------------------------------------------


def allows_words(rule: AnyRuledAction, words: Words) -> bool:
    """Return whether a rule is about exactly this simple command; with `more`, also with further arguments.

    The effect, agent, folder and end of the rule are not checked: that is done by `rule_evaluation.decide`.
    """
    if not isinstance(rule, RuledCommand):
        return False
    return words == rule.argv or (rule.more and words[: len(rule.argv)] == rule.argv)


def allows_path(rule: AnyRuledAction, path: str) -> bool:
    """Return whether a rule names this path, relative to the root. Case counts. Paths into `.cabinet` are never named.

    No wildcard matches a name that begins with a dot.
    """
    if not isinstance(rule, RuledEdit) or _parts(path)[:1] == (HIDDEN_STATE,):
        return False
    return _glob(_parts(rule.path), _parts(path), dots=False)


def allows_host(rule: AnyRuledAction, host: str) -> bool:
    """Return whether a rule names this host; `*.example.org` does not name `example.org`.

    Give it what `plain_host` returns.
    """
    return isinstance(rule, RuledFetch) and _is_host(rule.host, host)


def allows_tool(rule: AnyRuledAction, asks: ToolUse) -> bool:
    """Return whether a rule names this tool of this server. Case counts. The arguments do not matter."""
    return isinstance(rule, RuledTool) and (rule.server, rule.tool) == (asks.server, asks.tool)


def plain_host(url: str) -> str:
    """Return the host of an http(s) address in lower case; "" if it has a user, another port or is ambiguous."""
    if not url.isascii() or not url.isprintable() or any(each in url for each in " \\"):
        return ""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return ""
    usual = _WEB_PORTS.get(parts.scheme)
    if usual is None or "@" in parts.netloc or port not in (None, usual):
        return ""
    return parts.hostname or ""


def below_root(path: str, folder: str, root: str) -> str | None:
    """Return a path, relative to `folder` or absolute, relative to the root; None if it is outside, or the root itself.

    Does not read the disk: links are not followed.
    """
    place = posixpath.normpath(posixpath.join(folder, path))
    return place.removeprefix(f"{root.rstrip('/')}/") if place.startswith(f"{root.rstrip('/')}/") else None


def folder_below(folder: str, root: str) -> str | None:
    """Return an absolute folder relative to the root; empty for the root itself, None if it is outside."""
    place = posixpath.normpath(folder)
    return "" if place == posixpath.normpath(root) else below_root(place, root, root)


# --- to ask or deny ---------------------------------------------------------------------------


def is_about(rule: AnyRuledAction, asks: AnyAction, *, folder: str, root: str) -> bool:
    """Return whether a rule is about something in the action, in whatever form. `folder` and `root` are absolute.

    Case does not count for files and tools, and a rule about a folder counts for what is in it.
    """
    match rule, asks:
        case RuledCommand(), Command():
            return any(_comes_down_to(rule.argv, words) for words in commands_in(text_of(asks), rule.argv[0]))
        case RuledEdit(), Edit(paths=asked):
            below = [path for each in asked if (path := below_root(each, folder, root)) is not None]
            return any(_covers(rule.path, path) for path in below)
        case RuledFetch(), Fetch(url=url):
            return _is_host(rule.host, _any_host(url))
        case RuledTool(), ToolUse():
            named, asked_for = (rule.server, rule.tool), (asks.server, asks.tool)
            return tuple(map(str.casefold, named)) == tuple(map(str.casefold, asked_for))
    return False


def names_program(rule: AnyRuledAction, asks: AnyAction) -> bool:
    """Return whether the name of the rule's program appears anywhere in a command, in any case.

    False for other actions.
    """
    if not isinstance(rule, RuledCommand) or not isinstance(asks, Command):
        return False
    return program_of(rule.argv).casefold() in " ".join((asks.text, *asks.argv)).casefold()


def commands_in(text: ShellText, program: str) -> Iterator[Words]:
    """Yield every simple command of a program, including those in the arguments of others.

    The program's case and path are ignored.
    """
    for words, start in _by_program(text).get(posixpath.basename(program).casefold(), ()):
        yield words[start:]


@lru_cache(maxsize=4)  # of one question for each rule
def _by_program(text: ShellText) -> dict[str, list[tuple[Words, int]]]:
    """Return, by program in lower case: its words and the position among them."""
    found: dict[str, list[tuple[Words, int]]] = {}
    for words in _commands(text, 0):
        ends = min(len(words), MOST_BEHIND) if runs_others(words) else min(len(words), 1)
        for start in range(ends):
            found.setdefault(program_of(words[start : start + 1]).casefold(), []).append((words, start))
    return found


def _commands(text: ShellText, depth: int) -> Iterator[Words]:
    yield from text.commands
    if depth < DEEPEST:
        for inner in _inner_texts(text):
            yield from _commands(shell.read(inner), depth + 1)


def _inner_texts(text: ShellText) -> Iterable[str]:
    """Return the texts that a shell started by one of the commands may read as shell text."""
    outer = [words for words in text.commands if runs_others(words)]
    for words in outer:
        yield from (word for word in words[1:MOST_BEHIND] if not word.isalnum())
        yield " ".join(words[1:MOST_BEHIND])  # `eval` joins them
    if outer:
        yield from text.inputs


def _comes_down_to(pattern: Words, words: Words) -> bool:
    """Return whether a command of the same program has the words and options of the rule, in any form and order."""
    options = [word for word in words[1:] if word.startswith("-")]
    if not all(_has_option(word, options) for word in pattern[1:] if word.startswith("-")):
        return False
    rest = list(words[1:])
    for wanted in (word for word in pattern[1:] if not word.startswith("-")):
        while rest and rest[0] != wanted and (skipped := _skippable(rest, wanted)):
            del rest[:skipped]
        if not rest or rest[0] != wanted:
            return False
        del rest[:1]
    return True


def _skippable(rest: list[str], wanted: str) -> int:
    """Return how many words may precede the wanted one: an option, perhaps with its value."""
    if not rest[0].startswith("-"):
        return 0
    has_value = len(rest) > 1 and rest[1] != wanted and not rest[1].startswith("-") and "=" not in rest[0]
    return 2 if has_value else 1


def _has_option(wanted: str, options: list[str]) -> bool:
    if not wanted.startswith("--") and 1 < len(wanted) <= LONGEST_CLUSTER:
        return wanted in options or all(_has_short(letter, options) for letter in wanted[1:])
    long = wanted.partition("=")[0]
    short = [letter for letter, name in _LONG.items() if name == long]
    return any(_is_long(each, long) for each in options) or any(_has_short(letter, options) for letter in short)


def _has_short(letter: str, options: list[str]) -> bool:
    joined = "".join(each[1:] for each in options if not each.startswith("--"))
    long = _LONG.get(letter)
    alike = [other for other, name in _LONG.items() if name == long] if long else [letter]
    return any(each in joined for each in alike) or (long is not None and any(_is_long(each, long) for each in options))


def _is_long(option: str, long: str) -> bool:
    """Also match abbreviated options, as GNU programs accept them."""
    name = option.partition("=")[0]
    return name == long or (len(name) > 2 and name.startswith("--") and long.startswith(name))


def _any_host(url: str) -> str:
    try:
        return (urlsplit(url.strip()).hostname or "").rstrip(".")
    except ValueError:
        return ""


def _is_host(pattern: str, host: str) -> bool:
    return host.endswith(pattern[1:]) and host != pattern[1:] if pattern.startswith("*.") else host == pattern


def _covers(pattern: str, path: str) -> bool:
    """Return whether a pattern names a path or a folder above it."""
    parts = _parts(path.casefold())
    return any(_glob(_parts(pattern.casefold()), parts[:end], dots=True) for end in range(1, len(parts) + 1))


def _parts(path: str) -> tuple[str, ...]:
    return tuple(part for part in path.split("/") if part not in ("", "."))


def _glob(pattern: tuple[str, ...], path: tuple[str, ...], *, dots: bool) -> bool:
    """`dots`: wildcards also match names that begin with one."""

    @cache
    def fits(at: int, place: int) -> bool:
        if at == len(pattern):
            return place == len(path)
        if pattern[at] == "**":
            one_more = place < len(path) and (dots or not path[place].startswith("."))
            return fits(at + 1, place) or (one_more and fits(at, place + 1))
        return place < len(path) and _name_fits(pattern[at], path[place], dots=dots) and fits(at + 1, place + 1)

    return fits(0, 0)


def _name_fits(pattern: str, name: str, *, dots: bool) -> bool:
    hidden = name.startswith(".") and not pattern.startswith(".") and not dots
    return not hidden and re.fullmatch(".*".join(map(re.escape, pattern.split("*"))), name, re.DOTALL) is not None
