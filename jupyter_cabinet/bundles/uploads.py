"""Reads what a person wants to import: an exported agent, or a folder of another system, as a zip file or on the disk.

Everything becomes a bundle, which is checked in the same way whoever has written it. Blocks: call it off the loop.
"""

from __future__ import annotations

import hashlib
from base64 import b64decode
from collections.abc import Mapping
from pathlib import Path

import msgspec

from ..agents.files.file_versions import EarlierText
from ..agents.files.safe_files import AGENTS
from ..core.errors import Invalid, OutsideRoot
from ..core.paths import check
from ..runs.rules.trigger_chain import PLAYBOOKS
from ..storage.filesystem.zip_archives import read_zip, refused
from .archive import LIMITS, MANIFEST, MAX_BUNDLE_BYTES, Bundle, bundle_of, packed, unpacked
from .foreign.conversion import Converted
from .foreign.recognition import converted
from .foreign.source import from_archive, from_folder
from .model import ArrivingSystem, ConvertedFile

EITHER = "Give either an archive or a folder."
OF_THIS_SERVER = "The agents of this server are in it. Name the folder of another system, elsewhere below the root."


class Uploaded(msgspec.Struct, frozen=True, kw_only=True):
    """A checked bundle. `hash`: of all that comes along. `rows`, `versions`: as in `Converted`."""

    bundle: Bundle
    hash: str
    system: ArrivingSystem = "cabinet"
    rows: tuple[ConvertedFile, ...] = ()
    versions: Mapping[str, tuple[EarlierText, ...]] = {}


def read_upload(root: Path, *, archive: str, folder: str, agent: str) -> Uploaded:
    """Read what a request names, and check it; its fields are those of `UploadedAgent`. Writes nothing.

    Raises `Invalid` unless exactly one of archive and folder is given, and for what cannot be imported; `OutsideRoot`
    for a folder outside the root, and for the folders of this server's own agents and plays.
    """
    if bool(archive) == bool(folder):
        raise Invalid(EITHER, field="archive")
    return _from_folder(root, folder, agent) if folder else _from_archive(archive, agent)


def _from_archive(archive: str, agent: str) -> Uploaded:
    try:
        content = b64decode(archive, validate=True)
    except ValueError as error:
        raise refused("it is not a zip file that can be read") from error
    files = read_zip(content, LIMITS)
    if MANIFEST in files:
        return Uploaded(bundle=bundle_of(files), hash=hashlib.sha256(content).hexdigest())
    return _checked(converted(from_archive(files, agent), "archive"))


def _from_folder(root: Path, folder: str, agent: str) -> Uploaded:
    parts = check(folder, field="folder")
    if parts[0].casefold() in (AGENTS, PLAYBOOKS):  # also because some agents in it are private
        raise OutsideRoot(OF_THIS_SERVER, field="folder")
    return _checked(converted(from_folder(root.resolve(), parts, agent), "folder"))


def _checked(made: Converted) -> Uploaded:
    """Return a converted agent as if Cabinet had exported it, so that no other rules apply to it."""
    if sum(map(len, made.bundle.agent.values())) > MAX_BUNDLE_BYTES:
        raise refused(f"its files are larger than {MAX_BUNDLE_BYTES // 2**20} MiB")
    content = packed(made.bundle)
    earlier = msgspec.json.encode(made.versions, order="deterministic")
    return Uploaded(
        bundle=unpacked(content),
        hash=hashlib.sha256(content + earlier).hexdigest(),
        system=made.system,
        rows=made.rows,
        versions=made.versions,
    )
