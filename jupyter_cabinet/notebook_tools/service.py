"""Carries out the tools of a notebook for the runs that work on it. Implements the port `RunTools` of `runs/`.

A run reaches only its own notebook. Cells are changed in the file, like every other change of an agent, so they can be
reviewed and reverted. They run in the kernel that people use, which a person has to allow.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from pathlib import Path
from typing import Any, Final, NamedTuple, Protocol, TypeVar

from ..agents.prompts import tool_list
from ..agents.prompts.tool_arguments import tool_arguments
from ..core.errors import CabinetError, Invalid, NotAllowed, Refused
from ..core.events import Event, EventBus, Scope
from ..core.ids import new_id
from ..core.redaction import Redactor
from ..core.work_places import WorkPlaces
from ..execution.model import ToolAnswer
from ..runs.model import Run, RunFinished
from ..runs.tools.run_tools import RunTools
from ..runs.tools.tool_questions import GivenAnswer
from ..runtimes.model import QuestionAsked
from ..runtimes.requested_actions import Change
from . import answers, cells, permissions, variables
from .cells import Notebook
from .kernels import Kernel, Kernels, NoKernels
from .notebook_file import NotebookFile
from .ongoing import OngoingCalls

T = TypeVar("T")

GROUP: Final = "notebook"
MOST_AT_ONCE: Final = 2  # notebooks that are read or changed, of all runs
CELL: Final = "cell"  # the kind of runs that a cell has started
BUSY: Final = "The kernel is busy with another cell. Try again when it is idle; kernel_info says so."
BUSY_WITH_YOU: Final = (
    "The cell from which you are asked runs until your answer ends, so no other cell can run. Write the code into "
    "a cell, or say in your answer what to run."
)
MOST_SOURCE: Final = 100_000  # characters of a cell that runs: an approval shows no more


class FoundCell(NamedTuple):
    """A cell as it was when it was read."""

    name: str  # its id, or its number in a notebook without ids
    cell_type: str
    source: str


class Questions(Protocol):
    """Asks people; `runs/tools/tool_questions.py` implements it."""

    async def ask(
        self, run_id: str, asked: QuestionAsked, *, in_sandbox: bool, is_allowed: bool = False
    ) -> GivenAnswer:
        """Wait for the answer, and return it.

        Raises `Refused` if the run has ended. `is_allowed`: it was allowed before.
        """


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
        # session, notebook, isolated, tainted: whose cells may run without a question
        self._allowed: set[tuple[str, str, bool, bool]] = set()
        self._places = WorkPlaces(MOST_AT_ONCE)
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
        """Run a tool for a run that works on a notebook; other tools are passed on. Return its answer, redacted.

        A call that takes too long, because of a person or a cell, answers that it continues; the same call again waits
        for it. Raises `NotAllowed`, `Invalid` for wrong arguments, `NotFound` for a cell that does not exist, `Refused`
        if a person denies it, there is no kernel, the kernel is busy or the cell was changed meanwhile, `Conflict` if
        the file changes all the time, `Malformed` for a damaged notebook, and `Unavailable` if the kernel does not
        answer.
        """
        work = self._tools.get(tool)
        if work is None:
            return await self._others.call(run, tool, arguments)
        if GROUP not in run.own_tools or run.path is None:
            raise NotAllowed("This run does not work on a notebook.")
        kind = next(each.arguments for each in tool_list.TOOLS if each.name == tool)
        text = await work(run, NotebookFile(self._root, run.path), tool_arguments(arguments, kind))
        return ToolAnswer(text=self._redactor.redact(text))

    # --- reading -----------------------------------------------------------------------------

    async def _list(self, run: Run, file: NotebookFile, asked: tool_list.CellsList) -> str:
        return await self._off_loop(lambda: answers.cell_list(run.path or "", file.read()))

    async def _read(self, run: Run, file: NotebookFile, asked: tool_list.CellRead) -> str:
        def read() -> str:
            notebook = file.read()
            return answers.cell(notebook, cells.index_of(notebook, asked.cell))

        return await self._off_loop(read)

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
        found = await self._cell(file, asked.cell)

        def change(notebook: Notebook) -> tuple[Notebook, str]:
            index = cells.unchanged(notebook, found.name, found.source)
            return cells.with_source(notebook, index, asked.source), f"The source of cell {found.name} is replaced."

        proposed = Change(cell=found.name, old=found.source, new=asked.source, cell_type=found.cell_type)
        return await self._changed(run, file, proposed, change)

    async def _add(self, run: Run, file: NotebookFile, asked: tool_list.CellAdd) -> str:
        before = await self._cell(file, asked.after) if asked.after else None

        def change(notebook: Notebook) -> tuple[Notebook, str]:
            after = None if before is None else cells.index_of(notebook, before.name)
            changed, index = cells.with_new_cell(notebook, after, asked.cell_type, asked.source)
            return changed, f"The new cell is {cells.name_of(cells.cells_of(changed), index)}."

        name = "" if before is None else before.name
        proposed = Change(cell=name, cell_mode="insert", cell_type=asked.cell_type, new=asked.source)
        return await self._changed(run, file, proposed, change)

    async def _delete(self, run: Run, file: NotebookFile, asked: tool_list.CellDelete) -> str:
        found = await self._cell(file, asked.cell)

        def change(notebook: Notebook) -> tuple[Notebook, str]:
            index = cells.unchanged(notebook, found.name, found.source)
            return cells.without_cell(notebook, index), f"Cell {found.name} is deleted."

        proposed = Change(cell=found.name, cell_mode="delete", new=found.source)
        return await self._changed(run, file, proposed, change)

    async def _changed(
        self, run: Run, file: NotebookFile, proposed: Change, change: Callable[[Notebook], tuple[Notebook, str]]
    ) -> str:
        permissions.check(run, "change")
        if not permissions.asks(run, "change"):
            self._calls.require_open(run.id)
            return await self._off_loop(lambda: file.change(change))

        async def work() -> str:
            asked = permissions.question_to_change(new_id(), str(self._root / (run.path or "")), proposed)
            await self._must_allow(run, asked, in_sandbox=True)
            return await self._off_loop(lambda: file.change(change))

        return await self._waited_for(run, ("change", proposed), work, "The person has not answered yet.")

    # --- running -----------------------------------------------------------------------------

    async def _run(self, run: Run, file: NotebookFile, asked: tool_list.CellRun) -> str:
        permissions.check(run, "run")
        found = await self._cell(file, asked.cell)
        if found.cell_type != "code":
            raise Invalid(f"Cell {found.name} is no code cell, so it cannot be run.", field="cell")
        if len(found.source) > MOST_SOURCE:
            raise Refused(f"Cell {found.name} is longer than {MOST_SOURCE} characters: nobody could check it.")
        kernel = await self._kernel(run)
        if not self._calls.has(run.id, found) and await kernel.state() == "busy":
            raise Refused(BUSY_WITH_YOU if run.kind == CELL else BUSY)
        waits = "The person has not answered yet, or the cell is still running."
        return await self._waited_for(run, found, lambda: self._executed(run, file, found, kernel.name), waits)

    async def _executed(self, run: Run, file: NotebookFile, cell: FoundCell, kernel_name: str) -> str:
        await self._must_allow_cell(run, cell, kernel_name)
        kernel = await self._kernel(run)  # it may be another one after the answer
        if kernel.name != kernel_name:
            raise Refused("The notebook has another kernel now. Run the cell again.")
        executed = await kernel.execute(cell.source)

        def change(notebook: Notebook) -> tuple[Notebook, str]:
            index = cells.unchanged(notebook, cell.name, cell.source)
            return cells.with_outputs(notebook, index, executed.outputs, executed.number), ""

        ended = f"Cell {cell.name} {'has failed' if executed.failed else 'was run'}."
        try:
            await self._off_loop(lambda: file.change(change))
        except CabinetError as error:
            ended += f" Its output is not in the notebook: {error.message}"
        return f"{ended}\n\n{await self._off_loop(lambda: answers.outputs(executed.outputs))}"

    async def _must_allow_cell(self, run: Run, cell: FoundCell, kernel: str) -> None:
        if not permissions.asks(run, "run"):
            return
        key = (run.session_id, run.path or "", run.isolated, run.tainted)
        place = str(self._root / key[1])
        asked = permissions.question_to_run(new_id(), place, kernel=kernel, cell=cell.name, source=cell.source)
        is_allowed = key in self._allowed
        if await self._must_allow(run, asked, in_sandbox=False, is_allowed=is_allowed) == permissions.SESSION:
            self._allowed.add(key)

    async def _must_allow(self, run: Run, asked: QuestionAsked, *, in_sandbox: bool, is_allowed: bool = False) -> str:
        """Return the id of the answer. Raises `Refused` for a denial."""
        answer = await self._questions.ask(run.id, asked, in_sandbox=in_sandbox, is_allowed=is_allowed)
        if answer.option not in (permissions.ALLOW, permissions.SESSION):
            raise Refused(f"This was denied. {answer.note}".rstrip())
        return answer.option

    # --- inside ------------------------------------------------------------------------------

    async def _cell(self, file: NotebookFile, name: str) -> FoundCell:
        def read() -> FoundCell:
            notebook = file.read()
            index = cells.index_of(notebook, name)
            known = cells.cells_of(notebook)
            return FoundCell(cells.name_of(known, index), known[index]["cell_type"], cells.source_of(known[index]))

        return await self._off_loop(read)

    async def _off_loop(self, work: Callable[[], T]) -> T:
        return await self._places.run(lambda: asyncio.to_thread(work))

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
