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

# cabinet: exported by Cabinet. gateway: the configuration of a gateway for chats. orchestrator: an agent of one.
ForeignSystem = Literal["gateway", "orchestrator"]
ArrivingSystem = Literal["cabinet", "gateway", "orchestrator"]


class ExportChoice(msgspec.Struct, frozen=True, kw_only=True):
    """What an export includes beside the agent itself. `user`: the file about people that all agents share."""

    memory: bool = False
    user: bool = False


class UploadedAgent(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Body of `POST agent-bundles`. Either `archive` or `folder`.

    `archive`: the file of an exported agent, or a zip file of the folder of another system, in Base64. `folder`: such a
    folder, a path below the server's root. `agent`: which one, if an orchestrator's folder contains several.
    """

    archive: str = ""
    folder: str = ""
    agent: str = ""


class ImportAgent(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Body of `POST agent-bundles/import`. `archive`, `folder`, `agent`: as in `UploadedAgent`.

    `hash`: of the agent that the person has seen; empty: whatever is there now. `slug`: of the new agent; empty: the
    one of the file, with a number if it is taken. `user`: whether `USER.md` is added if there is
    none here; only administrators may do that, because every agent receives it.
    """

    archive: str = ""
    folder: str = ""
    agent: str = ""
    hash: str = ""
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


class ConvertedFile(msgspec.Struct, frozen=True, kw_only=True):
    """What a file of another system, a folder or a part of a file becomes. `path`: safe to show.

    `becomes`: a file or a thing here; empty: it is left out. `note`: why, or what to know about it.
    """

    path: str
    becomes: str = ""
    note: str = ""


class ArrivingAgent(msgspec.Struct, frozen=True, kw_only=True):
    """What an exported agent would bring, before anything is written.

    `slug`: where it was exported; `new_slug`: the one that it would get here. `cabinet`: the version that has exported
    it; empty: another system has written it. `system`: which one it seems to be, and `converted` what each of its files
    becomes. `hash`: of all that would be imported, for `ImportAgent`. `powers`: what a person would have to confirm.
    `schedule`: in words; empty: it has none. `memory`: the number of files of its memory. `may_add_user`:
    whether the caller may add `USER.md`. `notes`: sentences about what is missing here, unusual in its texts, or to be
    read with care.
    """

    slug: str
    new_slug: str
    name: str
    role: str
    emoji: str
    cabinet: str
    runtime: str | None
    schedule: str
    hash: str
    system: ArrivingSystem = "cabinet"
    converted: tuple[ConvertedFile, ...] = ()
    powers: tuple[Difference, ...] = ()
    skills: tuple[ArrivingSkill, ...] = ()
    plays: tuple[ArrivingPlay, ...] = ()
    tool_servers: tuple[ArrivingToolServer, ...] = ()
    memory: int = 0
    user: UserFileState = "none"
    may_add_user: bool = False
    files: tuple[ArrivingText, ...] = ()
    notes: tuple[str, ...] = ()
