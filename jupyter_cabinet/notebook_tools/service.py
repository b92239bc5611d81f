"""Carries out the tools of a notebook for the runs that work on it. Implements the port `RunTools` of `runs/`.

A run reaches only its own notebook. Cells are changed in the file, like every other change of an agent, so they can be
reviewed and reverted. They run in the kernel that people use, which a person has to allow.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from pathlib import Path
from typing import Any, Final, Protocol

from ..agents.prompts import tool_list
from ..core.errors import Invalid, NotAllowed, Refused
from ..core.events import Event, EventBus, Scope
from ..core.ids import new_id
from ..core.json_input import converted
from ..core.redaction import Redactor
from ..execution.model import ToolAnswer
from ..runs.model import Run, RunFinished
from ..runs.run_tools import RunTools
from ..runs.tool_questions import GivenAnswer
from ..runtimes.model import QuestionAsked
from ..runtimes.requested_actions import Change
from . import answers, cells, permissions, variables
from .cells import Notebook
from .kernels import Kernel, Kernels, NoKernels
from .notebook_file import NotebookFile
from .ongoing import OngoingCalls

GROUP: Final = "notebook"
CELL: Final = "cell"  # the kind of runs that a cell has started
BUSY: Final = "The kernel is busy with another cell. Try again when it is idle; kernel_info says so."
BUSY_WITH_YOU: Final = (
    "The cell from which you are asked runs until your answer ends, so no other cell can run. Write the code into "
    "a cell, or say in your answer what to run."
)
MOST_SOURCE: Final = 100_000  # characters of a cell that runs: an approval shows no more


class Questions(Protocol):
    """Asks people; `runs/tool_questions.py` implements it."""

    async def ask(self, run_id: str, asked: QuestionAsked, *, in_sandbox: bool) -> GivenAnswer:
        """Return the answer. Raises `Refused` if the run has ended."""


class NotebookTools(RunTools):
    """The tools of notebooks, in front of all other tools."""

    def __init__(
        self,
        *,
        others: RunTools,
        questions: Questions,
        root: Path,
        redactor: Redactor,
        bus: EventBus,
        seconds: float = tool_list.MOST_SECONDS,
    ) -> None:
        self._others = others
        self._questions = questions
        self._root = root
        self._redactor = redactor
        self._seconds = seconds  # of waiting for a person or a cell; then the call says that it takes longer
        self._kernels: Kernels = NoKernels()
        self._calls = OngoingCalls()
        self._allowed: set[tuple[str, str]] = set()  # session and notebook whose cells may run without a question
        self._tools: dict[str, Callable[[Run, NotebookFile, Any], Awaitable[str]]] = {
            "cells_list": self._list,
            "cell_read": self._read,
            "cell_write": self._write,
            "cell_add": self._add,
            "cell_delete": self._delete,
            "cell_run": self._run,
            "kernel_info": self._describe_kernel,
            "variables_list": self._list_variables,
        }
        bus.subscribe(self._hear)

    def connect(self, kernels: Kernels) -> None:
        """Use these kernels from now on."""
        self._kernels = kernels

    async def close(self) -> None:
        """End every call that is still at work."""
        await self._calls.close()

    async def call(self, run: Run, tool: str, arguments: dict[str, object]) -> ToolAnswer:
        """Run a tool for a run that works on a notebook; other tools are passed on.

        Raises `NotAllowed`, `Invalid` for wrong arguments, `NotFound` for a cell that does not exist, `Refused` if a
        person denies it or there is no kernel, `Unavailable` if the kernel does not answer.
        """
        work = self._tools.get(tool)
        if work is None:
            return await self._others.call(run, tool, arguments)
        if GROUP not in run.own_tools or run.path is None:
            raise NotAllowed("This run does not work on a notebook.")
        kind = next(each.arguments for each in tool_list.TOOLS if each.name == tool)
        text = await work(run, NotebookFile(self._root, run.path), converted(arguments, kind))
        return ToolAnswer(text=self._redactor.redact(text))

    # --- reading -----------------------------------------------------------------------------

    async def _list(self, run: Run, file: NotebookFile, asked: tool_list.CellsList) -> str:
        return answers.cell_list(run.path or "", await asyncio.to_thread(file.read))

    async def _read(self, run: Run, file: NotebookFile, asked: tool_list.CellRead) -> str:
        notebook = await asyncio.to_thread(file.read)
        return answers.cell(notebook, cells.index_of(notebook, asked.cell))

    async def _describe_kernel(self, run: Run, file: NotebookFile, asked: tool_list.KernelInfo) -> str:
        kernel = await self._kernel(run)
        return answers.kernel_line(run.path or "", kernel.name, kernel.language, await kernel.state())

    async def _list_variables(self, run: Run, file: NotebookFile, asked: tool_list.VariablesList) -> str:
        kernel = await self._kernel(run)
        if kernel.language not in ("", "python"):
            raise Refused(f"Variables can only be listed in Python. This kernel runs {kernel.language}.")
        return variables.listing(await kernel.evaluate(variables.EXPRESSION))

    # --- changing ----------------------------------------------------------------------------

    async def _write(self, run: Run, file: NotebookFile, asked: tool_list.CellWrite) -> str:
        def change(notebook: Notebook) -> tuple[Notebook, str]:
            index = cells.index_of(notebook, asked.cell)
            return cells.with_source(notebook, index, asked.source), f"The source of cell {asked.cell} is replaced."

        found = await self._cell(file, asked.cell)
        proposed = Change(
            cell=asked.cell, old=str(found["source"]), new=asked.source, cell_type=str(found["cell_type"])
        )
        return await self._changed(run, file, proposed, change)

    async def _add(self, run: Run, file: NotebookFile, asked: tool_list.CellAdd) -> str:
        def change(notebook: Notebook) -> tuple[Notebook, str]:
            after = cells.index_of(notebook, asked.after) if asked.after else None
            changed, index = cells.with_new_cell(notebook, after, asked.cell_type, asked.source)
            return changed, f"The new cell is {cells.name_of(cells.cells_of(changed), index)}."

        if asked.after:
            await self._cell(file, asked.after)
        proposed = Change(cell=asked.after, cell_mode="insert", cell_type=asked.cell_type, new=asked.source)
        return await self._changed(run, file, proposed, change)

    async def _delete(self, run: Run, file: NotebookFile, asked: tool_list.CellDelete) -> str:
        source = str((await self._cell(file, asked.cell))["source"])

        def change(notebook: Notebook) -> tuple[Notebook, str]:
            index = cells.index_of(notebook, asked.cell)
            if cells.cells_of(notebook)[index]["source"] != source:
                raise Refused(f"Cell {asked.cell} was changed by somebody else. Read it again before you delete it.")
            return cells.without_cell(notebook, index), f"Cell {asked.cell} is deleted."

        return await self._changed(run, file, Change(cell=asked.cell, cell_mode="delete", new=source), change)

    async def _changed(
        self, run: Run, file: NotebookFile, proposed: Change, change: Callable[[Notebook], tuple[Notebook, str]]
    ) -> str:
        permissions.check(run, "change")
        if not permissions.asks(run, "change"):
            return await asyncio.to_thread(file.change, change)

        async def work() -> str:
            asked = permissions.question_to_change(new_id(), str(self._root / (run.path or "")), proposed)
            await self._must_allow(run, asked, in_sandbox=True)
            return await asyncio.to_thread(file.change, change)

        return await self._waited_for(run, ("change", proposed), work, "The person has not answered yet.")

    # --- running -----------------------------------------------------------------------------

    async def _run(self, run: Run, file: NotebookFile, asked: tool_list.CellRun) -> str:
        permissions.check(run, "run")
        found = await self._cell(file, asked.cell)
        source = str(found["source"])
        if found["cell_type"] != "code":
            raise Invalid(f"Cell {asked.cell} is no code cell, so it cannot be run.", field="cell")
        if len(source) > MOST_SOURCE:
            raise Refused(f"Cell {asked.cell} is longer than {MOST_SOURCE} characters: nobody could check it.")
        kernel = await self._kernel(run)
        if not self._calls.has(run.id, (asked.cell, source)) and await kernel.state() == "busy":
            raise Refused(BUSY_WITH_YOU if run.kind == CELL else BUSY)

        async def work() -> str:
            await self._must_allow_cell(run, asked.cell, source)
            executed = await kernel.execute(source)

            def change(notebook: Notebook) -> tuple[Notebook, str]:
                index = cells.index_of(notebook, asked.cell)
                if cells.cells_of(notebook)[index]["source"] != source:
                    raise Refused("The cell was changed while it was running, so its output is not in the notebook.")
                return cells.with_outputs(notebook, index, executed.outputs, executed.number), ""

            await asyncio.to_thread(file.change, change)
            ended = "has failed" if executed.failed else "was run"
            return f"Cell {asked.cell} {ended}.\n\n{answers.outputs(executed.outputs)}"

        waits = "The person has not answered yet, or the cell is still running."
        return await self._waited_for(run, (asked.cell, source), work, waits)

    async def _must_allow_cell(self, run: Run, cell: str, source: str) -> None:
        key = (run.session_id, run.path or "")
        if not permissions.asks(run, "run") or key in self._allowed:
            return
        asked = permissions.question_to_run(new_id(), str(self._root / key[1]), cell, source)
        if await self._must_allow(run, asked, in_sandbox=False) == permissions.SESSION:
            self._allowed.add(key)

    async def _must_allow(self, run: Run, asked: QuestionAsked, *, in_sandbox: bool) -> str:
        """Return the id of the answer. Raises `Refused` for a denial."""
        answer = await self._questions.ask(run.id, asked, in_sandbox=in_sandbox)
        if answer.option not in (permissions.ALLOW, permissions.SESSION):
            raise Refused(f"This was denied. {answer.note}".rstrip())
        return answer.option

    # --- inside ------------------------------------------------------------------------------

    async def _cell(self, file: NotebookFile, name: str) -> dict[str, Any]:
        notebook = await asyncio.to_thread(file.read)
        return cells.cells_of(notebook)[cells.index_of(notebook, name)]

    async def _kernel(self, run: Run) -> Kernel:
        kernel = await self._kernels.of(run.path or "")
        if kernel is None:
            raise Refused(f"{run.path} has no running kernel. A person has to open it in JupyterLab and start one.")
        return kernel

    async def _waited_for(
        self, run: Run, key: object, work: Callable[[], Coroutine[Any, Any, str]], otherwise: str
    ) -> str:
        answer = await self._calls.wait(run.id, key, work, seconds=self._seconds)
        return answer if answer is not None else f"{otherwise} Call this again in the same way to continue waiting."

    def _hear(self, event: Event, _scope: Scope) -> None:
        if isinstance(event, RunFinished):
            self._calls.end(event.run.id)
