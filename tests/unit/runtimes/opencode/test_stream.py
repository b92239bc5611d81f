"""The dialogue with headless opencode: what its lines and those of our plugin mean."""

from __future__ import annotations

import json

import pytest

from jupyter_cabinet.runtimes.model import (
    AnswerFinished,
    McpServer,
    Request,
    Retrying,
    SessionStarted,
    TextBlock,
    Thinking,
    UsageReported,
    Warned,
)
from jupyter_cabinet.runtimes.opencode.stream import OpencodeStream
from jupyter_cabinet.runtimes.port import Exit


class Cli:
    """What the CLI and our plugin write."""

    def __init__(self, **changes):
        values = {"prompt": "Hi.", "mode": "headless", "cwd": "/w", "session_id": "s1", "permission_mode": "edit"}
        self.stream = OpencodeStream(Request(**(values | changes)))

    def says(self, kind, session="ses_1", **fields):
        line = {"type": kind, "sessionID": session, **fields}
        return self.stream.feed("stdout", json.dumps(line).encode() + b"\n")

    def part(self, kind, session="ses_1", **fields):
        return self.says(kind, session, part=fields)

    def news(self, kind, **properties):
        line = {"type": "cabinet", "event": {"type": kind, "properties": properties}}
        return self.stream.feed("stdout", json.dumps(line).encode() + b"\n")

    def tries_again(self, session="ses_1", message="busy"):
        return self.news(
            "session.status", sessionID=session, status={"type": "retry", "attempt": 2, "message": message}
        )

    def ends(self, code=0):
        return self.stream.finish(Exit(code=code))


STEP = {"reason": "stop", "tokens": {"input": 10, "output": 2}, "cost": 0.25}


def test_text_and_thoughts_come_whole_and_the_last_step_ends_the_answer():
    cli = Cli()
    assert cli.part("step_start") == [SessionStarted(native_id="ses_1")]
    assert cli.part("reasoning", text="Hm.") == [Thinking(text="Hm.")]
    assert cli.part("text", text="Hello.") == [TextBlock(text="Hello.")]
    told, finished = cli.part("step_finish", **STEP)
    assert isinstance(told, UsageReported)
    assert told.cost_usd == 0.25
    assert finished == AnswerFinished(text="Hello.")
    outcome = cli.ends()
    assert (outcome.text, outcome.native_id, outcome.failure) == ("Hello.", "ses_1", None)


def test_what_an_agent_says_that_this_one_has_started_is_not_its_answer():
    cli = Cli()
    cli.part("step_start")
    assert cli.part("text", session="ses_2", text="From below.") == []
    assert cli.stream.text == ""


def test_an_empty_part_and_a_line_of_a_kind_of_its_own_say_nothing():
    cli = Cli()
    cli.part("step_start")
    assert cli.part("text", text="") == []
    assert cli.part("reasoning", text="") == []
    assert cli.part("snapshot", hash="abc") == []


def test_a_session_is_known_from_its_status_and_a_retry_is_told_with_its_reason():
    cli = Cli()
    assert cli.news("session.status", sessionID="ses_1", status={"type": "busy"}) == [SessionStarted(native_id="ses_1")]
    assert cli.tries_again() == [Retrying(attempt=2, reason="busy")]
    assert cli.tries_again(session="ses_2") == []
    assert cli.ends().failure.kind == "model_unavailable"


def test_an_answer_that_goes_on_is_no_longer_trying_again():
    cli = Cli()
    cli.part("step_start")
    cli.tries_again()
    cli.part("text", text="Hello.")
    cli.part("step_finish", **STEP)
    assert cli.ends().failure is None


@pytest.mark.parametrize(("session", "kind"), [("ses_1", "rate_limited"), ("", "rate_limited"), ("ses_2", None)])
def test_an_error_of_this_session_is_why_it_failed(session, kind):
    cli = Cli()
    cli.part("step_start")
    cli.part("text", text="Hello.")
    cli.part("step_finish", **STEP)
    assert cli.news("session.error", sessionID=session, error={"name": "APIError", "data": {"statusCode": 429}}) == []
    failure = cli.ends().failure
    assert (failure.kind if failure else None) == kind


def test_the_first_error_that_the_cli_tells_counts_and_one_without_words_is_one_too():
    cli = Cli()
    assert cli.says("error", error={"name": "ProviderAuthError"}) == [SessionStarted(native_id="ses_1")]
    cli.says("error", error={"name": "ContextOverflowError"})
    assert cli.ends().failure.kind == "not_logged_in"
    silent = Cli()
    silent.says("error")
    assert silent.ends().failure.message == "opencode failed: an error"


def test_a_permission_that_nobody_could_give_is_why_it_stopped():
    cli = Cli()
    cli.part("step_start")
    assert cli.news("permission.asked", id="per_1") == []
    cli.part("step_finish", **{**STEP, "reason": "tool-calls"})
    assert cli.ends().failure.kind == "permission_denied"


def test_a_tool_that_was_refused_is_why_it_stopped():
    cli = Cli()
    cli.part("step_start")
    state = {"status": "error", "input": {}, "error": "The user rejected permission to use this tool."}
    call, result = cli.part("tool_use", tool="bash", callID="c1", state=state)
    assert (call.call_id, result.is_error) == ("c1", True)
    (told,) = cli.part("step_finish", **{**STEP, "reason": "tool-calls"})
    assert isinstance(told, UsageReported)
    assert cli.ends().failure.kind == "permission_denied"


@pytest.mark.parametrize("failed", [["other"], [3], "cab", None])
def test_tool_servers_that_are_not_the_runs_are_not_its_matter(failed):
    cli = Cli(mcp_servers=(McpServer(name="cab", command=("/bin/x",)),))
    assert cli.news("tools.failed", failed=failed) == []


def test_tool_servers_of_the_run_that_did_not_start_are_warned_of():
    cli = Cli(mcp_servers=(McpServer(name="cab", command=("/bin/x",)),))
    warned = Warned(message="These tool servers did not start: cab.")
    assert cli.news("tools.failed", failed=["other", "cab"]) == [warned]


def test_other_news_of_the_plugin_says_nothing():
    assert Cli().news("permission.replied", id="per_1") == []


def test_a_process_that_ends_before_its_answer_says_why():
    cli = Cli()
    cli.stream.feed("stderr", b"Error: Session not found\n")
    assert cli.ends(code=1).failure.kind == "session_gone"
