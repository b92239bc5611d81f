"""Runs work on the cells of their notebook: read, changed with or without a question, run in a real kernel."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import nbformat
import pytest
from harness.backend import ADA, BOUND_SECONDS, Place, ended, submit, waiting_are
from harness.local_kernels import managers, start_kernel
from harness.waiting import QUERY_SECONDS
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from jupyter_cabinet.approvals.model import Approval, ApprovalFilter, NewAnswer
from jupyter_cabinet.approvals.rules import NewRule, NewRuleList, RuledTool
from jupyter_cabinet.backend import Backend
from jupyter_cabinet.core.errors import AlreadyFinal, CabinetError, Invalid, NotAllowed, NotFound, Refused, Unavailable
from jupyter_cabinet.notebook_tools.jupyter_kernels import JupyterKernels
from jupyter_cabinet.runs.model import Run
from jupyter_cabinet.runs.settings import RunSettings

A_KERNEL = "a kernel is started"
PATH = "work/nb.ipynb"


def put_notebook(place: Place, *sources: str) -> Path:
    """A notebook with these code cells, named c0, c1, …, after a title."""
    file = place.root / PATH
    file.parent.mkdir(exist_ok=True)
    title = new_markdown_cell("# Title", id="title")
    cells = [new_code_cell(source, id=f"c{number}") for number, source in enumerate(sources)]
    nbformat.write(new_notebook(cells=[title, *cells]), file)
    return file


def cells_in(file: Path) -> list[Any]:
    found: list[Any] = nbformat.read(file, as_version=4).cells
    return found


@asynccontextmanager
async def working(backend: Backend, **fields: Any) -> AsyncIterator[Run]:
    """A run about the notebook, while it works."""
    run = await submit(backend, "sleep 60", path=PATH, **fields)
    async with asyncio.timeout(BOUND_SECONDS):
        while (run := await backend.runs.get(run.id, ADA)).state != "running":
            await asyncio.sleep(QUERY_SECONDS)
    try:
        yield run
    finally:
        with suppress(AlreadyFinal):
            await backend.runs.cancel(run.id, ADA)
        await ended(backend, run)


async def use(backend: Backend, run: Run, tool: str, **arguments: Any) -> str:
    return (await backend.notebook_tools.call(run, tool, arguments)).text


async def asked(backend: Backend) -> Approval:
    await waiting_are(backend, 1)
    (found,) = await backend.approvals.find(ApprovalFilter(waiting=True), ADA)
    return found


async def answer(backend: Backend, option: str, note: str = "") -> Approval:
    found = await asked(backend)
    await backend.approvals.answer(found.id, NewAnswer(option=option, note=note), ADA)
    return found


async def test_cells_are_listed_read_changed_added_and_deleted(tmp_path: Path) -> None:
    place = Place(tmp_path)
    file = put_notebook(place, "x = 1\nx", "y = 2")
    before = nbformat.read(file, as_version=4)
    before.cells[1].outputs = [new_output("execute_result", data={"text/plain": "1", "image/png": "aGk="})]
    before.cells[1].execution_count = 7
    nbformat.write(before, file)
    async with place.backend() as backend:
        await change_all(backend, file)


async def change_all(backend: Backend, file: Path) -> None:
    async with working(backend) as run:
        assert run.own_tools == ("notebook",)
        listed = await use(backend, run, "cells_list")
        assert listed == (
            f"{PATH} has 3 cells.\n1  title  markdown  # Title\n2  c0  code [7]  x = 1\n3  c1  code  y = 2"
        )
        read = await use(backend, run, "cell_read", cell="c0")
        assert read == "Cell 2 of 3, c0, code [7]:\nx = 1\nx\n\nOutput:\n1\n(image/png, not shown)"
        assert "# Title" in await use(backend, run, "cell_read", cell="1")
        assert await use(backend, run, "cell_write", cell="c0", source="x = 3") == "The source of cell c0 is replaced."
        told = await use(backend, run, "cell_add", source="## Next", cell_type="markdown", after="c0")
        name = told.removeprefix("The new cell is ").removesuffix(".")
        await use(backend, run, "cell_add", source="import this", after="")
        assert await use(backend, run, "cell_delete", cell="c1") == "Cell c1 is deleted."
        found = cells_in(file)
        assert [cell.source for cell in found] == ["import this", "# Title", "x = 3", "## Next"]
        assert (found[2].outputs, found[2].execution_count, found[3].id) == ([], None, name)
        assert await backend.approvals.find(ApprovalFilter(), ADA) == []
        with pytest.raises(Refused, match="has no running kernel"):
            await use(backend, run, "cell_run", cell="c0")
    changed = (await backend.changes.of(run.id)).files
    assert [each.path for each in changed] == [PATH]  # so that it can be reviewed and reverted


WRONG_CALLS: Sequence[tuple[str, dict[str, Any], type[CabinetError]]] = [
    ("cell_read", {"cell": "no"}, NotFound),
    ("cell_read", {"cell": "0"}, NotFound),
    ("cell_read", {"cell": "4"}, NotFound),
    ("cell_read", {"cell": "²"}, NotFound),
    ("cell_read", {}, Invalid),
    ("cell_write", {"cell": "c0"}, Invalid),
    ("cell_write", {"cell": "c0", "source": 1}, Invalid),
    ("cell_write", {"cell": "c0", "source": "x", "path": "../a.md"}, Invalid),
    ("cell_add", {"source": "x", "after": "no"}, NotFound),
    ("cell_add", {"source": "x", "after": "", "cell_type": "html"}, Invalid),
    ("cell_delete", {"cell": "no"}, NotFound),
    ("cell_run", {"cell": "title"}, Invalid),
    ("memory_list", {}, NotAllowed),
    ("nosuch", {}, NotAllowed),
]


async def test_a_wrong_call_says_why_and_changes_nothing(tmp_path: Path) -> None:
    place = Place(tmp_path)
    file = put_notebook(place, "x = 1")
    content = file.read_bytes()
    async with place.backend() as backend:
        run = await ended(backend, await submit(backend, "hello", path=PATH))
        for tool, arguments, error in WRONG_CALLS:
            with pytest.raises(error):
                await use(backend, run, tool, **arguments)
            assert file.read_bytes() == content, (tool, arguments)


async def test_other_runs_reach_no_notebook(tmp_path: Path) -> None:
    place = Place(tmp_path)
    put_notebook(place, "x = 1")
    async with place.backend() as backend:
        run = await ended(backend, await submit(backend, "hello"))
        assert run.own_tools == ()
        with pytest.raises(NotAllowed, match="does not work on a notebook"):
            await use(backend, run, "cells_list")


BROKEN = [
    (b"not json", "is not a valid notebook"),
    (b'{"nbformat": 4, "nbformat_minor": 5, "metadata": {"a": NaN}, "cells": []}', "is not a valid notebook"),
    (b'{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [], "a": "' + b"x" * 2**24 + b'"}', "larger than"),
    (b"\xff\xfe", "is not a valid notebook"),
    (b"[]", "is not a valid notebook"),
    (b"[" * 100_000, "is not a valid notebook"),
    (b'{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [{"cell_type": "code"}]}', "is not a valid"),
    (b'{"nbformat": 3, "nbformat_minor": 0, "metadata": {}, "worksheets": []}', "has an old format"),
]


async def test_a_broken_notebook_stays_as_it_is(tmp_path: Path) -> None:
    place = Place(tmp_path)
    file = put_notebook(place, "x = 1")
    async with place.backend() as backend, working(backend) as run:
        for content, reason in BROKEN:
            file.write_bytes(content)
            with pytest.raises(CabinetError, match=reason):
                await use(backend, run, "cell_add", source="x", after="")
            assert file.read_bytes() == content, content[:80]
        file.unlink()
        with pytest.raises(NotFound, match="There is no notebook"):
            await use(backend, run, "cells_list")
        outside = tmp_path / "outside.ipynb"
        nbformat.write(new_notebook(), outside)
        file.symlink_to(outside)
        with pytest.raises(CabinetError):
            await use(backend, run, "cell_add", source="x", after="")
        assert cells_in(outside) == []


async def test_notebooks_without_ids_are_addressed_by_numbers(tmp_path: Path) -> None:
    place = Place(tmp_path)
    file = put_notebook(place, "x = 1")
    old = json.loads(file.read_text()) | {"nbformat_minor": 4}
    for cell in old["cells"]:
        del cell["id"]
    file.write_text(json.dumps(old))
    async with place.backend() as backend, working(backend) as run:
        assert "2  2  code  x = 1" in await use(backend, run, "cells_list")
        assert await use(backend, run, "cell_add", source="y", after="2") == "The new cell is 3."
        await use(backend, run, "cell_write", cell="2", source="x = 2")
    written = json.loads(file.read_text())
    assert written["nbformat_minor"] == 4 and all("id" not in cell for cell in written["cells"])


async def test_two_writers_lose_nothing(tmp_path: Path) -> None:
    place = Place(tmp_path)
    file = put_notebook(place, *["0"] * 8)
    async with place.backend() as backend, working(backend) as run:
        calls = [use(backend, run, "cell_write", cell=f"c{number}", source=f"{number}") for number in range(8)]
        told = await asyncio.gather(*calls, return_exceptions=True)
    refused = {number for number, each in enumerate(told) if isinstance(each, CabinetError)}
    assert len(refused) < 8
    for number, cell in enumerate(cells_in(file)[1:]):
        assert cell.source == ("0" if number in refused else f"{number}")


async def test_in_the_mode_that_asks_a_change_is_shown_first(tmp_path: Path) -> None:
    place = Place(tmp_path)
    file = put_notebook(place, "x = 1")
    async with place.backend() as backend, working(backend, permission_mode="ask") as run:
        writing = asyncio.create_task(use(backend, run, "cell_write", cell="c0", source="x = 2"))
        card = await answer(backend, "allow")
        assert (card.kind, card.path, card.risks) == ("edit", PATH, ("no_sandbox",))
        assert [(each.path, each.cell, each.old, each.new) for each in card.edits] == [(PATH, "c0", "x = 1", "x = 2")]
        assert await writing == "The source of cell c0 is replaced."
        deleting = asyncio.create_task(use(backend, run, "cell_delete", cell="c0"))
        await answer(backend, "deny", "It is needed.")
        with pytest.raises(Refused, match=r"This was denied. It is needed."):
            await deleting
        assert [cell.source for cell in cells_in(file)] == ["# Title", "x = 2"]
        async with asyncio.timeout(BOUND_SECONDS):
            while (await backend.runs.get(run.id, ADA)).state != "running":
                await asyncio.sleep(QUERY_SECONDS)


async def test_a_question_ends_with_its_run(tmp_path: Path) -> None:
    place = Place(tmp_path)
    file = put_notebook(place, "x = 1")
    async with place.backend() as backend:
        async with working(backend, permission_mode="ask") as run:
            writing = asyncio.create_task(use(backend, run, "cell_write", cell="c0", source="x = 2"))
            await waiting_are(backend, 1)
            assert (await backend.runs.get(run.id, ADA)).state == "waiting"
        with pytest.raises(Refused, match="has ended"):
            await writing
        await waiting_are(backend, 0)
        with pytest.raises(Refused, match="has ended"):
            await use(backend, run, "cell_write", cell="c0", source="x = 2")
    assert cells_in(file)[1].source == "x = 1"


TOOLS: Sequence[tuple[tuple[str, ...] | None, bool, bool]] = [
    (None, True, True),
    ((), False, False),
    (("Read", "Bash(ls *)"), False, False),
    (("Edit",), True, False),
    (("Bash",), False, True),
]


@pytest.mark.parametrize(("tools", "changes", "runs"), TOOLS)
async def test_an_agent_gets_no_more_than_its_own_tools_allow(
    tmp_path: Path, tools: tuple[str, ...] | None, changes: bool, runs: bool
) -> None:
    place = Place(tmp_path)
    put_notebook(place, "x = 1")
    async with place.backend() as backend:
        fields = {} if tools is None else {"allowed_tools": list(tools)}
        run = await ended(backend, await submit(backend, "hello", path=PATH, **fields))
        for tool, may, arguments in (("cell_write", changes, {"source": "x = 2"}), ("cell_run", runs, {})):
            try:
                await use(backend, run, tool, cell="c0", **arguments)
            except NotAllowed:
                assert not may
            except Refused as error:
                assert may and ("no running kernel" in error.message or "has ended" in error.message)
            else:
                assert may


@pytest.mark.slow(reason=A_KERNEL)
async def test_cells_run_in_the_kernel_of_the_notebook_once_a_person_has_allowed_it(tmp_path: Path) -> None:
    place = Place(tmp_path)
    sources = (
        "x = 20\nprint('hello')\nx + 1",
        "1 / 0",
        "input()",
        "import time\ntime.sleep(30)",
        "data = {1: 2, 3: 4}; api_key = 'abc'",
    )
    file = put_notebook(place, *sources)
    async with managers(place.root) as server, place.backend() as backend, working(backend) as run:
        backend.notebook_tools.connect(JupyterKernels(server))
        kernel = await start_kernel(server, PATH)
        running = asyncio.create_task(use(backend, run, "cell_run", cell="c0"))
        card = await answer(backend, "session")
        assert (card.title, card.tool, card.risks) == ("Demo agent asks to run a cell", "cell_run", ("no_sandbox",))
        assert [part.text for part in card.parts] == ["cabinet", str(file), "python3", "c0", sources[0]]
        assert await running == "Cell c0 was run.\n\nOutput:\nhello\n21"
        cell = cells_in(file)[1]
        assert (cell.execution_count, [each.output_type for each in cell.outputs]) == (1, ["stream", "execute_result"])

        # from now on nobody is asked for the cells of this session
        failed = await use(backend, run, "cell_run", cell="c1")
        assert failed.startswith("Cell c1 has failed.") and "ZeroDivisionError" in failed and "\x1b" not in failed
        assert "StdinNotImplementedError" in await use(backend, run, "cell_run", cell="c2")
        await use(backend, run, "cell_run", cell="c4")
        planted = place.root / "work" / "jupyter_cabinet.py"  # the kernel works in this folder
        planted.write_text("open('escaped', 'w')")
        assert await use(backend, run, "variables_list") == "x: int\ndata: dict, length 2\napi_key: str, length 3"
        assert not list(place.root.rglob("escaped"))
        assert await use(backend, run, "kernel_info") == f"The kernel of {PATH} is python3 (python). It is idle."

        # a long cell: the same call continues to wait, another one is refused, and the end of the run interrupts it
        backend.notebook_tools._seconds = 1.0
        told = await use(backend, run, "cell_run", cell="c3")
        assert told == (
            "The person has not answered yet, or the cell is still running. "
            "Call this again in the same way to continue waiting."
        )
        assert await use(backend, run, "cell_run", cell="c3") == told
        with pytest.raises(Refused, match="busy with another cell"):
            await use(backend, run, "cell_run", cell="c0")
        await backend.runs.cancel(run.id, ADA)
        await ended(backend, run)
        async with asyncio.timeout(BOUND_SECONDS):
            while server.kernel_manager.get_kernel(kernel).execution_state != "idle":
                await asyncio.sleep(QUERY_SECONDS)
        assert len(await backend.approvals.find(ApprovalFilter(), ADA)) == 1


async def test_only_what_was_shown_is_changed(tmp_path: Path) -> None:
    place = Place(tmp_path)
    file = put_notebook(place, "x = 1", "precious")
    async with place.backend() as backend, working(backend, permission_mode="ask") as run:
        for tool, more in (("cell_write", {"source": "x = 2"}), ("cell_delete", {})):
            put_notebook(place, "x = 1", "precious")
            calling = asyncio.create_task(use(backend, run, tool, cell="2", **more))
            card = await asked(backend)
            assert "c0" in [part.text for part in card.parts]  # a number can mean another cell by then
            put_notebook(place, "the person's new work", "precious")
            await answer(backend, "allow")
            with pytest.raises(Refused, match="changed by somebody else"):
                await calling
            assert [cell.source for cell in cells_in(file)] == ["# Title", "the person's new work", "precious"]


async def test_hostile_contents_are_read_and_written_without_a_bug(tmp_path: Path) -> None:
    place = Place(tmp_path)
    file = put_notebook(place, "x = 1")
    hostile = json.loads(file.read_text())
    hostile["cells"][1]["outputs"] = [
        {"output_type": "error", "traceback": 5, "ename": "E", "evalue": None},
        {"output_type": "display_data", "data": 3, "metadata": {}},
        {"output_type": "stream", "name": "stdout", "text": ["a\n", 7]},
        {},
    ]
    hostile["cells"][1]["execution_count"] = {}
    file.write_text(json.dumps(hostile))
    async with place.backend() as backend, working(backend) as run:
        assert "E: None" in await use(backend, run, "cell_read", cell="c0")
        assert "failed" in await use(backend, run, "cells_list")
        with pytest.raises(Refused, match="half of a character"):
            await use(backend, run, "cell_write", cell="c0", source="\ud800")
        await use(backend, run, "cell_write", cell="title", source="# Other")
    written = json.loads(file.read_text())["cells"]
    assert written[1] == hostile["cells"][1] and written[0]["source"] == ["# Other"]


async def test_the_file_is_written_as_nbformat_writes_it(tmp_path: Path) -> None:
    place = Place(tmp_path)
    file = put_notebook(place, "x = 1\ny = 'ä'", "")
    before = file.read_bytes()
    async with place.backend() as backend, working(backend) as run:
        await use(backend, run, "cell_write", cell="c0", source="x = 2")
        assert file.read_bytes() != before
        await use(backend, run, "cell_write", cell="c0", source="x = 1\ny = 'ä'")
    assert file.read_bytes().rstrip() == before.rstrip()


async def test_a_run_that_has_ended_in_the_meantime_changes_nothing(tmp_path: Path) -> None:
    place = Place(tmp_path)
    file = put_notebook(place, "x = 1")
    async with place.backend() as backend:
        async with working(backend) as run:
            pass
        with pytest.raises(Refused, match="has ended"):
            await use(backend, run, "cell_write", cell="c0", source="x = 2")
    assert cells_in(file)[1].source == "x = 1"


@pytest.mark.slow(reason=A_KERNEL)
async def test_a_rule_that_denies_counts_after_a_permission_for_the_session(tmp_path: Path) -> None:
    place = Place(tmp_path)
    put_notebook(place, "x = 1", "y = 1")
    async with managers(place.root) as server, place.backend() as backend, working(backend) as run:
        backend.notebook_tools.connect(JupyterKernels(server))
        await start_kernel(server, PATH)
        running = asyncio.create_task(use(backend, run, "cell_run", cell="c0"))
        await answer(backend, "session")
        await running
        rule = NewRule(effect="deny", action=RuledTool(server="cabinet", tool="cell_run"))
        await backend.approval_rules.put(NewRuleList(rules=(rule,), hash=""), ADA)
        with pytest.raises(Refused, match="denied"):
            await use(backend, run, "cell_run", cell="c1")


@pytest.mark.long(reason="kills a kernel")
async def test_a_kernel_that_dies_and_an_endless_output_are_reported(tmp_path: Path) -> None:
    place = Place(tmp_path)
    loud = "for _ in range(40):\n    print('x' * 500_000)"
    updates = (
        "shown = [display({'text/plain': 'x'}, raw=True, display_id=True) for _ in range(30)]\n"
        "for each in shown:\n    each.update({'text/plain': 'x' * 2_000_000}, raw=True)"
    )
    liar = "get_ipython().display_formatter.format = lambda *a, **k: ({'text/plain': '[' + '0,' * 900_000 + ']'}, {})"
    file = put_notebook(place, "import os\nos._exit(3)", loud, "y = 1", updates, liar)
    async with managers(place.root) as server, place.backend(runs=RunSettings(allow_bypass=True)) as backend:
        backend.notebook_tools.connect(JupyterKernels(server))
        await start_kernel(server, PATH)
        async with working(backend, permission_mode="bypass") as run:
            told = await use(backend, run, "cell_run", cell="c1")
            assert len(told) < 20_000 and "left out" in told
            assert file.stat().st_size < 12 * 2**20
            await use(backend, run, "cell_write", cell="c1", source="")
            await use(backend, run, "cell_run", cell="c3")
            assert file.stat().st_size < 12 * 2**20
            await use(backend, run, "cell_run", cell="c4")
            with pytest.raises(Unavailable, match="no answer that can be read"):
                await use(backend, run, "variables_list")
            with pytest.raises(Unavailable, match="died or was restarted"):
                await use(backend, run, "cell_run", cell="c0")
            async with asyncio.timeout(BOUND_SECONDS):  # Jupyter restarts it
                while True:
                    try:
                        told = await use(backend, run, "cell_run", cell="c2")
                        break
                    except (Refused, Unavailable):
                        await asyncio.sleep(QUERY_SECONDS)
            assert told == "Cell c2 was run.\n\nIt has no output."
