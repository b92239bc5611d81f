"""What a CLI reads from its run's directory: which files, under which names."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from jupyter_cabinet.core.errors import Invalid
from jupyter_cabinet.runtimes.model import McpServer, Request
from jupyter_cabinet.runtimes.shared.run_files import LONGEST_ARGUMENT_BYTES, RunFiles

REQUEST = Request(prompt="Hi.", mode="terminal", cwd="/w", session_id="s1", run_directory="/run/x")


def test_a_short_instruction_is_an_argument_and_no_command_of_the_cli():
    files = RunFiles(REQUEST)
    assert files.add_instruction("/exit\0").text == "Instruction: /exit"
    assert files.add_instruction("") is None
    assert not files.all()


@pytest.mark.parametrize(("text", "in_file"), [("é" * (LONGEST_ARGUMENT_BYTES // 2 + 1), False), ("short", True)])
def test_a_long_or_hidden_instruction_is_a_file_that_the_argument_names(text, in_file):
    files = RunFiles(REQUEST)
    first = files.add_instruction(text, in_file=in_file)
    assert first.path == "/run/x/prompt.md"
    assert first.path in first.text and text not in first.text
    assert [(file.path, file.content) for file in files.all()] == [(first.path, text.encode())]


def test_half_a_character_costs_that_character():
    files = RunFiles(REQUEST)
    files.add("system.md", "a\ud800b")
    assert files.all()[0].content == b"a?b"


def test_without_a_directory_nothing_can_be_added():
    with pytest.raises(Invalid) as refused:
        RunFiles(Request(prompt="Hi.", mode="terminal", cwd="/w", session_id="s1")).add("system.md", "x")
    assert refused.value.detail == {"field": "run_directory"}


def test_a_tool_server_starts_with_the_environment_of_its_file(tmp_path):
    files = RunFiles(Request(prompt="", mode="terminal", cwd="/w", session_id="s1", run_directory=str(tmp_path)))
    server = McpServer(name="cab", command=("/bin/sh", "-c", "echo $TICKET"), environment={"TICKET": "hidden"})
    command = files.add_tool_server(server)
    assert "hidden" not in str(command)
    (file,) = files.all()
    assert json.loads(file.content)["environment"] == {"TICKET": "hidden"}
    Path(file.path).write_bytes(file.content)
    assert subprocess.run(command, capture_output=True, check=True, text=True).stdout == "hidden\n"
    assert files.add_tool_server(McpServer(name="plain", command=("/bin/x", "-v"))) == ("/bin/x", "-v")
