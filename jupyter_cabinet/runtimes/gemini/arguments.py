"""The arguments and temporary files for starting Gemini CLI. Pure; called by `runtime.py`. Facts: 0.61.0.

Values follow a `=`: its parser takes a value after a space for an option if it looks like one. Its settings hold tool
servers and hooks, and it accepts no settings file from us unless root owns all folders above it.
"""

from __future__ import annotations

from ...core.errors import Invalid
from ..model import PermissionMode, Request
from ..shared.instruction_escaping import plain_instruction
from ..shared.request_checks import check_ids, check_model, check_tool_names
from ..shared.run_files import RunFiles
from ..shared.session_ids import known_session
from ..shared.system_text import with_system_text
from ..shared.toml_text import TomlValue, toml

MODES: dict[PermissionMode, str] = {"ask": "default", "edit": "auto_edit", "bypass": "yolo"}
# A person's own rules go up to 999. A choice of *Allow always* in a dialog has 950.
DENY_PRIORITY, ALLOW_PRIORITY = 998, 999
ASK_PRIORITY, DENY_UNKNOWN_PRIORITY = 900, 890
# Its own rules allow these in every mode, and ask for the others (`policies/*.toml`).
_READERS = ("read_file", "list_directory", "glob", "grep_search", "google_web_search")
_ASKERS = ("replace", "write_file", "run_shell_command", "web_fetch", "activate_skill", "save_memory", "invoke_agent")
_ID_CHARACTERS = 8  # part of the transcript's name that comes from the session's id


def check(request: Request) -> None:
    """Raise `Invalid` for requests that Gemini CLI would refuse or not respect."""
    check_ids(request)
    check_model(request)
    check_tool_names(request, "Gemini CLI")
    if request.mcp_servers:
        raise Invalid(
            "Gemini CLI takes tool servers only from its own settings. Leave them out, or choose another agent.",
            field="mcp_servers",
        )


def headless(request: Request, files: RunFiles) -> list[str]:
    """Return the command line. The prompt comes over stdin. May add files to `files`."""
    return [*_common(request, files), "--output-format=stream-json"]


def interactive(request: Request, files: RunFiles) -> list[str]:
    """Return the command line, with a first instruction last. Without one the CLI opens and waits.

    May add files to `files`.
    """
    argv = _common(request, files)
    first = files.add_instruction(with_system_text(request), in_file=bool(request.system))
    if first is None:
        return argv
    if first.path:  # it reads only files of its folders
        argv.append(f"--include-directories={request.run_directory}")
    return [*argv, f"--prompt-interactive={_unquoted(first.text)}"]


def stdin(request: Request) -> bytes:
    """Return the prompt, with the addition to the system prompt before it.

    It is escaped: even without a terminal, the CLI runs text that looks like one of its commands.
    """
    text = with_system_text(request) if request.system else plain_instruction(request.prompt)
    return text.encode(errors="replace")


def transcript(request: Request) -> str:
    """Return the pattern of the session's file, below the folder of each project that Gemini CLI knows."""
    session = known_session(request.resume) if request.resume else request.session_id
    return f"*/chats/session-*-{session[:_ID_CHARACTERS]}.jsonl"


def _common(request: Request, files: RunFiles) -> list[str]:
    argv = [f"--approval-mode={MODES[request.permission_mode]}", f"--{_session(request)}"]
    if request.model:
        argv.append(f"--model={request.model}")
    argv += [f"--include-directories={folder}" for folder in request.readable]
    if request.allowed_tools is not None:
        made = _policy_that_asks if request.permission_mode == "ask" else _policy
        rules = f"rule = {toml(made(request.allowed_tools))}\n"
        argv.append(f"--policy={files.add('tools.toml', rules)}")
    return argv


def _session(request: Request) -> str:
    # it would also accept a number or `latest`, which is another session
    return f"resume={known_session(request.resume)}" if request.resume else f"session-id={request.session_id}"


def _policy(tools: tuple[str, ...]) -> list[dict[str, TomlValue]]:
    """Return rules that hide all tools that are not named from the model."""
    rules: list[dict[str, TomlValue]] = [{"toolName": "*", "decision": "deny", "priority": DENY_PRIORITY}]
    if tools:
        rules.append({"toolName": tools, "decision": "allow", "priority": ALLOW_PRIORITY})
    return rules


def _policy_that_asks(tools: tuple[str, ...]) -> list[dict[str, TomlValue]]:
    """Return rules for *Ask first*: a named tool that changes or reaches anything needs a question.

    *Allow always* in a dialog has to override the question, but must not bring back a tool that the list leaves out. So
    each tool that can be allowed in this way is denied by name, with a higher priority.
    """
    reading = tuple(tool for tool in tools if tool in _READERS)
    asking = tuple(tool for tool in tools if tool not in _READERS)
    absent = tuple(tool for tool in _ASKERS if tool not in tools)
    named: tuple[tuple[tuple[str, ...], str, int], ...] = (
        (reading, "allow", ALLOW_PRIORITY),
        (absent, "deny", DENY_PRIORITY),
        (asking, "ask_user", ASK_PRIORITY),
    )
    rules: list[dict[str, TomlValue]] = [
        {"toolName": names, "decision": decision, "priority": priority} for names, decision, priority in named if names
    ]
    rules.append({"toolName": "*", "mcpName": "*", "decision": "deny", "priority": DENY_PRIORITY})
    return [*rules, {"toolName": "*", "decision": "deny", "priority": DENY_UNKNOWN_PRIORITY}]


def _unquoted(text: str) -> str:
    """Add quotes: its parser removes quotes around the whole text."""
    return f"{text} " if text[:1] in ("'", '"') and text[:1] == text[-1:] else text
