"""Approval rules: actions that a person allows, denies or wants to be asked about in advance. Pure.

The values, also the wire format, and their validation. `rule_evaluation.py` decides which rule applies to an action,
`rulebook.py` stores them.
"""

from __future__ import annotations

import re
import shlex
from datetime import datetime
from typing import Literal

import msgspec

from ..core import paths
from ..core.errors import Invalid, OutsideRoot
from ..core.people import Person
from .shell_programs import doubt_of

Effect = Literal["allow", "ask", "deny"]
MOST_RULES = 500
MOST_WORDS = 100
LONGEST_WORD = 1000  # characters
LONGEST_NOTE = 500  # characters
MOST_DAYS = 90  # of a rule that is made with an answer
_HOST = re.compile(r"(\*\.)?[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*")


class RuledAction(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", forbid_unknown_fields=True):
    """Base of the closed union `AnyRuledAction`."""


class RuledCommand(RuledAction, frozen=True, kw_only=True, tag="command"):
    """A program with its arguments.

    To allow, exactly this command matches, with `more` also with further arguments; to ask or deny, every form of it
    matches, whatever follows.
    """

    argv: tuple[str, ...]
    more: bool = False


class RuledEdit(RuledAction, frozen=True, kw_only=True, tag="edit"):
    """Files below the root.

    `*` stands for a part of one name, `**` for any folders; to allow, neither matches a name that begins with a dot.
    """

    path: str


class RuledFetch(RuledAction, frozen=True, kw_only=True, tag="fetch"):
    """Pages of a host, or of all hosts below it: `*.example.org`."""

    host: str


class RuledTool(RuledAction, frozen=True, kw_only=True, tag="tool"):
    """A tool, by the names that the CLI gives. `server` is empty for the CLI's own."""

    server: str = ""
    tool: str


AnyRuledAction = RuledCommand | RuledEdit | RuledFetch | RuledTool


class NewRule(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A rule as a person writes it, or sends it back unchanged."""

    id: str | None = None  # of the existing rule; None: a new one
    effect: Effect
    action: AnyRuledAction
    agent: str | None = None  # slug; None: every agent and every CLI without one; empty: only those without one
    runtime: str | None = None  # the name of a CLI; None: all
    folder: str | None = None  # relative to the root: it applies there and below; None: everywhere
    expires_at: datetime | None = None  # with a time zone
    note: str = ""


class ApprovalRule(msgspec.Struct, frozen=True, kw_only=True):
    """A stored rule.

    It applies to the runs of its author, or to all if that person has an owner's rights over them (`for_everyone`).
    """

    id: str
    effect: Effect
    action: AnyRuledAction
    agent: str | None = None
    runtime: str | None = None
    folder: str | None = None
    expires_at: datetime | None = None
    note: str = ""
    made_by: Person
    made_at: datetime
    for_everyone: bool = False


class RuleList(msgspec.Struct, frozen=True, kw_only=True):
    """All rules of a root directory. `hash` names this version of them.

    `protected`: ids of the rules that the reader may not change, because somebody else has made them.
    """

    rules: tuple[ApprovalRule, ...]
    hash: str
    protected: tuple[str, ...] = ()


class NewRuleList(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Body of `PUT approval-rules`: all rules, and the hash of the list that they were made from."""

    rules: tuple[NewRule, ...]
    hash: str


def spelled(action: AnyRuledAction) -> str:
    """Return it as people read it, on one line; its words may be long.

    It does not say whether it is allowed or denied.
    """
    match action:
        case RuledCommand(argv=argv, more=more):
            return f"{shlex.join(argv)} …" if more else shlex.join(argv)
        case RuledEdit(path=path):
            return f"edit {path}"
        case RuledFetch(host=host):
            return f"fetch {host}"
    return f"{action.server}: {action.tool}" if action.server else action.tool


def as_new(rule: ApprovalRule) -> NewRule:
    """Return a person's input for it."""
    return NewRule(**{name: getattr(rule, name) for name in NewRule.__struct_fields__})


def checked(rule: NewRule) -> NewRule:
    """Return the rule with its folder normalized.

    Raises `Invalid` for a rule that is meaningless, too long or could never apply, and `OutsideRoot` for a path or
    folder outside the root. Whether agent, runtime and folder exist is not checked.
    """
    texts = [rule.agent or "-", rule.runtime or "-", rule.folder or "-", rule.note or "-", *_texts(rule.action)]
    if not all(text.isprintable() for text in texts):
        raise Invalid("A rule must not contain control characters or invisible characters.", field="action")
    if not all(texts) or max(map(len, texts)) > LONGEST_WORD or len(rule.note) > LONGEST_NOTE:
        raise Invalid(
            (f"The names in a rule must not be empty or longer than {LONGEST_WORD} characters."), field="action"
        )
    if rule.expires_at is not None and rule.expires_at.tzinfo is None:
        raise Invalid("The time at which a rule ends needs a time zone.", field="expires_at")
    _check_action(rule)
    if rule.folder is None:
        return rule
    return msgspec.structs.replace(rule, folder="/".join(paths.check(rule.folder, field="folder")))


def _texts(action: AnyRuledAction) -> list[str]:
    """Return those that must not be empty."""
    match action:
        case RuledCommand(argv=argv):
            return [*argv[:1], *(word or "-" for word in argv[1:])]
        case RuledEdit(path=path):
            return [path]
        case RuledFetch(host=host):
            return [host]
    return [action.server or "-", action.tool]


def _check_action(rule: NewRule) -> None:
    match rule.action:
        case RuledCommand(argv=argv):
            _check_argv(argv, rule.effect)
        case RuledEdit(path=path) if path.startswith("/") or ".." in path.split("/"):
            raise OutsideRoot(field="path")
        case RuledFetch(host=host) if not _HOST.fullmatch(host):
            raise Invalid(
                ("A host is a name such as example.org, or *.example.org for all hosts below it."), field="host"
            )


def _check_argv(argv: tuple[str, ...], effect: Effect) -> None:
    if not 0 < len(argv) <= MOST_WORDS:
        raise Invalid(f"A command has one to {MOST_WORDS} words.", field="argv")
    if effect == "allow" and not argv[0].isascii():
        raise Invalid("The name of an allowed program must be in ASCII: other letters may look alike.", field="argv")
    if effect == "allow" and (doubt := doubt_of(argv)):
        raise Invalid(f"This cannot be allowed by a rule: the command {doubt}.", field="argv")
