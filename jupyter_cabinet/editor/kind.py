"""Runs of kind `editor`: an instruction about one document."""

from __future__ import annotations

import asyncio
from pathlib import Path

from ..core.errors import CabinetError, Invalid, Malformed, NotFound, OutsideRoot
from ..core.paths import is_file_below
from ..core.people import Principal
from ..runs.kinds import Prepared, check_instruction
from ..runs.model import NewRun, Run
from ..runtimes.model import Outcome
from . import history
from .mentions import find_mentions, looks_like_path
from .pages import Page, read_page
from .prompt import build_prompt
from .sessions import EditorSessions

MAX_MENTIONS = 20
MAX_ATTACHMENTS = 10


class EditorKind:
    """Says what an editor run asks; keeps its line of history."""

    def __init__(self, *, root: Path, sessions: EditorSessions) -> None:
        self._root = root
        self._sessions = sessions

    async def check(self, new: NewRun, principal: Principal) -> NewRun:
        """Refuse what cannot work before it is queued, and find the document's session."""
        check_instruction(new.instruction)
        if len(new.attachments) > MAX_ATTACHMENTS:
            raise Invalid("More than 10 pieces are attached. Mention the file instead.", field="attachments")
        new = await self._sessions.complete(new, principal)
        await asyncio.to_thread(self._check_files, new)
        return new

    async def prepare(self, run: Run, new: NewRun) -> Prepared:
        """Read the mentioned pages as they are now."""
        pages, warnings = await asyncio.to_thread(self._read_mentions, new.instruction)
        await asyncio.to_thread(self._check_document, run.path or "")
        prompt = build_prompt(
            path=run.path or "",
            former=await self._sessions.former_path(run),
            root=str(self._root.resolve()),
            instruction=new.instruction,
            attachments=new.attachments,
            pages=pages,
        )
        return Prepared(prompt=prompt, warnings=tuple(warnings))

    async def look_back(self, run: Run, new: NewRun) -> tuple[str, ...]:
        """Whether the document is still where the agent was told to find it."""
        if run.started_at is None or run.path is None:
            return ()
        return await asyncio.to_thread(self._look_back, run.path, new.path or run.path)

    def _look_back(self, path: str, told: str) -> tuple[str, ...]:
        if told != path and is_file_below(self._root, told):
            return (f"There is a file {told} again: what the agent wrote there is not in {path}.",)
        if not is_file_below(self._root, path):
            return (f"There is no file {path} any more. It was renamed or deleted while the agent worked.",)
        return ()

    async def settle(self, run: Run, outcome: Outcome) -> None:
        await asyncio.to_thread(history.append, self._root, history.line_of(run))

    def _check_files(self, new: NewRun) -> None:
        self._check_document(new.path or "")
        mentions = find_mentions(new.instruction)
        if len(mentions) > MAX_MENTIONS:
            raise Invalid("More than 20 files are mentioned. Name a folder instead.", field="instruction")
        for name in mentions:
            self._check_mention(name)

    def _check_mention(self, name: str) -> None:
        try:
            read_page(self._root, name)
        except OutsideRoot:
            raise OutsideRoot(f"@{name} leads out of the server's folder.", field="instruction") from None
        except Malformed:
            raise
        except CabinetError:
            return  # told as a warning by `prepare`

    def _check_document(self, path: str) -> None:
        if not is_file_below(self._root, path):
            raise NotFound(f"There is no file {path}. It may have been renamed or deleted.", field="path")

    def _read_mentions(self, instruction: str) -> tuple[list[Page], list[str]]:
        pages, warnings = [], []
        for name in find_mentions(instruction):
            try:
                pages.append(read_page(self._root, name))
            except Malformed as error:  # it was not, when the instruction was accepted
                warnings.append(error.message)
            except CabinetError:
                if looks_like_path(name):
                    warnings.append(f"@{name} was not found and stays in the text as written.")
        warnings += [f"{page.path}: {page.note}." for page in pages if page.note]
        return pages, warnings
