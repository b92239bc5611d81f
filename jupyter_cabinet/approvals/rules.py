"""Approval rules: what a person allows, has asked or forbids in advance. The values, also the wire format, and what
makes a rule acceptable. Pure.

`rule_evaluation.py` says which rule holds for what an agent asks, `rulebook.py` keeps them.
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
    """A program with its arguments. Allowed is this and no other, with `more` also with further arguments behind it;
    asked or denied is everything that comes down to it, whatever follows."""

    argv: tuple[str, ...]
    more: bool = False


class RuledEdit(RuledAction, frozen=True, kw_only=True, tag="edit"):
    """Files below the root. `*` stands for a part of one name, `**` for any folders; to allow, neither stands for a
    name that begins with a dot."""

    path: str


class RuledFetch(RuledAction, frozen=True, kw_only=True, tag="fetch"):
    """Pages of a host, or of all below it: `*.example.org`."""

    host: str


class RuledTool(RuledAction, frozen=True, kw_only=True, tag="tool"):
    """A tool, by the names that the CLI gives. `server` is empty for the CLI's own."""

    server: str = ""
    tool: str


AnyRuledAction = RuledCommand | RuledEdit | RuledFetch | RuledTool


class NewRule(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A rule as a person writes it, or sends it back unchanged."""

    id: str | None = None  # of the rule that it was; None: a new one
    effect: Effect
    action: AnyRuledAction
    agent: str | None = None  # slug; None: every agent and every CLI without one; empty: only those without one
    runtime: str | None = None  # the name of a CLI; None: every one
    folder: str | None = None  # relative to the root: it holds there and below; None: everywhere
    expires_at: datetime | None = None  # with a time zone
    note: str = ""


class ApprovalRule(msgspec.Struct, frozen=True, kw_only=True):
    """A rule on record. One that allows holds for the runs of who made it, or for all where that person has an
    owner's rights over them (`for_everyone`). The others hold for all."""

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
    """All rules of a root directory. `hash` names this version of them."""

    rules: tuple[ApprovalRule, ...]
    hash: str


class NewRuleList(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Body of `PUT approval-rules`: all rules, and the hash of the list that they were made from."""

    rules: tuple[NewRule, ...]
    hash: str


def spelled(action: AnyRuledAction) -> str:
    """As people read it, on one line."""
    match action:
        case RuledCommand(argv=argv, more=more):
            return f"{shlex.join(argv)} …" if more else shlex.join(argv)
        case RuledEdit(path=path):
            return f"edit {path}"
        case RuledFetch(host=host):
            return f"fetch {host}"
    return f"{action.server}: {action.tool}" if action.server else action.tool


def as_new(rule: ApprovalRule) -> NewRule:
    """What a person wrote of it."""
    return NewRule(**{name: getattr(rule, name) for name in NewRule.__struct_fields__})


def checked(rule: NewRule) -> NewRule:
    """The rule with its folder in the plainest form. Raises `Invalid` for one that nobody can mean or that could never
    hold."""
    texts = [rule.agent or "-", rule.runtime or "-", rule.folder or "-", rule.note or "-", *_texts(rule.action)]
    if not all(text.isprintable() for text in texts):
        raise Invalid("A rule has no control characters and no invisible ones.", field="action")
    if not all(texts) or max(map(len, texts)) > LONGEST_WORD or len(rule.note) > LONGEST_NOTE:
        raise Invalid(f"A rule has no empty names, none above {LONGEST_WORD} characters.", field="action")
    if rule.expires_at is not None and rule.expires_at.tzinfo is None:
        raise Invalid("The time at which a rule ends needs a time zone.", field="expires_at")
    _check_action(rule)
    if rule.folder is None:
        return rule
    return msgspec.structs.replace(rule, folder="/".join(paths.check(rule.folder, field="folder")))


def _texts(action: AnyRuledAction) -> list[str]:
    """Those that may not be empty."""
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
            raise Invalid("A host is a name such as example.org, or *.example.org for all below it.", field="host")


def _check_argv(argv: tuple[str, ...], effect: Effect) -> None:
    if not 0 < len(argv) <= MOST_WORDS:
        raise Invalid(f"A command has one to {MOST_WORDS} words.", field="argv")
    if effect == "allow" and not argv[0].isascii():
        raise Invalid("An allowed program has a name in ASCII: other letters may look alike.", field="argv")
    if effect == "allow" and (doubt := doubt_of(argv)):
        raise Invalid(f"This cannot be allowed by a rule: the command {doubt}.", field="argv")
