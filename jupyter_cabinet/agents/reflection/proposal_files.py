"""Proposed souls on disk, outside the root: no agent in a sandbox and no clone of the folder contains them.

What is read is not trusted: a proposal is checked again against the rules before a person accepts it, and its hash is
calculated from its text. Everything but `is_pending` blocks: call it off the
loop.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import os
from datetime import datetime
from pathlib import Path

import msgspec

from ...core.slugs import is_slug
from ...storage.filesystem import files, untrusted_files
from ...storage.filesystem.private_folders import private_folder
from ..files.safe_files import etag_of

MAX_BYTES = 1 << 20

log = logging.getLogger(__name__)


class Proposal(msgspec.Struct, frozen=True, kw_only=True):
    """A proposed soul. `base`: the etag of the soul that it was made for; None: the agent had none."""

    run_id: str
    at: datetime
    text: str
    base: str | None

    @property
    def hash(self) -> str:
        """The SHA-256 of the text, as 64 hexadecimal digits."""
        return etag_of(self.text.encode(errors="replace"))


class ProposalFiles:
    """At most one proposal for each agent of a root. `data`: the folder for what is outside the root."""

    def __init__(self, *, root: Path, data: Path) -> None:
        self._folder = data / "proposals" / hashlib.sha256(os.fsencode(root.resolve())).hexdigest()[:32]

    def load(self, slug: str) -> Proposal | None:
        """Return the proposal of an agent; None if there is none, or its file is damaged or a link."""
        path = self._path(slug)
        try:
            content = untrusted_files.read(path, limit=MAX_BYTES, beneath=self._folder)
            proposal = msgspec.json.decode(content, type=Proposal)
        except FileNotFoundError:
            return None
        except (OSError, msgspec.MsgspecError, UnicodeError, RecursionError) as error:
            log.warning("The proposal in %s is ignored: %s", path, error)
            return None
        return proposal

    def load_all(self) -> dict[str, Proposal]:
        """Return all proposals by the slug of their agent, also of agents that do not exist any more."""
        try:
            names = sorted(path.stem for path in self._folder.iterdir() if path.suffix == ".json")
        except FileNotFoundError:
            return {}
        found = {slug: self.load(slug) for slug in names if is_slug(slug)}
        return {slug: proposal for slug, proposal in found.items() if proposal is not None}

    async def is_pending(self, slug: str) -> bool:
        """Return whether a proposal of this agent waits for a person."""
        return await asyncio.to_thread(self.load, slug) is not None

    def save(self, slug: str, proposal: Proposal) -> None:
        """Create or replace the proposal of an agent. Raises `OSError`, `Unavailable`."""
        private_folder(self._folder.parent)
        private_folder(self._folder)
        files.replace(self._path(slug), msgspec.json.encode(proposal))

    def remove(self, slug: str) -> None:
        """Remove the proposal of an agent, if there is one. Raises `OSError`."""
        self._path(slug).unlink(missing_ok=True)

    def _path(self, slug: str) -> Path:
        assert is_slug(slug), "the caller has found this agent"
        return self._folder / f"{slug}.json"
