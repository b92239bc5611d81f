"""What starts a play besides a person: its triggers, which of them something that happened fires, and when a chain of
plays stops. Pure. `play.py` reads them from front matter, `starter.py` acts on them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any, Literal

import msgspec

from ..runs.model import MAX_DEPTH
from ..runs.rules.trigger_chain import PLAY_LINK

DEBOUNCE = timedelta(seconds=30)
WILDCARDS = frozenset("*?")

CompletionStatus = Literal["succeeded", "failed"]
# A run that was stopped by a person, or never started, is neither.
STATUS_OF_STATE: dict[str, CompletionStatus] = {
    "succeeded": "succeeded",
    "failed": "failed",
    "timed_out": "failed",
    "interrupted": "failed",
}


class Manual(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="manual"):
    """A person or a program starts it."""


class Scheduled(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="schedule"):
    """Its `schedule` is due."""


class OnComplete(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="on_complete"):
    """A run of another play has ended like this. `play` None: of any other one."""

    play: str | None = None
    status: CompletionStatus = "succeeded"


class GoalBehind(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="goal_behind"):
    """A goal has less than is to be expected by now. `metric` None: any goal. `agent` None: of the agent that carries
    the play out."""

    metric: str | None = None
    agent: str | None = None


class FileChanged(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="file_changed"):
    """A file below the root has changed. `path`: a glob relative to the root, in which `**` stands for any folders, or
    without wildcards the beginning of its path."""

    path: str


class Webhook(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="webhook"):
    """A signed request has come from outside."""


class AgentMessage(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="agent_message"):
    """A message has come. `agent`: into whose inbox; None: of the agent that carries the play out."""

    agent: str | None = None


AnyTrigger = Manual | Scheduled | OnComplete | GoalBehind | FileChanged | Webhook | AgentMessage
TYPES = ("manual", "schedule", "on_complete", "goal_behind", "file_changed", "webhook", "agent_message")


def key_of(trigger: AnyTrigger) -> str:
    """What names it among the triggers of its play; the same trigger does not fire twice within `DEBOUNCE`."""
    fields: dict[str, Any] = msgspec.structs.asdict(trigger)
    said = [str(value) for value in fields.values() if value is not None]
    return ":".join([str(trigger.__struct_config__.tag), *said])[:200]


def on_complete(triggers: Iterable[AnyTrigger], own: str, play: str, status: CompletionStatus) -> OnComplete | None:
    """The trigger of the play `own` that fires when a run of `play` has ended like this."""
    found = (each for each in triggers if isinstance(each, OnComplete) and each.status == status)
    return next((each for each in found if each.play == play or (each.play is None and own != play)), None)


def on_message(triggers: Iterable[AnyTrigger], carrier: str | None, recipient: str) -> AgentMessage | None:
    """The trigger that fires for a message to `recipient`. `carrier`: the agent that carries the play out."""
    found = (each for each in triggers if isinstance(each, AgentMessage))
    return next((each for each in found if (each.agent or carrier) == recipient), None)


def on_file(triggers: Iterable[AnyTrigger], path: str) -> FileChanged | None:
    """The trigger that fires for a changed file. `path`: relative to the root."""
    found = (each for each in triggers if isinstance(each, FileChanged))
    return next((each for each in found if matches(each.path, path)), None)


def chain_refusal(slug: str, chain: Sequence[str]) -> str:
    """Why a play is not started after these links, as a sentence; empty: it may be."""
    if f"{PLAY_LINK}{slug}" in chain:
        way = " → ".join([*(link.removeprefix(PLAY_LINK) for link in chain), slug])
        return f"It would start itself again: {way}."
    if len(chain) + 1 > MAX_DEPTH:
        return f"A chain of more than {MAX_DEPTH} runs that lead to each other ends here."
    return ""


def is_too_soon(last: datetime | None, now: datetime) -> bool:
    """Whether the same trigger has fired a moment ago. A clock that was set back does not silence it."""
    return last is not None and timedelta(0) <= now - last < DEBOUNCE


# --- paths -----------------------------------------------------------------------------------


def matches(glob: str, path: str) -> bool:
    """Whether a path fits: `*` and `?` stay within a name, `**/` stands for any number of folders, none too. Without
    them it is a prefix, as in other installations: `reports/` fits all below that folder."""
    if not set(glob) & WILDCARDS:
        return path.startswith(glob)
    return _expression(glob).fullmatch(path) is not None


def fixed_folder(glob: str) -> str:
    """The folder below which everything lies that can fit; empty for the root."""
    parts = glob.split("/")[:-1]
    fixed = next((index for index, part in enumerate(parts) if set(part) & WILDCARDS), len(parts))
    return "/".join(parts[:fixed])


def is_watched(path: str) -> bool:
    """Whether a change of this file may fire anything: not what the server itself writes, nor version control."""
    first, _, rest = path.partition("/")
    if first == ".agents":
        _agent, _, inner = rest.partition("/")
        return inner.startswith("workspace/")
    return first not in (".cabinet", ".playbooks") and ".git" not in path.split("/")


def _expression(glob: str) -> re.Pattern[str]:
    pattern = ""
    for token in re.findall(r"\*\*/|\*\*|\*|\?|[^*?]+", glob):
        pattern += _TOKENS.get(token) or re.escape(token)
    return re.compile(pattern, re.DOTALL)


_TOKENS = {"**/": r"(?:[^/]+/)*", "**": r".*", "*": r"[^/]*", "?": r"[^/]"}
