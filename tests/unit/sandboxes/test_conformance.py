"""Every place in which processes run keeps the promises of the port."""

from __future__ import annotations

from jupyter_cabinet.sandboxes.local import LocalSandbox
from jupyter_cabinet.testing.sandboxes import SandboxConformance


class TestLocal(SandboxConformance):
    def make(self) -> LocalSandbox:
        return LocalSandbox()
