"""Runs of kind `editor`: an instruction about one document."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from pathlib import Path

import msgspec

from ..core.errors import CabinetError, Invalid, Malformed, NotFound, OutsideRoot
from ..core.paths import is_file_below
from ..core.people import Principal
from ..runs.kinds import Goal, Prepared, check_instruction, name_of
from ..runs.model import NewRun, Run
from ..runtimes.model import Outcome
from ..storage.outbox import Effect
from . import history
from .document_sessions import DocumentSessions
from .mentions import find_mentions, looks_like_path
from .model import HistoryLine, NewEditorRun
from .pages import Page, read_page
from .prompt import build_prompt

EDITOR = name_of(NewEditorRun)
MAX_MENTIONS = 20
MAX_ATTACHMENTS = 10


class EditorKind:
    """Says what an editor run asks; keeps its line of history."""

    request: type[NewRun] = NewEditorRun

    def __init__(self, *, root: Path, documents: DocumentSessions) -> None:
        self._root = root
        self._documents = documents

    async def check(self, new: NewEditorRun, principal: Principal) -> Goal:
        """Refuse what cannot work before it is queued, and find the document's session."""
        check_instruction(new.instruction)
        if len(new.attachments) > MAX_ATTACHMENTS:
            raise Invalid("More than 10 pieces are attached. Mention the file instead.", field="attachments")
        session = await self._documents.of_request(new, principal)
        path = new.path if new.session_id is not None and new.path is not None else session.path
        await asyncio.to_thread(self._check_files, path or "", new.instruction)
        return Goal(session=session, path=path, mode="terminal")

    async def prepare(self, run: Run, new: NewEditorRun) -> Prepared:
        """Read the mentioned pages as they are now."""
        pages, warnings = await asyncio.to_thread(self._read_mentions, new.instruction)
        await asyncio.to_thread(self._check_document, run.path or "")
        prompt = build_prompt(
            path=run.path or "",
            former=await self._documents.former_path(run),
            root=str(self._root.resolve()),
            instruction=new.instruction,
            attachments=new.attachments,
            pages=pages,
        )
        return Prepared(prompt=prompt, warnings=tuple(warnings))

    async def look_back(self, run: Run) -> tuple[str, ...]:
        """Whether the document is still where the agent was told to find it."""
        if run.started_at is None or run.path is None:
            return ()
        told = await self._documents.told_path(run)
        return await asyncio.to_thread(self._look_back, run.path, told or run.path)

    def _look_back(self, path: str, told: str) -> tuple[str, ...]:
        if told != path and is_file_below(self._root, told):
            return (f"There is a file {told} again: what the agent wrote there is not in {path}.",)
        if not is_file_below(self._root, path):
            return (f"There is no file {path} any more. It was renamed or deleted while the agent worked.",)
        return ()

    def effects(self, run: Run, outcome: Outcome) -> Iterable[Effect]:
        """The line of history, which stands in a file beside the documents."""
        line = msgspec.json.encode(history.line_of(run)).decode()
        return (Effect(topic=history.TOPIC, body=line),)

    async def write_history(self, line: str) -> None:
        """Carry out the effect. A second time changes nothing."""
        await asyncio.to_thread(history.append, self._root, msgspec.json.decode(line, type=HistoryLine))

    def _check_files(self, path: str, instruction: str) -> None:
        self._check_document(path)
        mentions = find_mentions(instruction)
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
