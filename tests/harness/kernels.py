"""A real kernel of a notebook in a real server: started by the server, asked over its own sockets."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Empty
from typing import Any

import nbformat
from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_notebook, output_from_msg

from .server import Server, plain_client, until

SECONDS = 60
MIME_TYPE = "application/vnd.jupyter-cabinet.view+json"


class Cell:
    """What came of a cell. `outputs`: as a notebook keeps them, displays brought up to date; `told`: the messages that
    the kernel has published until its end."""

    def __init__(self, content: dict[str, Any], outputs: list[Any], told: list[dict[str, Any]]) -> None:
        self.status: str = content["status"]
        self.error: str = f"{content.get('ename', '')}: {content.get('evalue', '')}" if self.status == "error" else ""
        self.outputs = outputs
        self.told = told

    @property
    def text(self) -> str:
        """What was printed."""
        return "".join(each["text"] for each in self.outputs if each["output_type"] == "stream")

    @property
    def data(self) -> dict[str, Any]:
        """The MIME bundle of its only display."""
        found = [each["data"] for each in self.outputs if each["output_type"] in ("display_data", "execute_result")]
        assert len(found) == 1, self.outputs
        bundle: dict[str, Any] = found[0]
        return bundle

    @property
    def run_id(self) -> str:
        """Of the run that it shows."""
        run_id: str = self.data[MIME_TYPE]["run_id"]
        return run_id


class NotebookKernel:
    """The kernel of one notebook. Cells are executed one after the other."""

    def __init__(self, server: Server, path: str) -> None:
        self.server = server
        self.path = path
        if not (server.root / path).exists():
            nbformat.write(new_notebook(cells=[new_code_cell("")]), server.root / path)
        headers = {"Authorization": f"token {server.token('ada')}"}
        self._http = plain_client(f"{server.url}api/", headers=headers, timeout=SECONDS)
        body = {"path": path, "name": Path(path).name, "type": "notebook", "kernel": {"name": "python3"}}
        self.session: dict[str, Any] = self._asked("POST", "sessions", body)
        self.id: str = self.session["kernel"]["id"]
        self._connection_file = str(self.server.place / "runtime" / f"kernel-{self.id}.json")
        self.client = self._connected()

    def _connected(self) -> BlockingKernelClient:
        client = BlockingKernelClient(connection_file=self._connection_file)
        client.load_connection_file()
        client.hb_channel.time_to_dead = SECONDS  # a busy machine may answer no heartbeat for more than a second
        client.start_channels()
        client.wait_for_ready(timeout=SECONDS)
        return client

    def _asked(self, method: str, path: str, body: Any = None) -> Any:
        reply = self._http.request(method, path, json=body)
        assert reply.is_success, reply.text
        return reply.json() if reply.content else None

    def execute(self, notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
        """Execute all cells of a notebook as nbclient does, and return it with its outputs. The file stays as it is.

        Raises nbclient's `CellExecutionError` for a cell that fails."""
        executing = NotebookClient(
            notebook, km=_StartedKernel(self._connection_file), timeout=SECONDS, record_timing=False
        )
        try:
            return executing.execute()
        finally:
            if executing.kc is not None:
                executing.kc.stop_channels()

    def start(self, code: str) -> str:
        """Have a cell executed; its message's id."""
        message: str = self.client.execute(code)
        return message

    def run(self, code: str, *, fails: bool = False) -> Cell:
        """Execute a cell and wait for its end."""
        cell = self.wait(self.start(code))
        assert (cell.status == "error") == fails, (cell.error, cell.outputs)
        return cell

    def wait(self, message: str) -> Cell:
        """The end of a cell that was started."""
        outputs: list[Any] = []
        published: list[dict[str, Any]] = []
        while True:
            told = self.client.get_iopub_msg(timeout=SECONDS)
            mine = told["parent_header"].get("msg_id") == message
            _take(outputs, told, mine=mine)
            published.append(told)
            if mine and told["msg_type"] == "status" and told["content"]["execution_state"] == "idle":
                break
        while (reply := self.client.get_shell_msg(timeout=SECONDS))["parent_header"].get("msg_id") != message:
            pass
        return Cell(reply["content"], outputs, published)

    def follow(self, cell: Cell, seconds: float = SECONDS) -> Iterator[Cell]:
        """The cell each time that its output is brought up to date."""
        ends = time.monotonic() + seconds
        while time.monotonic() < ends:
            try:
                told = self.client.get_iopub_msg(timeout=max(0.01, ends - time.monotonic()))
            except Empty:
                return
            if told["msg_type"] == "update_display_data":
                _take(cell.outputs, told, mine=False)
                yield cell

    def interrupt(self) -> None:
        """As the button in the toolbar."""
        self._asked("POST", f"kernels/{self.id}/interrupt")

    def restart(self) -> None:
        """As the button in the toolbar."""
        self._asked("POST", f"kernels/{self.id}/restart")
        self.client.stop_channels()
        self.client = self._connected()

    def rename(self, path: str) -> None:
        """Another name for the notebook and its session, as JupyterLab does it."""
        self._asked("PATCH", f"contents/{self.path}", {"path": path})
        self._asked("PATCH", f"sessions/{self.session['id']}", {"path": path, "name": Path(path).name})
        self.path = path

    def working(self, run_id: str) -> None:
        """Wait until a run works."""
        with self.server.client("ada") as client:
            until(lambda: client.get(f"runs/{run_id}").json()["state"] == "running", what="the run to work")

    def newest(self, state: str = "running") -> dict[str, Any]:
        """The newest run of the notebook, once it is in this state."""
        with self.server.client("ada") as client:

            def found() -> dict[str, Any] | None:
                items = client.get("runs", params={"path": self.path, "limit": 1}).json()["items"]
                return items[0] if items and items[0]["state"] == state else None

            run: dict[str, Any] = until(found, what=f"a run that is {state}")
            return run

    def close(self) -> None:
        """End it."""
        self.client.stop_channels()
        self._asked("DELETE", f"sessions/{self.session['id']}")
        self._http.close()


class _StartedKernel(AsyncKernelManager):
    """A kernel that lives already, as nbclient takes it: it is connected to, neither started nor ended."""

    def __init__(self, connection_file: str) -> None:
        super().__init__(connection_file=connection_file)
        self.load_connection_file()

    @property
    def has_kernel(self) -> bool:
        return True

    async def is_alive(self) -> bool:
        return True


def _take(outputs: list[Any], told: dict[str, Any], *, mine: bool) -> None:
    kind, content = told["msg_type"], told["content"]
    display_id = content.get("transient", {}).get("display_id")
    if kind == "update_display_data":
        for output in outputs:
            if output.get("display_id") == display_id:
                output["data"] = json.loads(json.dumps(content["data"]))
    elif mine and kind in ("stream", "display_data", "execute_result", "error"):
        outputs.append({**output_from_msg(told), "display_id": display_id})


@contextmanager
def notebook_kernel(server: Server, path: str) -> Iterator[NotebookKernel]:
    """With the magics loaded."""
    kernel = NotebookKernel(server, path)
    try:
        kernel.run("%load_ext jupyter_cabinet")
        yield kernel
    finally:
        kernel.close()
