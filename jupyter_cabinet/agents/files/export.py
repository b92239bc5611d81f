"""Exports an agent's folder as a zip file. Reads through `AgentFolders`, which skips links. Blocks."""

from __future__ import annotations

import io
import zipfile
from contextlib import suppress
from datetime import UTC, datetime

from ...core.errors import Invalid, NotFound
from .agent_folders import AgentFolders
from .safe_files import AGENTS, MAX_LISTED

MAX_EXPORT_BYTES = 64 * 2**20  # total size before compression
EARLIEST_ZIP_TIME = datetime(1980, 1, 1, tzinfo=UTC).timestamp()  # the format cannot store an earlier time


def export(folders: AgentFolders, slug: str) -> bytes:
    """Return a zip file with all files of the agent's folder, below `<slug>/`.

    Inbox and history are in other folders and are not included. Raises `NotFound`, `Invalid` if the files are too many
    or too large, and `Malformed` for a file that cannot be read.
    """
    found = {info.path: info for info in folders.list_files(slug)}
    if len(found) >= MAX_LISTED or sum(info.size for info in found.values()) > MAX_EXPORT_BYTES:
        raise _too_large(slug)
    content, left = io.BytesIO(), MAX_EXPORT_BYTES
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, info in sorted(found.items()):
            with suppress(NotFound):  # it was removed in the meantime
                file = folders.read_file(slug, path, limit=MAX_EXPORT_BYTES)
                left -= len(file.content)
                if left < 0:  # the files have grown in the meantime
                    raise _too_large(slug)
                archive.writestr(_entry(f"{slug}/{path}", info.modified), file.content)
    return content.getvalue()


def _entry(path: str, modified: float) -> zipfile.ZipInfo:
    at = datetime.fromtimestamp(max(modified, EARLIEST_ZIP_TIME), UTC)
    entry = zipfile.ZipInfo(path, (at.year, at.month, at.day, at.hour, at.minute, at.second))
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = 0o644 << 16
    return entry


def _too_large(slug: str) -> Invalid:
    return Invalid(
        f"The folder of this agent is too large to export: at most {MAX_LISTED:,} files and "
        f"{MAX_EXPORT_BYTES // 2**20} MiB are exported. Copy {AGENTS}/{slug}/ instead, or remove what it does not need."
    )
