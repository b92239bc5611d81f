"""What differs between the agent CLIs, for the tests that every CLI has to pass.

What only one of them does is in the test file of that CLI.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from jupyter_cabinet.runtimes.claude.runtime import Claude
from jupyter_cabinet.runtimes.codex.runtime import Codex
from jupyter_cabinet.runtimes.gemini.runtime import Gemini
from jupyter_cabinet.runtimes.model import (
    AnswerFinished,
    SessionStarted,
    TextBlock,
    ToolCall,
    ToolResult,
    UsageReported,
)
from jupyter_cabinet.runtimes.opencode.runtime import Opencode
from jupyter_cabinet.runtimes.pi.runtime import Pi
from jupyter_cabinet.runtimes.port import Runtime
from jupyter_cabinet.testing.model_script import Answer, ToolUse

from .conftest import Desk
from .homes import seed_opencode
from .quick_tests import REASON

ESC = b"\x1b"
UNKNOWN_ID = "00000000-0000-4000-8000-00000000000a"
AN_ANSWER = [SessionStarted, TextBlock, ToolCall, ToolResult, TextBlock, UsageReported, AnswerFinished]
COST_USD = (200 * 1 + 40 * 2) / 1_000_000  # of two answers, by the prices in the homes of pi and opencode
CODEX_ERRORS = dict.fromkeys((400, 401, 404, 429, 500), "invalid_request_error")
CLAUDE_ERRORS = {
    400: "invalid_request_error",
    401: "authentication_error",
    404: "not_found_error",
    429: "rate_limit_error",
    529: "overloaded_error",
}


@dataclass(frozen=True)
class Cli:
    """One CLI. `write`: its tool makes `hello.txt`; `read`: its tool reads the file at a path."""

    name: str
    runtime: Callable[[], Runtime]
    write: ToolUse
    read: Callable[[str], ToolUse]

    # headless
    events: list[type] = field(default_factory=lambda: AN_ANSWER)  # of `writing`
    streams: bool = False  # the words come one by one
    session_id_is_ours: bool = False  # it takes the id of the request for a new session
    write_summary: str = "hello.txt"
    cost_usd: float | None = None  # of `writing`; None: it tells none, or not by these prices
    gone_sessions: tuple[str, ...] = (UNKNOWN_ID,)  # `{}`: the id of a session that it has
    unknown_statuses: tuple[int, ...] = (400,)  # these refusals have no specific name
    error_types: Mapping[int, str] = field(default_factory=dict)  # as its service calls them, by status
    retries: Mapping[int, int] = field(default_factory=dict)  # how many, by status
    keeps_a_broken_answer: bool = False  # in its text, before the whole one
    literal_prompts: tuple[str, ...] = ("--help me with this", "/model")
    log_out: Callable[[Desk], Any] | None = None
    modes: tuple[str, ...] = ("edit",)  # permission modes in which it is driven in different ways
    some_tools: tuple[str, ...] = ()
    allow_everything: Callable[[Desk, str], Any] = lambda desk, url: None  # in the person's own settings

    # in a terminal
    file_shown: str = ""  # when it reads a file of 20,000 words; empty: it depends on its tool's limits
    first_prompts: tuple[str, ...] = ("--help",)
    further_prompts: tuple[str, ...] = ("/model", "!touch x", "look at @he")
    leave: tuple[bytes, ...] = (b"/quit", b"\r")
    interrupt: tuple[bytes, ...] = (ESC,)
    refusals: Mapping[int, str] = field(default_factory=lambda: {401: "not_logged_in"})
    gone_in_terminal: str = "ses_of_another_cli"
    yes_key: bytes = b"\r"
    no_keys: tuple[bytes, ...] = ()  # that end the answer
    question_words: tuple[str, ...] = ()

    @property
    def writing(self) -> list[Answer]:
        """A model that uses `write`."""
        return [Answer(text="I will write the file.", tools=(self.write,)), Answer(text="I wrote hello.txt.")]

    def refusal(self, status: int) -> Answer:
        """The service refuses with this HTTP status."""
        return Answer(error=status, error_type=self.error_types.get(status, "api_error"), text="scripted refusal")


def _write(name: str) -> ToolUse:
    return ToolUse(name=name, arguments={"path": "hello.txt", "content": "hello\n"})


def _read(name: str) -> Callable[[str], ToolUse]:
    return lambda path: ToolUse(name=name, arguments={"path": path})


def _shell(command: str) -> ToolUse:
    return ToolUse(name="exec_command", arguments={"cmd": command})


def _without(variable: str) -> Callable[[Desk], Any]:
    return lambda desk: desk.environment.pop(variable)


def _without_provider_of_pi(desk: Desk) -> None:
    (desk.home / ".pi" / "agent" / "models.json").unlink()


def _allow_everything_in_opencode(desk: Desk, url: str) -> None:
    agent = {"build": {"permission": {"bash": "allow"}}}
    seed_opencode(desk.home, url, permission={"*": "allow", "bash": "allow"}, agent=agent)


CLIS = {
    cli.name: cli
    for cli in (
        Cli(
            name="claude",
            runtime=Claude,
            write=_write("Write"),
            read=_read("Read"),
            streams=True,
            session_id_is_ours=True,
            unknown_statuses=(),
            error_types=CLAUDE_ERRORS,
            retries=dict.fromkeys((401, 429, 500), 2),
            literal_prompts=("--help me with this", "/model opus", "!touch x"),
            log_out=_without("ANTHROPIC_API_KEY"),
            first_prompts=("--help", "/model", "!touch x", "- a list"),
            further_prompts=("/model", "!touch x", "  /clear"),
            leave=(b"/exit", b"\r"),
            refusals={400: "unknown", 401: "not_logged_in", 429: "rate_limited", 529: "model_unavailable"},
            gone_in_terminal=UNKNOWN_ID,
            yes_key=b"1",
            no_keys=(ESC, b"3"),
            question_words=("Write", "hello.txt"),
        ),
        Cli(
            name="codex",
            runtime=Codex,
            write=_shell("echo hello > hello.txt"),
            read=lambda path: _shell(f"wc -c < {path}"),
            write_summary="echo hello > hello.txt",
            gone_sessions=(UNKNOWN_ID, "ses_of_another_cli"),
            error_types=CODEX_ERRORS,
            retries=dict.fromkeys((401, 404, 500), 1),
            literal_prompts=("--help me with this", "/model opus", "!touch x", "-"),
            log_out=_without("OPENAI_API_KEY"),
            file_shown="100000",
            first_prompts=("--help", "/model"),
            further_prompts=("/model", "!touch x", "look at @he", "use $fo"),
            refusals={400: "unknown", 401: "not_logged_in", 500: "model_unavailable"},
        ),
        Cli(
            name="gemini",
            runtime=Gemini,
            write=_write("write_file"),
            read=_read("read_file"),
            streams=True,
            session_id_is_ours=True,
            gone_sessions=(UNKNOWN_ID, "latest"),
            keeps_a_broken_answer=True,
            some_tools=("read_file", "glob"),
            first_prompts=("--help", "!touch x"),
            # its list offers .cabinet/terminals for "@tmi", and no name of a file, which it would read, can hold it
            further_prompts=("/model", "!touch x", "look at @tmi"),
            no_keys=(ESC,),
        ),
        Cli(
            name="opencode",
            runtime=Opencode,
            write=_write("write"),
            read=_read("read"),
            events=[*AN_ANSWER[:4], UsageReported, *AN_ANSWER[4:]],
            cost_usd=COST_USD,
            gone_sessions=("latest",),
            unknown_statuses=(),
            some_tools=("read", "glob"),
            allow_everything=_allow_everything_in_opencode,
            first_prompts=("--which file?",),
            further_prompts=("/models", "!touch x", "look at @he"),
            leave=(b"\x03",),
            interrupt=(ESC, ESC),
            gone_in_terminal="ses_0",
        ),
        Cli(
            name="pi",
            runtime=Pi,
            write=_write("write"),
            read=_read("read"),
            streams=True,
            session_id_is_ours=True,
            cost_usd=COST_USD,
            gone_sessions=(UNKNOWN_ID, "{:.8}"),  # pi itself would take the beginning of an id
            retries=dict.fromkeys((429, 500), 3),
            literal_prompts=("--help me with this", "/model", "!touch x", "@hello.txt"),
            log_out=_without_provider_of_pi,
            modes=("edit", "ask"),
            some_tools=("read", "ls"),
            first_prompts=("--help", "!touch x", "@hello.txt"),
        ),
    )
}


def every(*names: str, quick: Collection[str] = tuple(CLIS)) -> pytest.MarkDecorator:
    """The test is run with each of these CLIs; without names with all. `quick`: of a quick test."""
    long = pytest.mark.long(reason=REASON)
    cases = [pytest.param(CLIS[name], id=name, marks=() if name in quick else long) for name in names or CLIS]
    return pytest.mark.parametrize("cli", cases)


def each(argument: str, values: Callable[[Cli], Any]) -> pytest.MarkDecorator:
    """The test is run with each of these values of each CLI."""
    cases = [pytest.param(cli, value, id=f"{cli.name}-{value}") for cli in CLIS.values() for value in values(cli)]
    return pytest.mark.parametrize(("cli", argument), cases)
