"""Applies the rules to an action: allowed, asked or denied, by which rule, and why. Pure.

Deny comes before ask before allow, and without a rule a person is asked. To deny, a rule is read as widely as makes
sense; to allow, as narrowly as it is written, and only if nothing in the question can mean more than it shows. Called
by `rulebook.py`.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from functools import partial
from typing import Any

import msgspec

from ..runtimes.requested_actions import AnyAction, Argument, Choice, Command, Edit, Fetch, ToolUse
from . import matching
from .rules import AnyRuledAction, ApprovalRule, Effect, spelled
from .shell import Words

LONGEST_NAMED = 80  # characters of a command in a sentence
MOST_COMMANDS = 10  # in one text that an answer turns into rules
# Other arguments that a CLI may send with a command without changing its effect.
_LIMITS = frozenset(["timeout", "timeout_ms", "yield_time_ms", "max_output_tokens"])
_PLACES = ("path", "file", "folder", "dir", "dest", "target")  # in the name of an argument that may name a path


Doable = Command | Edit | Fetch | ToolUse


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    """`because` is a sentence for people. `rule` is the first that decides; several may allow one command."""

    effect: Effect
    rule: ApprovalRule | None = None
    because: str


def decide(
    rules: Sequence[ApprovalRule],
    asks: AnyAction,
    *,
    agent: str | None,
    folder: str,
    root: str,
    now: datetime,
    runtime: str | None = None,
) -> Decision:
    """Return the decision about the question of an agent (None: of a CLI without one): denied, asked or allowed.

    Deny comes before ask before allow; without a rule, and for a choice, a person is asked. Expired rules do not count;
    who has made a rule is not checked. `runtime`: the name of its CLI; None for any. `folder` is where it would be
    done, absolute, like `root`; relative paths in `asks` are relative to it. Links are not followed.
    """
    if isinstance(asks, Choice):
        return Decision(effect="ask", because="Asked because a choice is a person’s")
    held = [rule for rule in rules if _is_for(rule, agent, runtime) and _holds(rule, folder, root, now)]
    for effect in ("deny", "ask"):
        for rule in (each for each in held if each.effect == effect):
            if matching.is_about(rule.action, asks, folder=folder, root=root):
                return _by(rule)
    return _allowed([rule for rule in held if rule.effect == "allow"], held, asks, folder=folder, root=root)


def commands_of(asks: AnyAction, *, folder: str, root: str) -> tuple[Words, ...]:
    """Return the simple commands of a certain command, which a person may allow for the future; else none.

    None also for another action, for more than `MOST_COMMANDS`, and for programs whose names are not ASCII.
    """
    if not isinstance(asks, Command) or _doubt(asks, folder, root):
        return ()
    found = tuple(dict.fromkeys(matching.text_of(asks).commands))
    return found if len(found) <= MOST_COMMANDS and all(words[0].isascii() for words in found) else ()


def _is_for(rule: ApprovalRule, agent: str | None, runtime: str | None) -> bool:
    return rule.agent in (None, agent or "") and (runtime is None or rule.runtime in (None, runtime))


def _holds(rule: ApprovalRule, folder: str, root: str, now: datetime) -> bool:
    if rule.expires_at is not None and now >= rule.expires_at:
        return False
    if rule.folder is None:
        return True
    below = matching.folder_below(folder, root)
    return below is not None and f"{below}/".startswith(f"{rule.folder}/")


def _by(rule: ApprovalRule) -> Decision:
    said = {"allow": "Allowed by", "ask": "Asked because of", "deny": "Denied by"}[rule.effect]
    return Decision(effect=rule.effect, rule=rule, because=f"{said} the rule “{spelled(rule.action)}”")


def _allowed(
    allowing: list[ApprovalRule], held: list[ApprovalRule], asks: Doable, *, folder: str, root: str
) -> Decision:
    if doubt := _doubt(asks, folder, root):
        return Decision(effect="ask", because=f"Asked because {doubt}{_named_in(held, asks)}")
    found: list[ApprovalRule] = []
    for what, is_allowed in _each(asks, folder, root):
        rule = next((rule for rule in allowing if is_allowed(rule)), None)
        if rule is None:
            return Decision(effect="ask", because=f"Asked because no rule allows {what}")
        found.append(rule)
    names = list(dict.fromkeys(f"“{spelled(rule.action)}”" for rule in found))
    several = f"rules {', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else f"rule {names[0]}"
    return Decision(effect="allow", rule=found[0], because=f"Allowed by the {several}")


def _doubt(asks: Doable, folder: str, root: str) -> str:
    """Return why no rule can allow it; empty if nothing prevents it."""
    match asks:
        case Command():
            return _doubt_of_command(asks, folder, root)
        case Edit(paths=paths):
            if not paths or any(matching.below_root(path, folder, root) is None for path in paths):
                return "not every file is below the root directory"
            if any(path.startswith("~") or path != path.strip() for path in paths):
                return "the name of a file may have another meaning"
            named = [each.name for each in asks.more if any(place in each.name.casefold() for place in _PLACES)]
            return f"it also says `{named[0]}`, which no rule covers" if named else ""
        case Fetch(url=url):
            if not matching.plain_host(url) or asks.query:
                return "the address is not a plain web address"
            return "it names more than one address" if any("://" in each.value for each in asks.more) else ""
    return ""


def _doubt_of_command(asks: Command, folder: str, root: str) -> str:
    if matching.folder_below(folder, root) is None:
        return "the command does not run below the root directory"
    if asks.is_title:
        return "the agent gives the command only a title"
    if asks.text and asks.argv:
        return "the command is given in two ways"
    if named := next((each.name for each in asks.more if not _is_limit(each)), ""):
        return f"the command comes with `{named}`, which no rule covers"
    doubts = matching.text_of(asks).doubts
    return f"the command {doubts[0]}" if doubts else ""


def _is_limit(argument: Argument) -> bool:
    return argument.name in _LIMITS or (argument.is_json and argument.value in ("false", "null"))


def _named_in(held: Iterable[ApprovalRule], asks: Doable) -> str:
    """A command that cannot be read with certainty: return which rule denies a program that is named in it."""
    denying = (each.action for each in held if each.effect == "deny" and matching.names_program(each.action, asks))
    rule = next((spelled(action) for action in denying), "")
    return f", and a program that the rule “{rule}” denies is named in it" if rule else ""


def _each(asks: Doable, folder: str, root: str) -> list[tuple[str, Callable[[ApprovalRule], bool]]]:
    """Return everything that has to be allowed, as text, with a check for each rule."""
    match asks:
        case Command():
            found = matching.text_of(asks).commands
            return [(f"`{_short(words)}`", partial(_of, matching.allows_words, words)) for words in found]
        case Edit(paths=paths):
            below = [matching.below_root(path, folder, root) or "" for path in paths]
            return [(f"an edit of {path}", partial(_of, matching.allows_path, path)) for path in below]
        case Fetch(url=url):
            host = matching.plain_host(url)
            return [(f"pages of {host}", partial(_of, matching.allows_host, host))]
    name = f"{asks.server}: {asks.tool}" if asks.server else asks.tool
    return [(f"the tool {name}", partial(_of, matching.allows_tool, asks))]


def _of(allows: Callable[[AnyRuledAction, Any], bool], what: object, rule: ApprovalRule) -> bool:
    return allows(rule.action, what)


def _short(words: Words) -> str:
    text = shlex.join(words)
    return text if len(text) <= LONGEST_NAMED else f"{text[: LONGEST_NAMED - 1]}…"
