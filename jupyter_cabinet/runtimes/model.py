"""The values of the runtimes: a request to a CLI, its events, its outcome.

`AgentEvent` is both the domain value and the wire format of a run's output.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from .requested_actions import AnyAction, Choice

PermissionMode = Literal["ask", "edit", "bypass"]
RunMode = Literal["terminal", "headless"]


class Usage(msgspec.Struct, frozen=True, kw_only=True):
    """Tokens as the CLI reports them."""

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0


class McpServer(msgspec.Struct, frozen=True, kw_only=True):
    """A tool server to give to the CLI."""

    name: str
    command: tuple[str, ...]
    environment: dict[str, str] = {}


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """One instruction for a CLI, as a `RunKind` prepared it."""

    prompt: str  # empty, in a terminal: the CLI opens and waits for an instruction
    mode: RunMode
    cwd: str  # absolute
    session_id: str  # our UUID; used as the CLI's own id if it accepts one
    resume: str | None = None  # the CLI's own id of the session to continue
    system: str | None = None  # addition to the system prompt
    model: str | None = None
    permission_mode: PermissionMode = "edit"
    allowed_tools: tuple[str, ...] | None = None  # None: the mode's default; (): no tools
    mcp_servers: tuple[McpServer, ...] = ()
    keeps_tool_servers: bool = False  # those that the person has configured in the CLI itself stay beside these
    readable: tuple[str, ...] = ()  # folders, absolute, outside `cwd`, which it may read without asking
    max_turns: int = 25
    # the cost so far of the session to resume (`Outcome.session_cost_usd`): some CLIs report only the sum
    session_cost_before_usd: float | None = None
    session_usage_before: Usage | None = None  # the same for tokens (`Outcome.session_usage`)
    run_directory: str = ""  # 0700; contains temporary files and the hook's socket
    isolated: bool = False  # the CLI is started in a sandbox, so it should not use its own
    # argv of the program that passes a hook's JSON (on its stdin) to the server; empty: no hooks
    hook_command: tuple[str, ...] = ()
    command: tuple[str, ...] = ()  # only for the runtime `command`: the program and its arguments


class TemporaryFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file to write with mode 0600 before the launch and to remove afterwards, also on error."""

    path: str
    content: bytes


class Launch(msgspec.Struct, frozen=True, kw_only=True):
    """How to start the CLI. No shell; `argv[0]` is an absolute path."""

    argv: tuple[str, ...]
    stdin: bytes = b""  # headless only; the pipe is closed after it unless `keep_stdin_open`: see `port.Dialogue`
    keep_stdin_open: bool = False
    outlives_answer: bool = False  # headless only; it does not exit by itself, so it is ended soon after its answer
    environment: dict[str, str] = {}  # added to the built environment
    files: tuple[TemporaryFile, ...] = ()
    # in a terminal, if no hook names it: the transcript, as a pattern below the runtime's folder of transcripts
    transcript: str = ""


FailureKind = Literal[
    "cli_missing",
    "not_logged_in",
    "rate_limited",
    "session_gone",
    "session_exists",
    "context_exhausted",
    "output_limit",
    "limit",
    "model_unavailable",
    "permission_denied",
    "timeout",
    "stalled",
    "crashed",
    "cancelled",
    "unknown",
]


class Failure(msgspec.Struct, frozen=True, kw_only=True):
    """Why a run failed, in a sentence for a person."""

    kind: FailureKind
    message: str
    retry_helps: bool = False
    retry_after_seconds: float | None = None


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """How the CLI's work on one instruction ended. `failure is None` means success."""

    text: str = ""  # the final message
    native_id: str | None = None  # the CLI's own id of the session
    usage: Usage | None = None
    cost_usd: float | None = None  # None: not reported; never estimated
    session_cost_usd: float | None = None  # of the whole session, if the CLI counts that way
    session_usage: Usage | None = None  # of the whole session, if the CLI counts that way
    failure: Failure | None = None


class AgentEvent(msgspec.Struct, frozen=True, kw_only=True, tag_field="type"):
    """Base of the closed union `AnyAgentEvent`."""


class SessionStarted(AgentEvent, frozen=True, kw_only=True, tag=True):
    """The CLI names its session; `native_id` is its own id."""

    native_id: str
    model: str | None = None
    version: str | None = None
    failed_tool_servers: tuple[str, ...] = ()


class TextDelta(AgentEvent, frozen=True, kw_only=True, tag=True):
    """A piece of text while it is written. A `TextBlock` with the whole text follows."""

    text: str


class TextBlock(AgentEvent, frozen=True, kw_only=True, tag=True):
    """A complete block of the answer."""

    text: str


class Thinking(AgentEvent, frozen=True, kw_only=True, tag=True):
    """The model's reasoning."""

    text: str


class ToolCall(AgentEvent, frozen=True, kw_only=True, tag=True):
    """The agent uses a tool. `summary` is its main argument in one line: a path, a command."""

    call_id: str
    tool: str
    summary: str = ""
    input: dict[str, Any] = {}


class ToolResult(AgentEvent, frozen=True, kw_only=True, tag=True):
    """The result of a tool call."""

    call_id: str
    text: str = ""
    is_error: bool = False


OptionKind = Literal["allow_once", "allow_session", "deny", "choice", "terminal"]


class WordedQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """One of several questions that are answered together, in text."""

    question: str
    choices: tuple[str, ...] = ()  # the agent's suggestions
    several: bool = False  # whether more than one suggestion may be chosen


class AnswerOption(msgspec.Struct, frozen=True, kw_only=True):
    """A possible answer that the CLI accepts.

    `kind` is what it grants; `choice` grants nothing, it is an opinion; `terminal` grants nothing, the CLI asks again
    in its own terminal.
    """

    id: str
    label: str
    kind: OptionKind
    grants: str = ""  # what it allows beyond this one call, in a sentence
    takes_note: bool = False  # whether the agent receives the person's note
    # What the note answers, a line each; empty: the note is one answer.
    questions: tuple[WordedQuestion, ...] = ()


# The tags of these two are older than their names, and stay: recorded outputs contain them, and pages read them.
class QuestionAsked(AgentEvent, frozen=True, kw_only=True):
    """The CLI asks something. Without `options` it can only be answered in its terminal."""

    question_id: str
    question: str  # a sentence
    tool: str = ""  # the CLI's name of the tool it asks for; empty: it asks for an opinion
    input: dict[str, Any] = {}  # its arguments, as the CLI gave them
    asks: AnyAction = Choice()  # the action, independent of the CLI's names
    why: str = ""  # the agent's own reason
    options: tuple[AnswerOption, ...] = ()
    in_terminal: bool = False  # the question also appears in a terminal: the first answer counts


class QuestionAnswered(AgentEvent, frozen=True, kw_only=True):
    """The question is no longer on the screen."""

    question_id: str


class AnswerOverruled(AgentEvent, frozen=True, kw_only=True, tag=True):
    """A question was answered both here and in the CLI's own dialog, and the dialog was first, or the reverse.

    `done`: whether the call was carried out. Only given if that differs from the answer given here.
    """

    question_id: str
    done: bool


class PromptSubmitted(AgentEvent, frozen=True, kw_only=True, tag=True):
    """A person typed an instruction into the CLI, or our instruction has arrived there."""

    text: str


class Retrying(AgentEvent, frozen=True, kw_only=True, tag=True):
    """The model's service failed; the CLI tries again."""

    attempt: int
    max_attempts: int | None = None
    delay_seconds: float | None = None
    reason: str = ""


class UsageReported(AgentEvent, frozen=True, kw_only=True, tag=True):
    """Tokens and cost so far."""

    usage: Usage
    cost_usd: float | None = None


class Warned(AgentEvent, frozen=True, kw_only=True, tag=True):
    """Information for a person that does not end the run."""

    message: str


class AnswerFinished(AgentEvent, frozen=True, kw_only=True, tag=True):
    """The end of an answer: the answer to this instruction is complete."""

    text: str = ""


AnyAgentEvent = (
    SessionStarted
    | TextDelta
    | TextBlock
    | Thinking
    | ToolCall
    | ToolResult
    | QuestionAsked
    | QuestionAnswered
    | AnswerOverruled
    | PromptSubmitted
    | Retrying
    | UsageReported
    | Warned
    | AnswerFinished
)
