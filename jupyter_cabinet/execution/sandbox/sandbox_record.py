"""What an isolated run could see, change and reach, and what it has reached: a file in the run's folder, for people."""

from __future__ import annotations

import logging
import os
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import msgspec

from ...core.errors import NotFound
from ...core.plain_text import one_line
from ...sandboxes.egress.host_rules import Egress
from ...sandboxes.mounts import always_read
from ...sandboxes.view import Limits, SandboxView
from ...storage.filesystem import files, untrusted_files

log = logging.getLogger(__name__)

FILE = "sandbox.json"
MAX_BYTES = 1_000_000
NOT_ISOLATED = "This run was not isolated, or what it could see is not kept."


class SandboxRecord(msgspec.Struct, frozen=True, kw_only=True):
    """All paths are absolute, with invisible characters made visible.

    At the same path, the later of these fields counts more. A deeper path counts more than one above it.
    """

    folder: str  # where it worked
    read: tuple[str, ...]
    changed: tuple[str, ...]  # could be changed
    fixed: tuple[str, ...]  # could not be changed, nor created if they did not exist
    hidden: tuple[str, ...]  # looked empty
    temporary: tuple[str, ...]  # empty at first; what was written there is lost
    copied: tuple[str, ...]  # the run had copies, and its changes to them are lost
    every_public_host: bool
    hosts: tuple[str, ...]  # `host`, `host:port` or `*.example.com`
    limits: Limits
    reached: dict[str, int] = {}  # connections that were made, by `host:port`; counted when the run ends
    refused: dict[str, int] = {}


def record_of(view: SandboxView, egress: Egress) -> SandboxRecord:
    """Return the record of a run that has not reached anything yet. Reads the disk."""
    visible = (*always_read(view), *view.read)
    return SandboxRecord(
        folder=one_line(view.folder),
        read=_shown(path for path in dict.fromkeys(visible) if os.path.lexists(path)),
        changed=_shown(view.write),
        fixed=_shown(view.fixed),
        hidden=_shown(view.hidden),
        temporary=_shown(view.private),
        copied=_shown(view.copied),
        every_public_host=egress.mode == "open",
        hosts=tuple(sorted({*egress.hosts, *egress.local})),
        limits=view.limits,
    )


def _shown(paths: Iterable[str]) -> tuple[str, ...]:
    """Return paths as people can read them; agents choose the names of files."""
    return tuple(map(one_line, paths))


def with_connections(record: SandboxRecord, reached: Counter[str], refused: Counter[str]) -> SandboxRecord:
    """Return the record with the connections of a run by `host:port`, the most frequent first.

    Replaces earlier ones.
    """
    return msgspec.structs.replace(record, reached=dict(reached.most_common()), refused=dict(refused.most_common()))


def save(record: SandboxRecord, folder: Path) -> None:
    """Write the record into the folder of a run. A full disk costs the record, never the run. Blocks."""
    try:
        files.replace(folder / FILE, msgspec.json.encode(record))
    except OSError as error:
        log.error("What an isolated run could see is not recorded: %s", error)


def load(folder: Path, *, beneath: Path) -> SandboxRecord:
    """Return the record of a run. Blocks.

    Raises `NotFound` if there is none, or if it is damaged or larger than 1 MB.
    """
    try:
        return msgspec.json.decode(
            untrusted_files.read_start(folder / FILE, limit=MAX_BYTES, beneath=beneath), type=SandboxRecord
        )
    except (OSError, msgspec.DecodeError):
        raise NotFound(NOT_ISOLATED) from None
