"""Reads `SOUL.md` of an agent as it is, byte for byte. Blocks: call it off the loop."""

from __future__ import annotations

import msgspec

from ...core.errors import Malformed, NotFound
from ..files.agent_folders import AgentFolders
from .soul_rules import MAX_SOUL_BYTES

SOUL = "SOUL.md"


class SoulFile(msgspec.Struct, frozen=True):
    """The content of the file. `etag`: None if the agent has no such file; the text is empty then."""

    text: str
    etag: str | None


def soul_of(folders: AgentFolders, slug: str) -> SoulFile:
    """Return the soul of an agent.

    Raises `NotFound` if there is no such agent, and `Malformed` for a file that is a link, too large, or not UTF-8.
    """
    folders.read(slug)
    try:
        file = folders.read_file(slug, SOUL, limit=MAX_SOUL_BYTES)
    except NotFound:
        return SoulFile("", None)
    try:
        return SoulFile(file.content.decode(), file.etag)
    except UnicodeDecodeError:
        raise Malformed(f"{SOUL} is not UTF-8 text. Save it again in the agent's page.", file=SOUL) from None
