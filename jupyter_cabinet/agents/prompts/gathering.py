"""Reads what an agent's prompt contains, as it is on disk now. Called by `briefing.py`. Writes nothing.

The caller passes in messages, tasks and goals. Blocks: call it off the loop.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec

from ...core.errors import CabinetError, Malformed, NotFound
from ...core.paths import open_below, places_of_page
from ...storage.filesystem import untrusted_files
from ..files import front_matter
from ..files.agent_folders import AgentFolders
from ..files.agent_reader import AgentFiles
from ..files.file_versions import PROTOCOL, USER
from ..files.persona import Persona
from ..files.safe_files import AGENTS, MAX_FILE_BYTES, MAX_MEMORY_BYTES
from ..memory import entries
from .heartbeat_prompt import FocusPage, Gathered, PromptMessage, PromptPlay, PromptTask

PLAYS = ".playbooks/plays"
MAX_SHARED_BYTES = 64 * 1024
MAX_PLAY_BYTES = 128 * 1024
PAGE_CHARACTERS = 500

Confirmed = Callable[[str, Mapping[str, Any], str], bool]  # arguments: a play's slug, its fields and its text


class FromElsewhere(msgspec.Struct, frozen=True, kw_only=True):
    """What the caller has read: messages newest first, open tasks, a line for each goal, and allowed recipients.

    `more_messages`: the number of unread messages that are not in `messages`.
    """

    messages: Sequence[PromptMessage] = ()
    more_messages: int = 0
    tasks: Sequence[PromptTask] = ()
    goals: Sequence[str] = ()
    recipients: Collection[str] = ()


def gather(
    root: Path,
    folders: AgentFolders,
    files: AgentFiles,
    *,
    more: FromElsewhere,
    play_is_confirmed: Confirmed = lambda slug, fields, body: True,
    protocol_hash: str | None = None,
) -> Gathered:
    """Return everything for the prompt of one agent. Parts that cannot be read are left out and named in `warnings`.

    `files`: the agent as `folders.read` returned it. The prompt uses this value, because the caller has checked that a
    person confirmed it, and the files may have changed since. `protocol_hash`: of the confirmed version of
    `PROTOCOL.md`, empty if there is none; None: every version counts as confirmed. Raises `Malformed` if the agent has
    an error.
    """
    slug = files.slug
    persona = _in_service(files)
    warnings: list[str] = []

    def remembered(name: str) -> str:
        return entries.untainted(_or_warning(lambda: _memory_file(folders, slug, name, warnings), warnings))

    return Gathered(
        slug=slug,
        name=persona.name,
        role=persona.role,
        body=persona.body,
        soul=files.texts.get("SOUL.md", ""),
        user=_or_warning(lambda: _shared(root, USER), warnings),
        protocol=_or_warning(lambda: _protocol(root, protocol_hash), warnings),
        tools=files.texts.get("TOOLS.md", ""),
        facts=remembered("MEMORY.md"),
        context=remembered("context.md"),
        decisions=remembered("decisions.md"),
        learnings=remembered("learnings.md"),
        messages=tuple(more.messages),
        more_messages=more.more_messages,
        pages=tuple(read_page(root, path) for path in persona.focus),
        plays=_plays(root, persona, play_is_confirmed, warnings),
        goals=tuple(more.goals),
        tasks=tuple(more.tasks),
        checklist=files.texts.get("HEARTBEAT.md", ""),
        recipients=tuple(sorted(set(more.recipients) - {slug})),
        warnings=tuple(warnings),
    )


def changed_since(root: Path, path: str, since: datetime | None) -> bool:
    """Return whether a page exists and was changed after a time. False if it cannot be read.

    `since` None: every existing page counts as changed.
    """
    for place in places_of_page(path):
        try:
            with os.fdopen(open_below(root, place), "rb") as file:
                changed = os.fstat(file.fileno()).st_mtime
        except (CabinetError, OSError):
            continue
        return since is None or changed > since.timestamp()
    return False


def read_page(root: Path, path: str) -> FocusPage:
    """Return the first 500 characters of a page: `<path>/index.md`, then `<path>.md`, then the file itself.

    If a page is missing, leads out of the root or is not text, the result has a note with the reason. Raises no error.
    """
    for place in places_of_page(path):
        try:
            with os.fdopen(open_below(root, place), "rb") as file:
                start = file.read(4 * PAGE_CHARACTERS + 4)
        except NotFound:
            continue
        except (CabinetError, OSError):
            return FocusPage(path=path, note="it cannot be read here")
        return _page(path, start)
    return FocusPage(path=path, note="there is no such page")


def _page(path: str, start: bytes) -> FocusPage:
    if b"\0" in start:
        return FocusPage(path=path, note="it is not a text")
    text = start.decode(errors="replace")
    if len(text) <= PAGE_CHARACTERS:
        return FocusPage(path=path, text=text)
    return FocusPage(path=path, text=text[:PAGE_CHARACTERS], note=f"its first {PAGE_CHARACTERS} characters")


def _in_service(files: AgentFiles) -> Persona:
    if files.persona is None:
        message = " ".join(error.message for error in files.errors)
        raise Malformed(message, errors=[msgspec.to_builtins(error) for error in files.errors])
    return files.persona


def _shared(root: Path, name: str) -> str:
    return _read(root, f"{AGENTS}/{name}", MAX_SHARED_BYTES)


def _protocol(root: Path, confirmed: str | None) -> str:
    """Return the rules of the team. Raises as `_read`, and `Malformed` if nobody has confirmed this version."""
    text = _shared(root, PROTOCOL)
    if confirmed is not None and text.strip() and protocol_hash_of(text.encode()) != confirmed:
        raise Malformed(f"{AGENTS}/{PROTOCOL} is left out: nobody has confirmed it as it is now.")
    return text


def protocol_hash_of(content: bytes) -> str:
    """Return the hash with which a person confirms a version of `PROTOCOL.md`."""
    return hashlib.sha256(content).hexdigest()


def _read(root: Path, place: str, limit: int) -> str:
    """Return the text of a file. Raises `NotFound`, and `Malformed` if it cannot be used."""
    try:
        content = untrusted_files.read(root / place, limit=limit, beneath=root)
    except FileNotFoundError:
        raise NotFound(f"There is no file {place}.") from None
    except OSError as error:
        raise Malformed(f"{place} cannot be read: {error.strerror}.") from None
    return content.decode(errors="replace")


def _memory_file(folders: AgentFolders, slug: str, name: str, warnings: list[str]) -> str:
    content = folders.read_file(slug, f"memory/{name}", limit=MAX_MEMORY_BYTES).content
    if len(content) > MAX_FILE_BYTES:
        warnings.append(
            f"{AGENTS}/{slug}/memory/{name} is larger than {MAX_FILE_BYTES >> 20} MiB, so that only agents can read it."
        )
    return content.decode(errors="replace")


def _or_warning(read: Callable[[], str], warnings: list[str]) -> str:
    try:
        return read()
    except NotFound:
        return ""
    except CabinetError as error:
        warnings.append(error.message)
        return ""


def _plays(root: Path, persona: Persona, is_confirmed: Confirmed, warnings: list[str]) -> tuple[PromptPlay, ...]:
    found = []
    for slug in persona.plays:
        try:
            fields, body = _play(root, slug)
        except CabinetError as error:
            warnings.append(error.message)
            continue
        if is_confirmed(slug, fields, body):
            title = fields.get("title") or fields.get("name")
            found.append(PromptPlay(slug=slug, title=title if isinstance(title, str) else slug, body=body))
        else:
            warnings.append(f"The play {slug} is left out: nobody has confirmed it as it is now.")
    return tuple(found)


def _play(root: Path, slug: str) -> tuple[dict[str, Any], str]:
    """Return the fields and the text of a play. `slug` must be checked already. Raises `NotFound`, `Malformed`."""
    place = f"{PLAYS}/{slug}.md"
    found = front_matter.read(_read(root, place, MAX_PLAY_BYTES), file=place)
    return found.fields, found.body
