"""Runs of the kinds `editor` and `cell`: an instruction about one document, from the sidebar or from a notebook."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from ..agents.run_kinds.agent_terms import AgentTerms
from ..changes.service import RunChanges
from ..core.errors import Invalid
from ..core.paths import is_file_below
from ..core.people import Principal
from ..runs.kinds import Prepared, RunKind, RunSubject, check_instruction, name_of
from ..runs.model import NewRun, Run
from ..runtimes.model import Outcome, RunMode
from ..sessions.model import Session
from ..storage.outbox import Effect
from . import history
from .document_sessions import DocumentSessions
from .mentioned_pages import check_document, check_mentions, read_mentions
from .model import HistoryLine, NewCellRun, NewEditorRun
from .prompt import InstructionSource, build_prompt, one_line

EDITOR = name_of(NewEditorRun)
NOTEBOOK_TOOLS = ("notebook",)  # a group of Cabinet's own tools: `notebook_tools/` carries them out
MAX_ATTACHMENTS = 10
MAX_CELL_ATTACHMENTS = 40
MAX_CELL_ATTACHMENTS_BYTES = 200_000  # for all together; each single one is cut in the prompt
MAX_SOURCE_CHARACTERS = 40
MAX_TITLE_CHARACTERS = 80
BROUGHT = "The agent wrote to {old}, which was renamed to {new}. Its text was moved to {new}."
KEPT = "The agent wrote to {old}, which was renamed to {new}. Both files were kept: {old} contains the agent's text."


class EditorKind(RunKind):
    """The kind of runs about one document. It builds their prompts and writes their history lines."""

    request: type[NewRun] = NewEditorRun

    def __init__(self, *, root: Path, documents: DocumentSessions, agents: AgentTerms, changes: RunChanges) -> None:
        self._root = root
        self._documents = documents
        self._agents = agents
        self._changes = changes

    async def check(self, new: NewEditorRun, principal: Principal) -> RunSubject:
        """Check a request before it is queued, and find the document's session, or create it.

        Raises `Invalid` for an empty or too long instruction, too many attachments or mentions, `NotFound`,
        `OutsideRoot`, `Malformed`, `Conflict`.
        """
        check_instruction(new.instruction)
        if len(new.attachments) > MAX_ATTACHMENTS:
            raise Invalid("There are more than 10 attachments. Mention the file instead.", field="attachments")
        session = await self._documents.of_request(new, principal)
        path = new.path if new.session_id is not None and new.path is not None else session.path
        return await self._goal(new, principal, session, path or "", "terminal")

    async def _goal(
        self, new: NewEditorRun | NewCellRun, principal: Principal, session: Session, path: str, mode: RunMode
    ) -> RunSubject:
        await asyncio.to_thread(check_document, self._root, path)
        await asyncio.to_thread(check_mentions, self._root, new.instruction)
        terms = await self._agents.of(session.agent, principal) if session.agent is not None else None
        tools = NOTEBOOK_TOOLS if path.endswith(".ipynb") else ()
        return RunSubject(session=session, path=path, mode=mode, terms=terms, attached=_titles(new), own_tools=tools)

    async def prepare(self, run: Run, new: Any) -> Prepared:
        """Read the mentioned pages as they are now, and build the prompt. Pages that cannot be read only cause
        warnings.

        Records the path that the agent gets. Raises `NotFound` if the document is gone, and `Skip` if a named agent may
        no longer run.
        """
        pages, warnings = await asyncio.to_thread(read_mentions, self._root, new.instruction)
        await asyncio.to_thread(check_document, self._root, run.path or "")
        told = await self._agents.told(run) if run.agent is not None else None
        prompt = build_prompt(
            self._asked(run),
            former=await self._documents.former_path(run),
            root=str(self._root.resolve()),
            instruction=new.instruction,
            attachments=new.attachments,
            pages=pages,
        )
        if told is None:
            return Prepared(prompt=prompt, warnings=tuple(warnings))
        return Prepared(prompt=prompt, system=told.system, warnings=(*warnings, *told.warnings))

    def _asked(self, run: Run) -> InstructionSource:
        return InstructionSource(path=run.path or "")

    async def look_back(self, run: Run) -> tuple[str, ...]:
        """Return a warning if the document is no longer at the path that the prompt gave to the agent.

        What the agent wrote at that path is moved into the document, if that overwrites no other change.
        """
        if run.started_at is None or run.path is None:
            return ()
        told = await self._documents.told_path(run)
        if told not in (None, run.path) and await asyncio.to_thread(is_file_below, self._root, told):
            match await self._changes.bring_from_former_path(run.id, told, run.path):
                case "brought":
                    return (BROUGHT.format(old=told, new=run.path),)
                case "kept":
                    return (KEPT.format(old=told, new=run.path),)
        if not await asyncio.to_thread(is_file_below, self._root, run.path):
            return (f"There is no file {run.path} any more. It was renamed or deleted while the agent worked.",)
        return ()

    def effects(self, run: Run, outcome: Outcome) -> Iterable[Effect]:
        """Return the effect that writes the line in the history file."""
        line = msgspec.json.encode(history.line_of(run)).decode()
        return (Effect(topic=history.TOPIC, body=line),)

    async def write_history(self, line: str) -> None:
        """Append a line to the history file, unless the file already has a line of the same run.

        `line`: the body of an effect that `effects` returned. Raises `OutsideRoot`, `Unavailable`.
        """
        await asyncio.to_thread(history.append, self._root, msgspec.json.decode(line, type=HistoryLine))


class CellKind(EditorKind):
    """The kind of runs from a cell of a notebook.

    The answer appears below the cell, and the agent can be a named one.
    """

    request: type[NewRun] = NewCellRun

    async def check(self, new: Any, principal: Principal) -> RunSubject:
        """Check a request before it is queued, and find the notebook's session with the agent, or create it.

        Raises `Invalid`, `NotFound`, `OutsideRoot`, `Malformed`, `Conflict`; for a named agent also `OutOfService`,
        `OverBudget`.
        """
        check_instruction(new.instruction)
        _check_attachments(new)
        runtime = new.runtime
        if runtime is None and new.agent is not None:
            runtime = await self._agents.runtime(new.agent, principal)
        session = await self._documents.of_cell(new, principal, runtime)
        goal = await self._goal(new, principal, session, session.path or "", _mode_in(session))
        return msgspec.structs.replace(goal, source=f"cell {_place(new)}of {session.path}")

    def _asked(self, run: Run) -> InstructionSource:
        return InstructionSource(path=run.path or "", cell=run.trigger.source)


def _check_attachments(new: NewCellRun) -> None:
    if len(new.attachments) > MAX_CELL_ATTACHMENTS:
        raise Invalid("There are more than 40 attachments. Choose fewer.", field="attachments")
    size = sum(len(f"{each.title}{each.text}".encode(errors="replace")) for each in new.attachments)
    if size > MAX_CELL_ATTACHMENTS_BYTES:
        raise Invalid("The attachments are larger than 200 kB together. Choose fewer.", field="attachments")


def _titles(new: NewEditorRun | NewCellRun) -> tuple[str, ...]:
    return tuple(one_line(each.title)[:MAX_TITLE_CHARACTERS] for each in new.attachments)


def _mode_in(session: Session) -> RunMode:
    """Return "terminal" if a CLI is open for the session, else "headless"."""
    return "terminal" if session.terminal_id is not None else "headless"


def _place(new: NewCellRun) -> str:
    place = one_line(new.source)[:MAX_SOURCE_CHARACTERS]
    return f"{place} " if place else ""
