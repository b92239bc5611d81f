"""Jupyter's own kernel and session managers in the test's process, with real kernels."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from jupyter_server.services.contents.filemanager import AsyncFileContentsManager
from jupyter_server.services.kernels.kernelmanager import AsyncMappingKernelManager
from jupyter_server.services.sessions.sessionmanager import SessionManager


@asynccontextmanager
async def managers(root: Path) -> AsyncIterator[Any]:
    """What `JupyterKernels` uses of a server."""
    kernels = AsyncMappingKernelManager(root_dir=str(root), connection_dir=str(root.parent))
    contents = AsyncFileContentsManager(root_dir=str(root))
    sessions = SessionManager(kernel_manager=kernels, contents_manager=contents)
    try:
        yield SimpleNamespace(kernel_manager=kernels, session_manager=sessions)
    finally:
        await kernels.shutdown_all(now=True)
        sessions.close()


async def start_kernel(server: Any, path: str, name: str = "python3") -> str:
    """Start the kernel of a notebook, as JupyterLab does when the notebook is opened; the kernel's id."""
    session = await server.session_manager.create_session(
        path=path, name=Path(path).name, type="notebook", kernel_name=name
    )
    return str(session["kernel"]["id"])
