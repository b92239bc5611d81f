"""Whether bubblewrap can create namespaces on this machine: not in every container."""

from __future__ import annotations

import shutil
import subprocess

import pytest


def _works() -> bool:
    program = shutil.which("bwrap")
    if program is None:
        return False
    return subprocess.run([program, "--ro-bind", "/", "/", "--unshare-all", "true"], check=False).returncode == 0


NEEDS_BUBBLEWRAP = pytest.mark.skipif(
    not _works(), reason="bubblewrap is not installed, or cannot create namespaces here"
)
