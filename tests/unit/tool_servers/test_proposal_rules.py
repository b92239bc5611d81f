"""What an agent cannot propose as the command of a tool server."""

from __future__ import annotations

from pathlib import Path

import pytest

from jupyter_cabinet.tool_servers.proposal_rules import CODE_IN_ARGUMENTS, HIDDEN, OTHER_RUNNER, refusal
from jupyter_cabinet.tool_servers.rules import SHELL

ROOT = Path("/srv/work")
NPX, UVX, PYTHON = "/usr/bin/npx", "/usr/bin/uvx", "/usr/bin/python3.11"


@pytest.mark.parametrize(
    "command",
    [
        (NPX, "-y", "@example/issues@1.2.3", "--port", "80"),
        (UVX, "server-git@0.6.2"),
        (NPX, "issues@2.0.0-beta.1"),
        (PYTHON, "-P", "-m", "server"),
        ("/opt/tools/server", "-config", "x"),
    ],
)
def test_an_installed_program_and_a_package_with_a_fixed_version_can_be_proposed(command: tuple[str, ...]) -> None:
    assert refusal(command, ROOT) == ""


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        (("/bin/bash", "-c", "true"), SHELL),
        (("/usr/bin/env", "bash", "-c", "true"), SHELL),
        (("/usr/bin/timeout", "9", "sh", "-c", "true"), SHELL),
        (("/usr/bin/env", "/bin/rbash"), SHELL),
        ((PYTHON, "-c", "import os"), CODE_IN_ARGUMENTS),
        ((PYTHON, "-cimport os"), CODE_IN_ARGUMENTS),
        (("/usr/bin/node", "--eval=x"), CODE_IN_ARGUMENTS),
        (("/usr/bin/perl", "-e", "x"), CODE_IN_ARGUMENTS),
        (("/usr/bin/npm", "exec", "x@1.0.0"), OTHER_RUNNER),
        (("/usr/bin/uv", "tool", "run", "x@1.0.0"), OTHER_RUNNER),
        ((PYTHON, "two\nlines"), HIDDEN),
        ((PYTHON, "un\u200bseen"), HIDDEN),
    ],
)
def test_a_shell_and_a_program_in_the_arguments_cannot(command: tuple[str, ...], reason: str) -> None:
    assert refusal(command, ROOT) == reason


@pytest.mark.parametrize(
    "arguments",
    [
        ("evil",),
        ("evil@latest",),
        ("evil@^1",),
        ("evil@*",),
        ("-y",),
        ("--package=evil", "x@1.0.0"),
        ("--call=x", "x@1.0.0"),
        ("git+https://u@example.com/x@1.0.0",),
        ("https://x@1.0.0/evil",),
        ("--from=evil", "x@1.0.0"),
        ("--with=evil", "x@1.0.0"),
        ("github:u/x",),
    ],
)
def test_a_package_without_a_fixed_version_cannot(arguments: tuple[str, ...]) -> None:
    for program in (NPX, UVX):
        assert "no fixed version" in refusal((program, *arguments), ROOT)


def test_a_file_below_the_root_cannot_wherever_it_is_named() -> None:
    for each in ("/srv/work/now.py", "--import=/srv/work/now.py", "x:/srv/work"):
        assert "in this folder" in refusal((PYTHON, each), ROOT)


def test_a_link_to_a_shell_cannot(tmp_path: Path) -> None:
    (tmp_path / "server").symlink_to("/bin/bash")
    assert refusal((str(tmp_path / "server"), "x"), ROOT) == SHELL
