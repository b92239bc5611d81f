"""The values of the room, also the wire format."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

import msgspec

from ..core.events import Event

# pending: nobody has decided. changed: a person has approved other files. rejected: a person does not want these files.
# invalid: it cannot be read as a skill, so nobody can approve it.
SkillState = Literal["pending", "approved", "changed", "rejected", "invalid"]
FileChange = Literal["same", "added", "changed", "removed"]


class SkillView(msgspec.Struct, frozen=True, kw_only=True):
    """One skill in a list. `hash`: of all its files; empty if they cannot be read.

    `problems`: sentences about what is wrong with it. `agents`: slugs of the agents that list it, of those that the
    caller may see. `source`: where it came from, as a phrase; not checked, because the folder says it.
    """

    name: str
    description: str
    state: SkillState
    hash: str
    files: int
    size: int  # bytes of all files
    has_scripts: bool
    agents: tuple[str, ...] = ()
    source: str = ""
    approved_by: str = ""  # user name, if a version was approved
    problems: tuple[str, ...] = ()


class WaitingSkill(msgspec.Struct, frozen=True, kw_only=True):
    """A skill that waits for a person. `source`: as in `SkillView`. `since`: when one of its files was changed last."""

    name: str
    source: str
    changed: bool  # other files of it were approved before
    since: datetime


class SkillFileView(msgspec.Struct, frozen=True, kw_only=True):
    """One file of a skill beside the approved version.

    `text`: invisible characters are made visible; None: it is not text. `before`: the approved text, if it differs.
    `cut`: `text` or `before` is only the beginning.
    """

    path: str
    size: int
    script: bool  # agents get it only in isolated runs
    change: FileChange
    text: str | None = None
    before: str | None = None
    cut: bool = False


class SkillDetail(SkillView, frozen=True, kw_only=True):
    """One skill with all its files. `file`: of its instructions, relative to the server's root.

    `unseen`: the paths of files that `contents` does not show whole: large ones, and what is not text.
    `hidden_characters`: how many invisible characters its texts contain; an honest skill rarely has any.
    """

    file: str
    contents: tuple[SkillFileView, ...] = ()
    unseen: tuple[str, ...] = ()
    hidden_characters: int = 0


class NewSkill(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Body of `POST skills`. Either `description` and `instructions`, or `folder`, or `archive`.

    `folder`: below the server's root, copied as it is. `archive`: a zip file in Base64. In both, SKILL.md names the
    skill. `name`: only with a description.
    """

    name: str = ""
    description: str = ""
    instructions: str = ""
    folder: str = ""
    archive: str = ""


class SkillText(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Body of `PUT skills/{name}`: the new SKILL.md. `hash`: of the version that the caller has seen."""

    text: str
    hash: str


class SkillDecision(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Body of `POST skills/{name}/decision`. `hash`: of the version that the caller has seen.

    `unseen`: the paths of the files that the person approves without having seen them whole (`SkillDetail.unseen`).
    """

    hash: str
    decision: Literal["approve", "reject"]
    unseen: tuple[str, ...] = ()


class SkillsChanged(Event, frozen=True, kw_only=True, tag="skills_changed"):
    """Event: a skill was added, changed, approved, rejected or removed here. Clients fetch the list again."""

    resource = "cabinet-agents"

    skill: str
    at: datetime
