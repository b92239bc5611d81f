"""The kernels of a Jupyter server: the only file that uses its kernel and session managers, and nbclient.

The server talks to a kernel as a further client, so this works whether or not the notebook is open in a browser.
"""

from __future__ import annotations

import ast
import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any, Final

import msgspec
from jupyter_core.utils import ensure_async
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, DeadKernelError
from nbformat.v4 import new_code_cell, new_notebook, new_output

from ..core.errors import Unavailable
from .kernels import Executed, Kernel, Kernels

log = logging.getLogger(__name__)

MAX_OUTPUT_BYTES: Final = 10 * 2**20  # of one cell
READY_SECONDS: Final = 30.0  # for a kernel that is idle to answer
BUSY_SECONDS: Final = 2.0  # a kernel that answers nothing for so long works on a cell
BEGIN_SECONDS: Final = 600.0  # for which a cancelled cell is awaited that other cells precede, to interrupt it
MAX_VALUE_CHARACTERS: Final = 100_000
LOOK_SECONDS: Final = 1.0  # between looks at whether the kernel is still the same process
TOO_LONG: Final = "\n(Cabinet keeps 10 MiB of a cell's output. The rest is left out.)\n"
OUTPUTS: Final = frozenset({"stream", "display_data", "execute_result", "error", "update_display_data"})
GONE: Final = "The kernel died or was restarted while the cell was running."


class JupyterKernels(Kernels):
    """The kernels that the server has started. `serverapp`: Jupyter's."""

    def __init__(self, serverapp: Any) -> None:
        self._serverapp = serverapp

    async def of(self, path: str) -> Kernel | None:
        """Return the kernel of the notebook's session; None if it has none."""
        for session in await ensure_async(self._serverapp.session_manager.list_sessions()):
            is_ours = session.get("type") == "notebook" and str(session.get("path", "")).strip("/") == path
            if is_ours and session.get("kernel"):
                with suppress(KeyError):  # it has just been shut down
                    return JupyterKernel(self._serverapp.kernel_manager.get_kernel(session["kernel"]["id"]))
        return None


class JupyterKernel(Kernel):
    """One kernel. `manager`: its `KernelManager`."""

    def __init__(self, manager: Any) -> None:
        self._manager = manager
        self.name = str(manager.kernel_name)
        self.language = str(getattr(manager.kernel_spec, "language", "") or "")

    async def state(self) -> str:
        """Return what the kernel has reported to the server.

        A kernel is also "busy" while it answers what clients ask, and it stays so when it dies, so it is asked again.
        """
        state = str(getattr(self._manager, "execution_state", None) or "unknown")
        if state == "busy":
            with suppress(Unavailable):
                async with self._client(BUSY_SECONDS):
                    return "idle"
        return state

    async def execute(self, source: str) -> Executed:
        """Run a cell. A cell that fails has its error among the outputs. More than 10 MiB of output is left out.

        Raises `Unavailable` like the port. If the caller is cancelled, the kernel is interrupted before this returns.
        """
        cell = new_code_cell(source)  # type: ignore[no-untyped-call]
        notebook = new_notebook(cells=[cell])  # type: ignore[no-untyped-call]
        async with self._client() as client:
            executing = _Execution(
                notebook, km=self._manager, timeout=None, record_timing=False, allow_errors=True, coalesce_streams=True
            )
            executing.kc = client
            work = asyncio.create_task(executing.async_execute_cell(cell, 0, store_history=True))
            try:
                await self._followed(work)
            except asyncio.CancelledError:
                await asyncio.shield(self._stop(executing, work))
                raise
            finally:
                work.cancel()
                await asyncio.gather(work, return_exceptions=True)
        failed = any(each.output_type == "error" for each in cell.outputs)
        return Executed([dict(each) for each in cell.outputs], cell.execution_count, failed)

    async def evaluate(self, expression: str) -> object:
        """Evaluate it silently.

        Raises `Unavailable` like the port, also for a value that is no literal or is too long.
        """
        async with self._client() as client:
            try:
                reply = await client.execute(
                    "",
                    silent=True,
                    store_history=False,
                    user_expressions={"value": expression},
                    allow_stdin=False,
                    reply=True,
                    timeout=READY_SECONDS,
                )
            except TimeoutError as error:
                raise Unavailable("The kernel is busy. Try again when it is idle.") from error
        value = reply["content"].get("user_expressions", {}).get("value", {})
        if value.get("status") != "ok":
            raise Unavailable(f"The kernel cannot say: {str(value.get('evalue', 'it gave no answer'))[:500]}")
        text = value.get("data", {}).get("text/plain")
        if not isinstance(text, str) or len(text) > MAX_VALUE_CHARACTERS:
            raise Unavailable("The kernel gave no answer that can be read.")
        try:
            return ast.literal_eval(text)
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError) as error:
            raise Unavailable("The kernel gave no answer that can be read.") from error

    @asynccontextmanager
    async def _client(self, seconds: float = READY_SECONDS) -> AsyncIterator[Any]:
        """Yield a client that receives what the kernel publishes from now on."""
        client = self._manager.client()
        client.start_channels(stdin=False, control=False)
        client.allow_stdin = False  # nobody could answer `input()`
        try:
            await _until_ready(client, seconds)
            yield client
        finally:
            client.stop_channels()

    async def _followed(self, work: asyncio.Task[Any]) -> None:
        """Wait for a cell; give up if the process of the kernel is another one."""
        process = self._process()
        try:
            while not (await asyncio.wait({work}, timeout=LOOK_SECONDS))[0]:
                if self._process() != process or not await ensure_async(self._manager.is_alive()):
                    raise Unavailable(GONE)
            work.result()
        except CellExecutionError:
            return  # its error is among the outputs
        except DeadKernelError as error:
            raise Unavailable(GONE) from error

    async def _stop(self, executing: _Execution, work: asyncio.Task[Any]) -> None:
        """Interrupt the cell, but no cell of somebody else that runs before it."""
        began = asyncio.create_task(executing.began.wait())
        await asyncio.wait({began, work}, timeout=BEGIN_SECONDS, return_when=asyncio.FIRST_COMPLETED)
        began.cancel()
        if not work.done():
            await self._interrupt()

    def _process(self) -> Any:
        return getattr(getattr(self._manager, "provisioner", None), "pid", None)

    async def _interrupt(self) -> None:
        try:
            await ensure_async(self._manager.interrupt_kernel())
        except Exception:
            log.exception("A kernel could not be interrupted when the run of its cell ended")


async def _until_ready(client: Any, seconds: float) -> None:
    """Wait for an answer, which comes after the cells that are queued already."""
    try:
        async with asyncio.timeout(seconds):  # its own time limit is none while the kernel publishes something
            await client.wait_for_ready(timeout=seconds)
    except (RuntimeError, TimeoutError) as error:
        raise Unavailable("The kernel does not answer. It is busy with other cells, or dead.") from error


class _Execution(NotebookClient):
    """Keeps only the beginning of very long outputs, and leaves widgets to the browser."""

    def __init__(self, notebook: Any, **named: Any) -> None:
        super().__init__(notebook, **named)
        self.began = asyncio.Event()  # the kernel works on the cell
        self._taken = 0  # bytes, without what can be updated
        self._shown: dict[str, tuple[int, int]] = {}  # by display id: number of outputs, and bytes of each
        self._is_cut = False

    def process_message(self, msg: dict[str, Any], cell: Any, cell_index: int) -> Any:
        """Take a message about the cell, unless there is too much output already."""
        self.began.set()
        kind, content = msg["msg_type"], msg["content"]
        if kind == "clear_output":
            self._taken, self._shown = 0, {}
        elif kind in OUTPUTS and not self._has_room(kind, content):
            if not self._is_cut:
                self._is_cut = True
                cell.outputs.append(new_output("stream", name="stderr", text=TOO_LONG))  # type: ignore[no-untyped-call]
            return None
        return super().process_message(msg, cell, cell_index)

    def _has_room(self, kind: str, content: dict[str, Any]) -> bool:
        size = len(msgspec.json.encode(content, enc_hook=str))
        id = (content.get("transient") or {}).get("display_id")
        shown, taken = dict(self._shown), self._taken
        if id is None:
            taken += size
        else:  # all outputs with the same id show the newest content
            shown[id] = (shown.get(id, (0, 0))[0] + (kind != "update_display_data"), size)
        if taken + sum(number * each for number, each in shown.values()) > MAX_OUTPUT_BYTES:
            return False
        self._shown, self._taken = shown, taken
        return True

    def handle_comm_msg(self, outs: list[Any], msg: dict[str, Any], cell_index: int) -> None:
        """Do nothing: two clients that answer for a widget would show everything twice."""
