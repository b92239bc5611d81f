"""Every sandbox in which processes run keeps the promises of the port."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from harness.bubblewrap import NEEDS_BUBBLEWRAP

from jupyter_cabinet.sandboxes.local import LocalSandbox
from jupyter_cabinet.sandboxes.local_pipes import LocalPipedProcess
from jupyter_cabinet.sandboxes.local_pty import LocalPtyProcess
from jupyter_cabinet.sandboxes.port import Size
from jupyter_cabinet.sandboxes.view import SandboxView
from jupyter_cabinet.testing.sandboxes import SandboxConformance


class TestLocal(SandboxConformance):
    def make(self) -> LocalSandbox:
        return LocalSandbox()


def _only(folder: str) -> SandboxView:
    return SandboxView(folder=folder, home="/root", write=() if folder == "/" else (folder,))


class Isolated(LocalSandbox):
    """Every program sees its working folder and nothing else of its user."""

    async def start(
        self, argv: Sequence[str], *, cwd: str, environment: Mapping[str, str], view: SandboxView | None = None
    ) -> LocalPipedProcess:
        return await super().start(argv, cwd=cwd, environment=environment, view=_only(cwd))

    async def start_on_pty(
        self,
        argv: Sequence[str],
        *,
        cwd: str,
        environment: Mapping[str, str],
        size: Size,
        view: SandboxView | None = None,
    ) -> LocalPtyProcess:
        return await super().start_on_pty(argv, cwd=cwd, environment=environment, size=size, view=_only(cwd))


@NEEDS_BUBBLEWRAP
class TestBubblewrap(SandboxConformance):
    counts_survivors = False

    def make(self) -> Isolated:
        return Isolated()
