"""The triggers that start plays: their types, which event fires which of them, and the limit on chains. Pure.

`play.py` reads them from front matter, `starters/starter.py` acts on them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any, Literal

import msgspec

from ..runs.model import MAX_DEPTH
from ..runs.rules.trigger_chain import PLAY_LINK
from ..sandboxes.view import PLACE_NAMES

DEBOUNCE = timedelta(seconds=30)
WILDCARDS = frozenset("*?")

CompletionStatus = Literal["succeeded", "failed"]
# A run that a person stopped, or that never started, counts as neither.
STATUS_OF_STATE: dict[str, CompletionStatus] = {
    "succeeded": "succeeded",
    "failed": "failed",
    "timed_out": "failed",
    "interrupted": "failed",
}


class Manual(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="manual"):
    """A person or a program starts the play."""


class Scheduled(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="schedule"):
    """The play's `schedule` is due."""


class OnComplete(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="on_complete"):
    """A run of another play has ended with this status. `play`: its slug; None: any other play."""

    play: str | None = None
    status: CompletionStatus = "succeeded"


class GoalBehind(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="goal_behind"):
    """A goal is behind the value expected by now. `metric`: None for any goal.

    `agent`: the owner of the goal; None: the agent that carries out the play.
    """

    metric: str | None = None
    agent: str | None = None


class FileChanged(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="file_changed"):
    """A file below the root has changed.

    `path`: a glob relative to the root, in which `**` matches any folders. Without wildcards, it is a prefix of the
    path.
    """

    path: str


class Webhook(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="webhook"):
    """A signed request was received from outside."""


class AgentMessage(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="agent_message"):
    """A message was received. `agent`: its recipient; None: the agent that carries out the play."""

    agent: str | None = None


class Startup(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="startup"):
    """The server has started."""


class AgentStarted(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="agent_started"):
    """A run of an agent has begun. `agent`: None for the agent that carries out the play."""

    agent: str | None = None


class AgentStopped(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="agent_stopped"):
    """A run of an agent has ended, in whatever way. `agent`: None for the agent that carries out the play."""

    agent: str | None = None


AgentEvent = Literal["started", "stopped"]
AnyTrigger = (
    Manual
    | Scheduled
    | OnComplete
    | GoalBehind
    | FileChanged
    | Webhook
    | AgentMessage
    | Startup
    | AgentStarted
    | AgentStopped
)
TYPES = (
    "manual",
    "schedule",
    "on_complete",
    "goal_behind",
    "file_changed",
    "webhook",
    "agent_message",
    "startup",
    "agent_started",
    "agent_stopped",
)


def key_of(trigger: AnyTrigger) -> str:
    """Return a key for the trigger, of at most 200 characters.

    The same key does not start a play twice within `DEBOUNCE`.
    """
    fields: dict[str, Any] = msgspec.structs.asdict(trigger)
    said = [str(value) for value in fields.values() if value is not None]
    return ":".join([str(trigger.__struct_config__.tag), *said])[:200]


def on_complete(triggers: Iterable[AnyTrigger], own: str, play: str, status: CompletionStatus) -> OnComplete | None:
    """Return the trigger of the play `own` that fires when a run of `play` has ended with this status, if any."""
    found = (each for each in triggers if isinstance(each, OnComplete) and each.status == status)
    return next((each for each in found if each.play == play or (each.play is None and own != play)), None)


def on_message(triggers: Iterable[AnyTrigger], carrier: str | None, recipient: str) -> AgentMessage | None:
    """Return the trigger that fires for a message to `recipient`, if any.

    `carrier`: the agent that carries out the play.
    """
    found = (each for each in triggers if isinstance(each, AgentMessage))
    return next((each for each in found if (each.agent or carrier) == recipient), None)


def on_agent_event(
    triggers: Iterable[AnyTrigger], carrier: str | None, agent: str, event: AgentEvent
) -> AgentStarted | AgentStopped | None:
    """Return the trigger that fires when a run of an agent has begun or ended, if any. `carrier`: see `on_message`."""
    kind: type[AgentStarted] | type[AgentStopped] = AgentStarted if event == "started" else AgentStopped
    found = (each for each in triggers if isinstance(each, kind))
    return next((each for each in found if (each.agent or carrier) == agent), None)


def is_caused_by(chain: Iterable[str], plays: Iterable[str]) -> bool:
    """Return whether one of these plays, given as slugs, is in a chain."""
    return not {f"{PLAY_LINK}{slug}" for slug in plays}.isdisjoint(chain)


def on_file(triggers: Iterable[AnyTrigger], path: str) -> FileChanged | None:
    """Return the trigger that fires for a changed file, if any. `path`: relative to the root."""
    found = (each for each in triggers if isinstance(each, FileChanged))
    return next((each for each in found if matches(each.path, path)), None)


def chain_refusal(slug: str, chain: Sequence[str]) -> str:
    """Return why a play is not started after this chain, as a sentence; empty if it may be started."""
    if f"{PLAY_LINK}{slug}" in chain:
        way = " → ".join([*(link.removeprefix(PLAY_LINK) for link in chain), slug])
        return f"It would start itself again: {way}."
    if len(chain) + 1 > MAX_DEPTH:
        return f"A chain of more than {MAX_DEPTH} runs that lead to each other ends here."
    return ""


def is_too_soon(last: datetime | None, now: datetime) -> bool:
    """Return whether the trigger fired less than `DEBOUNCE` ago. A `last` in the future is ignored."""
    return last is not None and timedelta(0) <= now - last < DEBOUNCE


# --- paths -----------------------------------------------------------------------------------


def matches(glob: str, path: str) -> bool:
    """Return whether a path matches: `*` and `?` match within a name, `**/` matches any number of folders, including
    none.

    Without wildcards, the glob is a prefix, as in other installations: `reports/` matches everything below that folder.
    """
    if not set(glob) & WILDCARDS:
        return path.startswith(glob)
    return _expression(glob).fullmatch(path) is not None


def fixed_folder(glob: str) -> str:
    """Return the deepest folder that contains all possible matches, without a slash at its end; empty for the root."""
    parts = glob.split("/")[:-1]
    fixed = next((index for index, part in enumerate(parts) if set(part) & WILDCARDS), len(parts))
    return "/".join(parts[:fixed])


def is_watched(path: str) -> bool:
    """Return whether a change of this file may fire a trigger. `path`: relative to the root.

    Files of the server, of version control, and those that exist for a while because a run is isolated may not. In the
    folder of agents, only files in the agents' workspaces may.
    """
    first, _, rest = path.partition("/")
    if first == ".agents":
        _agent, _, inner = rest.partition("/")
        return inner.startswith("workspace/")
    return first != ".cabinet" and not ({".git"} | PLACE_NAMES) & set(path.split("/"))


def _expression(glob: str) -> re.Pattern[str]:
    pattern = ""
    for token in re.findall(r"\*\*/|\*\*|\*|\?|[^*?]+", glob):
        pattern += _TOKENS.get(token) or re.escape(token)
    return re.compile(pattern, re.DOTALL)


_TOKENS = {"**/": r"(?:[^/]+/)*", "**": r".*", "*": r"[^/]*", "?": r"[^/]"}
