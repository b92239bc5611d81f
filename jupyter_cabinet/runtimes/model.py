"""The values of the room: what is asked of a CLI, what it says, how it ended.

`AgentEvent` is at once the domain value and the wire format of a run's output.
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

    prompt: str  # empty, in a terminal: the CLI is opened and waits for an instruction
    mode: RunMode
    cwd: str  # absolute
    session_id: str  # a UUID of ours; used as the CLI's own where it lets us choose
    resume: str | None = None  # the CLI's own id of the session to go on with
    system: str | None = None  # addition to the system prompt
    model: str | None = None
    permission_mode: PermissionMode = "edit"
    allowed_tools: tuple[str, ...] | None = None  # None: the mode's default; (): no tools
    mcp_servers: tuple[McpServer, ...] = ()
    max_turns: int = 25
    # what the session to resume has cost so far (`Outcome.session_cost_usd`): some CLIs report only the sum
    session_cost_before_usd: float | None = None
    session_usage_before: Usage | None = None  # the same for tokens (`Outcome.session_usage`)
    run_directory: str = ""  # 0700; temporary files and the hook's socket live there
    # argv of the program that hands a hook's JSON (on its stdin) to the server; empty: no hooks
    hook_command: tuple[str, ...] = ()
    command: tuple[str, ...] = ()  # for the runtime `command` alone: the program and its arguments


class TemporaryFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file to write with mode 0600 before the launch and to remove afterwards, also on error."""

    path: str
    content: bytes


class Launch(msgspec.Struct, frozen=True, kw_only=True):
    """How to start the CLI. No shell; `argv[0]` is an absolute path."""

    argv: tuple[str, ...]
    stdin: bytes = b""  # headless only; the pipe is closed after it unless `keep_stdin_open`: see `port.Dialogue`
    keep_stdin_open: bool = False
    environment: dict[str, str] = {}  # added to the built environment
    files: tuple[TemporaryFile, ...] = ()
    # in a terminal, where no hook names it: the transcript, as a pattern below the runtime's folder of transcripts
    transcript: str = ""


FailureKind = Literal[
    "cli_missing",
    "not_logged_in",
    "rate_limited",
    "session_gone",
    "session_exists",
    "context_exhausted",
    "output_limit",
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
    cost_usd: float | None = None  # None: not reported; never invented
    session_cost_usd: float | None = None  # of the whole session, where the CLI counts so
    session_usage: Usage | None = None  # the same
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
    """A piece of text as it is written; a `TextBlock` with the whole follows."""

    text: str


class TextBlock(AgentEvent, frozen=True, kw_only=True, tag=True):
    """A whole piece of the answer."""

    text: str


class Thinking(AgentEvent, frozen=True, kw_only=True, tag=True):
    """What the model thinks aloud."""

    text: str


class ToolCall(AgentEvent, frozen=True, kw_only=True, tag=True):
    """The agent uses a tool. `summary` is its main argument in one line: a path, a command."""

    call_id: str
    tool: str
    summary: str = ""
    input: dict[str, Any] = {}


class ToolResult(AgentEvent, frozen=True, kw_only=True, tag=True):
    """What came back."""

    call_id: str
    text: str = ""
    is_error: bool = False


OptionKind = Literal["allow_once", "allow_session", "deny", "choice", "terminal"]


class WordedQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """One of the questions that are answered together, in words."""

    question: str
    choices: tuple[str, ...] = ()  # what the agent suggests
    several: bool = False  # whether more than one of them may be chosen


class AnswerOption(msgspec.Struct, frozen=True, kw_only=True):
    """One answer that the CLI takes. `kind` says what it grants; `choice`: nothing, it is a word;
    `terminal`: nothing, the CLI asks again in its own terminal."""

    id: str
    label: str
    kind: OptionKind
    grants: str = ""  # what it allows beyond this one call, in a sentence
    takes_note: bool = False  # whether the agent hears what the person says with it
    # What the note answers, a line each; empty: the note is one answer.
    questions: tuple[WordedQuestion, ...] = ()


# The tags of these two are older than their names: recorded outputs have them, and pages read them.
class QuestionAsked(AgentEvent, frozen=True, kw_only=True):
    """The CLI asks something. Without `options` it can be answered in its terminal only."""

    question_id: str
    question: str  # a sentence
    tool: str = ""  # the CLI's name of the tool it asks for; empty: it asks a person's opinion
    input: dict[str, Any] = {}  # its arguments, as the CLI gave them
    asks: AnyAction = Choice()  # what would be done, whatever the CLI calls it
    why: str = ""  # the reason that the agent itself gives
    options: tuple[AnswerOption, ...] = ()
    in_terminal: bool = False  # the question stands in a terminal too: the first answer counts


class QuestionAnswered(AgentEvent, frozen=True, kw_only=True):
    """The question is gone from the screen."""

    question_id: str


class AnswerOverruled(AgentEvent, frozen=True, kw_only=True, tag=True):
    """The CLI's own box was answered before an answer from here arrived, and the other way round.

    `done`: whether the call was carried out. Only given where that differs from the answer from here.
    """

    question_id: str
    done: bool


class PromptSubmitted(AgentEvent, frozen=True, kw_only=True, tag=True):
    """A person typed an instruction into the CLI itself, or ours has arrived there."""

    text: str


class Retrying(AgentEvent, frozen=True, kw_only=True, tag=True):
    """The model's service did not answer well; the CLI tries again."""

    attempt: int
    max_attempts: int | None = None
    delay_seconds: float | None = None
    reason: str = ""


class UsageReported(AgentEvent, frozen=True, kw_only=True, tag=True):
    """Running figures."""

    usage: Usage
    cost_usd: float | None = None


class Warned(AgentEvent, frozen=True, kw_only=True, tag=True):
    """Something a person should know that does not end the run."""

    message: str


class AnswerFinished(AgentEvent, frozen=True, kw_only=True, tag=True):
    """The finish signal: the answer to this instruction is complete."""

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
