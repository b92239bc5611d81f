"""One name for a tool, whatever a CLI calls it; presets; and no list that gives more than it says."""

from __future__ import annotations

import pytest

from jupyter_cabinet.core.errors import Invalid
from jupyter_cabinet.runtimes.claude.runtime import Claude
from jupyter_cabinet.runtimes.gemini.runtime import Gemini
from jupyter_cabinet.runtimes.model import Request
from jupyter_cabinet.runtimes.opencode.runtime import Opencode
from jupyter_cabinet.runtimes.pi.runtime import Pi
from jupyter_cabinet.runtimes.port import Located
from jupyter_cabinet.runtimes.shared.tool_names import CLAUDE_TOOLS, KNOWN, PRESETS, in_own_words

HERE = Located(path="/opt/cli", version="1.0")


def request(tmp_path, tools) -> Request:
    return Request(
        prompt="x", mode="headless", cwd="/work", session_id="s1", run_directory=str(tmp_path), allowed_tools=tools
    )


def told(launch) -> str:
    """Everything that the CLI receives in arguments, environment and files."""
    files = [file.content.decode() for file in launch.files]
    return "\n".join([*launch.argv, *launch.environment.values(), *files])


def test_a_known_tool_that_a_cli_lacks_is_left_out_and_an_own_one_stays(tmp_path):
    mine = in_own_words(request(tmp_path, ("Read", "WebSearch", "my_tool", "Read")), {"Read": ("read", "ls")})
    assert mine.allowed_tools == ("read", "ls", "my_tool")
    assert in_own_words(request(tmp_path, None), {}).allowed_tools is None
    assert in_own_words(request(tmp_path, ()), {"Read": ("read",)}).allowed_tools == ()


def test_presets_grow_and_only_the_last_has_no_list():
    assert PRESETS["none"] == ()
    assert set(PRESETS["reading"]) < set(PRESETS["editing"]) < set(PRESETS["coding"]) < set(KNOWN)
    assert "Bash" not in PRESETS["editing"]
    assert PRESETS["full"] is None
    assert set(CLAUDE_TOOLS) == set(KNOWN)


@pytest.mark.parametrize(
    ("runtime", "reads", "runs"),
    [
        (Claude(), "--tools=Read,Glob,Grep", "Bash"),
        (Gemini(), "read_file", "run_shell_command"),
        (Opencode(), '"read"', '"bash"'),
        (Pi(), "read,ls", "bash"),
    ],
    ids=lambda each: getattr(getattr(each, "about", None), "name", ""),
)
def test_the_preset_reading_names_no_shell_in_any_clis_words(runtime, reads, runs, tmp_path):
    found = told(runtime.launch(HERE, request(tmp_path, PRESETS["reading"])))
    assert reads in found
    assert runs not in found
    assert runs in told(runtime.launch(HERE, request(tmp_path, PRESETS["coding"])))


def test_a_list_that_one_permission_cannot_keep_is_refused(tmp_path):
    with pytest.raises(Invalid, match="both Edit and Write"):
        Opencode().launch(HERE, request(tmp_path, ("Read", "Write")))
