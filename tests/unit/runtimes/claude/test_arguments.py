"""What Claude Code's arguments contain, and what they never contain."""

from __future__ import annotations

import json
import os
import shlex

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from jupyter_cabinet.core.errors import Invalid
from jupyter_cabinet.runtimes.claude import arguments
from jupyter_cabinet.runtimes.claude.runtime import Claude
from jupyter_cabinet.runtimes.model import McpServer, Request
from jupyter_cabinet.runtimes.port import Located
from jupyter_cabinet.runtimes.shared.instruction_escaping import PASTE_BEGIN, PASTE_END, paste, plain_instruction

HERE = Located(path="/opt/claude", version="2.1.329")
TWO_MODES = ("ask", "edit")
BASE = Request(prompt="Hi.", mode="terminal", cwd="/w", session_id="s1", run_directory="/run/x")


def launch(**changes):
    return Claude().launch(HERE, msgspec.structs.replace(BASE, **changes))


@given(prompt=st.text(min_size=1, max_size=300), system=st.text(max_size=50), headless=st.booleans())
def test_no_text_of_a_person_becomes_an_option(prompt, system, headless):
    made = launch(prompt=prompt, system="s" + system, mode="headless" if headless else "terminal")
    fixed = launch(prompt="plain", system="s", mode="headless" if headless else "terminal")
    assert len(made.argv) == len(fixed.argv)
    if headless:
        assert made.argv == fixed.argv
        assert made.stdin.endswith(prompt.encode(errors="replace"))
    else:
        assert made.argv[:-1] == fixed.argv[:-1]
        assert made.argv[-2] == "--"
        assert made.argv[-1].endswith(prompt.replace("\0", ""))


def test_without_an_instruction_the_cli_is_opened_without_one():
    assert "--" not in launch(prompt="").argv


@pytest.mark.parametrize(("mode", "word"), [("ask", "manual"), ("edit", "acceptEdits")])
def test_the_permission_mode_is_always_given(mode, word):
    argv = launch(permission_mode=mode).argv
    assert argv[argv.index("--permission-mode") + 1] == word


def test_no_questions_as_root_is_refused_before_the_start(monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setenv("IS_SANDBOX", "yes")
    with pytest.raises(Invalid, match="as root"):
        launch(permission_mode="bypass")
    monkeypatch.setenv("IS_SANDBOX", "1")
    assert "bypassPermissions" in launch(permission_mode="bypass").argv
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.delenv("IS_SANDBOX")
    assert "bypassPermissions" in launch(permission_mode="bypass").argv


def test_a_session_is_chosen_or_resumed_never_both():
    assert launch().argv[1:3] == ("--session-id", "s1")
    assert launch(resume="r1").argv[1:3] == ("--resume", "r1")
    assert "--session-id" not in launch(resume="r1").argv


def test_tool_servers_come_in_a_file_and_their_tools_are_allowed():
    server = McpServer(name="cabinet", command=("/bin/x", "-v"), environment={"TICKET": "hidden"})
    made = launch(mcp_servers=(server,))
    assert "--allowedTools=mcp__cabinet" in made.argv
    assert "--strict-mcp-config" in made.argv
    assert "hidden" not in str(made.argv)
    config = json.loads(made.files[0].content)["mcpServers"]["cabinet"]
    assert config == {"command": "/bin/x", "args": ["-v"], "env": {"TICKET": "hidden"}, "alwaysLoad": True}


def test_a_tool_server_of_the_run_is_there_beside_an_empty_list_of_tools():
    made = launch(mcp_servers=(McpServer(name="cabinet", command=("/bin/x",)),), allowed_tools=())
    assert {"--tools=", "--allowedTools=mcp__cabinet", "--strict-mcp-config"} <= set(made.argv)
    assert "cabinet" in json.loads(made.files[0].content)["mcpServers"]


def test_tools_are_taken_away_and_spared_the_question():
    argv = launch(allowed_tools=("Read", "Bash(git *)", "mcp__cabinet__x")).argv
    assert "--tools=Read,Bash" in argv
    assert "--allowedTools=Bash(git *)" in argv
    none = launch(allowed_tools=())
    assert {"--tools=", "--strict-mcp-config"} <= set(none.argv)  # nor tool servers of the user's configuration
    assert {"mcpServers": {}} in [json.loads(file.content) for file in none.files if file.path.endswith(".json")]
    assert "--strict-mcp-config" not in launch(allowed_tools=("Read",)).argv
    assert not any(argument.startswith("--tools") for argument in launch().argv)


def test_ask_first_asks_for_what_the_list_names_and_edits_stay_in_the_folder():
    tools = ("Read", "Edit", "Write", "Bash")
    server = McpServer(name="cabinet", command=("/bin/x",))
    spared = {
        mode: [
            each
            for each in launch(allowed_tools=tools, permission_mode=mode, mcp_servers=(server,)).argv
            if "--allowed" in each
        ]
        for mode in ("ask", "edit")
    }
    assert spared["ask"] == ["--allowedTools=mcp__cabinet"]
    assert spared["edit"] == ["--allowedTools=mcp__cabinet", "--allowedTools=Read", "--allowedTools=Bash"]


def test_hooks_run_the_given_program_whatever_its_name():
    argv = launch(hook_command=("/a b/python", "-I", "it's.py", "$(x)")).argv
    hooks = json.loads(argv[argv.index("--settings") + 1])["hooks"]
    assert {"Stop", "StopFailure", "PermissionRequest", "SessionStart"} <= set(hooks)
    command = hooks["Stop"][0]["hooks"][0]["command"]
    assert shlex.split(command) == ["/a b/python", "-I", "it's.py", "$(x)"]
    assert "--settings" not in launch(hook_command=()).argv


def test_a_long_prompt_goes_into_a_file_that_may_be_read():
    made = launch(prompt="x" * 33_000)
    assert made.files[0].path == "/run/x/prompt.md"
    assert "/run/x/prompt.md" in made.argv[-1]
    assert "--allowedTools=Read(//run/x/prompt.md)" in made.argv


@pytest.mark.parametrize("changes", [{"model": "--x"}, {"model": ""}, {"allowed_tools": ("-x",)}, {"session_id": "-x"}])
def test_a_value_that_could_be_an_option_is_refused(changes):
    with pytest.raises(Invalid):
        launch(**changes)


@given(st.text())
@example("\x1b!ls")
@example("\0 \x7f/exit")
def test_what_is_typed_holds_no_key_and_is_no_command(text):
    typed = paste(plain_instruction(text))
    inside = typed.removeprefix(PASTE_BEGIN).removesuffix(PASTE_END).decode()
    assert typed.count(b"\x1b") == 2
    assert not inside.lstrip().startswith(("/", "!", "#", "&"))
    assert all(character >= " " or character in "\n\t" for character in inside)


def test_a_model_and_an_addition_to_the_system_prompt_are_given_as_they_are():
    made = launch(mode="headless", model="opus", system="Be brief.")
    assert made.argv[made.argv.index("--model") + 1] == "opus"
    place = made.argv.index("--append-system-prompt-file")
    assert made.argv[place - 2 : place + 2] == (
        "--system-prompt-snapshot",
        "off",
        "--append-system-prompt-file",
        "/run/x/system.md",
    )
    assert [(file.path, file.content) for file in made.files] == [("/run/x/system.md", b"Be brief.")]
    assert {"--model", "--append-system-prompt-file"}.isdisjoint(launch(mode="headless").argv)


def test_who_can_be_asked_answers_over_stdin():
    assert "--permission-prompt-tool" in launch(mode="headless", permission_mode="ask").argv
    assert "--permission-prompt-tool" not in launch(mode="headless", permission_mode="edit").argv


def test_root_is_told_that_it_cannot_do_without_questions():
    request = msgspec.structs.replace(BASE, permission_mode="bypass")
    with pytest.raises(Invalid, match="as root") as refused:
        arguments.check(request, as_root=True)
    assert refused.value.detail == {"field": "permission_mode"}
    arguments.check(request, as_root=False)
