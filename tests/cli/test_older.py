"""The tested versions list every option that they are started with: what an older one does not list, it lacks."""

from __future__ import annotations

import os
from itertools import product
from pathlib import Path

import msgspec
import pytest

from jupyter_cabinet.core.errors import Invalid
from jupyter_cabinet.runtimes.claude.runtime import Claude
from jupyter_cabinet.runtimes.cli_versions import fitted
from jupyter_cabinet.runtimes.codex.runtime import Codex
from jupyter_cabinet.runtimes.gemini.runtime import Gemini
from jupyter_cabinet.runtimes.model import McpServer, PermissionMode, Request, RunMode
from jupyter_cabinet.runtimes.opencode.runtime import Opencode
from jupyter_cabinet.runtimes.pi.runtime import Pi
from jupyter_cabinet.runtimes.port import Located, Runtime

from .homes import installed, search_path

pytestmark = pytest.mark.realcli
SESSION = "3e6f2f3c-6a64-4a1f-9a52-0f2f0c0f7a11"
MODES: tuple[RunMode, ...] = ("headless", "terminal")
PERMISSIONS: tuple[PermissionMode, ...] = ("ask", "edit", "bypass")


def requests(folder: Path) -> list[Request]:
    common = {"prompt": "hello", "cwd": str(folder), "session_id": SESSION, "run_directory": str(folder)}
    more = [
        {},
        {"resume": SESSION, "model": "some/model", "system": "Be brief.", "hook_command": ("true",)},
        {"allowed_tools": ("Read",)},
        {"allowed_tools": ()},
        {"mcp_servers": (McpServer(name="a", command=("true",)),)},
    ]
    return [
        Request(**common, mode=mode, permission_mode=permission, **fields)
        for mode, permission, fields in product(MODES, PERMISSIONS, more)
    ]


@pytest.mark.parametrize("runtime", [Claude(), Codex(), Gemini(), Opencode(), Pi()], ids=lambda made: made.about.name)
def test_the_tested_version_lists_every_option_that_it_is_started_with(
    runtime: Runtime, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("IS_SANDBOX", "1")
    located = Located(path=str(installed(runtime.about.name)), version="0.0.1")
    about = msgspec.structs.replace(runtime.about, tested="0.0.2")
    environment = {**os.environ, "PATH": search_path(), "HOME": str(tmp_path)}
    tried = set()
    for request in requests(tmp_path):
        try:
            launch = runtime.launch(located, request)
        except Invalid:  # it cannot keep this at all
            continue
        assert fitted(launch, about, located, environment) == launch
        tried.add(request.mode)
    assert tried == set(MODES)
    with pytest.raises(Invalid, match="--no-such-option"):  # its help was read
        fitted(msgspec.structs.replace(launch, argv=(located.path, "--no-such-option")), about, located, environment)
