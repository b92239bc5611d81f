"""Reads what a program or a command imports: the file of an exported agent, or a folder of another system.

A folder is read as the server reads its own: no links, within limits, and only what an agent may use.
"""

from __future__ import annotations

from base64 import b64encode
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from ..bundles.model import ArrivingAgent, ConvertedFile

if TYPE_CHECKING:
    from ..bundles.foreign.source import Source

MAIN_FILE = "SKILL.md"
TOP = "agent"  # the folder in the zip file if the folder's own name cannot be used


class AgentArchive(NamedTuple):
    """What is sent to the server. `encoded`: in Base64. `agent`: which one the server chooses; of a folder, only the
    chosen one is in it. `left`: rows for what was not read on this machine.
    """

    encoded: str
    agent: str = ""
    left: tuple[ConvertedFile, ...] = ()

    @property
    def body(self) -> dict[str, str]:
        """The fields of a request."""
        return {"archive": self.encoded, "agent": self.agent}

    def completed(self, seen: ArrivingAgent) -> ArrivingAgent:
        """Return what the server says, with the rows of this machine."""
        return msgspec.structs.replace(seen, converted=(*seen.converted, *self.left))


def archive_of(path: str | Path, agent: str) -> AgentArchive:
    """Read a file or a folder of this machine. `agent`: which one, if an orchestrator's folder contains several.

    A file is read as it is; the server checks it. Of a folder, files that cannot be used are left out and are in
    `left`. Raises `core.errors.Invalid` for a folder that is not accepted, and `OSError`. It blocks.
    """
    if not Path(path).is_dir():
        return AgentArchive(b64encode(Path(path).read_bytes()).decode(), agent)
    from ..bundles.foreign.source import AGENTS, INCOMPLETE, from_folder
    from ..storage.filesystem.zip_archives import ZippedFile, write_zip

    folder = Path(path).resolve()
    is_agent = folder.parent.name == AGENTS  # so that what lies around it is read, too
    beneath = folder.parent.parent if is_agent else folder
    source = from_folder(beneath, folder.relative_to(beneath).parts, agent)
    top, incomplete = _top(source), _incomplete_skills(source)
    files = (
        ZippedFile(path=f"{top}/{file.path}", content=file.content, executable=file.executable)
        for file in source.files.values()
        if not file.path.startswith(incomplete)
    )
    unread = {**source.unread, **dict.fromkeys(incomplete, INCOMPLETE)}
    left = (ConvertedFile(path=place, note=why) for place, why in sorted(unread.items()))
    return AgentArchive(b64encode(write_zip(files)).decode(), left=tuple(left))


def _incomplete_skills(source: Source) -> tuple[str, ...]:
    """Return the folders of skills of which a part was not read. The server cannot see that, so they are not sent."""
    skills = [path.removesuffix(MAIN_FILE) for path in source.files if path.endswith(f"/{MAIN_FILE}")]
    return tuple(each for each in skills if any(path.startswith(each) for path in source.unread))


def _top(source: Source) -> str:
    taken = {path.partition("/")[0] for path in source.files}
    usable = source.name.isprintable() and 0 < len(source.name) <= 64 and not set(source.name) & {"/", "\\"}
    return source.name if usable and source.name not in ("agents", ".", "..", *taken) else TOP
