"""Checks that a worker sees the folder of a run, and gives it the run directory. Called by `dask_cluster.py`."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack
from typing import Final

from ..core.errors import Unavailable
from .port import Placement
from .remote_process import RemoteProcess
from .shared_folder import is_answered, machine, proof

NOT_SEEN: Final = (
    "The worker {worker} does not see the folder {folder}. Give it the same folder at the same path, for example on a"
    " shared file system. Folders are not copied to workers."
)
NOT_WRITTEN: Final = (
    "The worker {worker} sees the folder {folder}, but what it writes there does not arrive here. Give it the same"
    " folder, with write access."
)
SHARED_SOCKET: Final = (
    "The worker {worker} is on another machine or in a container, but shares the folder {folder} with this server,"
    " whose sockets it cannot use. Set XDG_RUNTIME_DIR of the server to a folder that the worker does not share."
)


async def give_folders(process: RemoteProcess, placement: Placement, worker: str) -> bool:
    """Prove that the worker sees the folder, and lay out the run directory there if it does not see that.

    Returns whether it uses the server's run directory itself; False also if the run has none. Writes small files for
    the proof, and removes them. Raises `Unavailable` if the worker does not see the folder, cannot write there, does
    not answer in time, or cannot use the sockets of a shared run directory; and `OSError`.
    """
    directory = placement.run_directory
    stack = ExitStack()
    try:
        folders = (placement.state_folder, *([directory] if directory is not None else []))
        proofs = [await asyncio.to_thread(stack.enter_context, proof(folder)) for folder in folders]
        contents, where = await process.look([path for path, _ in proofs])
        sees = [read == written for read, (_, written) in zip(contents, proofs, strict=True)]
        can_write = await asyncio.to_thread(is_answered, *proofs[0])
    finally:
        await asyncio.to_thread(stack.close)
    if not sees[0]:
        raise Unavailable(NOT_SEEN.format(worker=worker, folder=placement.folder))
    if not can_write:
        raise Unavailable(NOT_WRITTEN.format(worker=worker, folder=placement.folder))
    if directory is None:
        return False
    if not sees[1]:
        await process.lay_out(directory)
        return False
    if where != machine():
        raise Unavailable(SHARED_SOCKET.format(worker=worker, folder=directory.parent))
    return True
