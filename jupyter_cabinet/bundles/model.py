"""The room's wire format: requests for imports, and what an exported agent would bring."""

from __future__ import annotations

from typing import Literal

import msgspec

from ..agents.files.powers import Difference
from ..core.people import Visibility
from ..plays.triggers import AnyTrigger

# new: it would be added, and waits for approval. same: exactly this skill is here already. other: another skill of this
# name is here, which stays. here: it is not in the file, but on this server. missing: it is nowhere.
SkillArrivalState = Literal["new", "same", "other", "here", "missing"]
# none: it is not in the file. new: there is none here yet. same: it is equal. other: another one is here, which stays.
UserFileState = Literal["none", "new", "same", "other"]


class ExportChoice(msgspec.Struct, frozen=True, kw_only=True):
    """What an export includes beside the agent itself. `user`: the file about people that all agents share."""

    memory: bool = False
    user: bool = False


class UploadedAgent(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Body of `POST agent-bundles`. `archive`: the file of an exported agent, in Base64."""

    archive: str


class ImportAgent(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Body of `POST agent-bundles/import`. `archive`: the file of an exported agent, in Base64.

    `slug`: of the new agent; empty: the one of the file, with a number if it is taken. `user`: whether `USER.md` is
    added if there is none here; only administrators may do that, because every agent receives it.
    """

    archive: str
    slug: str = ""
    user: bool = False
    # None: `server` if everybody has one token, else `private`
    visibility: Visibility | None = None


class ArrivingSkill(msgspec.Struct, frozen=True, kw_only=True):
    """A skill that the agent lists, or that comes along. `files`: how many come along."""

    name: str
    state: SkillArrivalState
    description: str = ""
    files: int = 0
    has_scripts: bool = False


class ArrivingPlay(msgspec.Struct, frozen=True, kw_only=True):
    """A play that comes along. `new_slug`: its slug here, because another play may have its own."""

    slug: str
    new_slug: str
    title: str
    schedule: str = ""
    triggers: tuple[AnyTrigger, ...] = ()


class ArrivingToolServer(msgspec.Struct, frozen=True, kw_only=True):
    """A tool server that the agent lists. It never comes along. `known`: whether the caller has one of this name."""

    name: str
    known: bool


class ArrivingText(msgspec.Struct, frozen=True, kw_only=True):
    """One file. `text`: invisible characters are made visible; None: it is not text, or there is too much of it.

    `cut`: `text` is only the beginning.
    """

    path: str
    size: int
    text: str | None = None
    cut: bool = False


class ArrivingAgent(msgspec.Struct, frozen=True, kw_only=True):
    """What an exported agent would bring, before anything is written.

    `slug`: where it was exported; `new_slug`: the one that it would get here. `cabinet`: the version that has exported
    it. `powers`: what a person would have to confirm. `schedule`: in words; empty: it has none. `memory`: the number of
    files of its memory. `may_add_user`: whether the caller may add `USER.md`. `notes`: sentences about what is missing
    here, unusual in its texts, or to be read with care.
    """

    slug: str
    new_slug: str
    name: str
    role: str
    emoji: str
    cabinet: str
    runtime: str | None
    schedule: str
    powers: tuple[Difference, ...] = ()
    skills: tuple[ArrivingSkill, ...] = ()
    plays: tuple[ArrivingPlay, ...] = ()
    tool_servers: tuple[ArrivingToolServer, ...] = ()
    memory: int = 0
    user: UserFileState = "none"
    may_add_user: bool = False
    files: tuple[ArrivingText, ...] = ()
    notes: tuple[str, ...] = ()
