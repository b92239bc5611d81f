"""A run that has ended, and what it said, as a value."""

from __future__ import annotations

import pickle

import msgspec
from harness.faulty_server import RUN

from jupyter_cabinet.client.errors import RunFailed
from jupyter_cabinet.client.model import UnknownEvent
from jupyter_cabinet.client.runs.results import Said, result_of
from jupyter_cabinet.runs.model import Run
from jupyter_cabinet.runtimes.model import Failure, TextBlock, TextDelta, ToolCall, ToolResult

ENDED = msgspec.convert(RUN, Run)


def said() -> Said:
    heard = Said()
    heard.add([TextDelta(text="o"), TextBlock(text="one"), UnknownEvent(type="New", raw={}), TextBlock(text="two")])
    for name in ("a.md", "b.md", "a.md"):
        heard.add([ToolCall(call_id=name, tool="Write", input={"file_path": name})])
    heard.add([ToolResult(call_id="b.md", is_error=True), ToolResult(call_id="a.md")])
    return heard


def test_it_has_whole_texts_calls_and_the_files_of_edits_that_did_not_fail() -> None:
    result = result_of(ENDED, said(), ())
    assert (str(result), result.messages, len(result.tool_calls)) == ("done", ("one", "two"), 3)
    assert result.changed_files == ("a.md",)
    assert result_of(msgspec.structs.replace(ENDED, result=None), Said(), ()).text == ""


def test_its_text_steers_no_terminal() -> None:
    result = msgspec.structs.replace(result_of(ENDED, said(), ()), text="a\x1b[2J<img src=x>")
    assert (
        "\x1b" not in str(result) and "\x1b" not in result._repr_markdown_() and "<img" not in result._repr_markdown_()
    )


def test_a_failure_has_its_kind_and_survives_another_process() -> None:
    failed = msgspec.structs.replace(
        ENDED, state="failed", reason="It is over.\x1b[2J", failure=Failure(kind="rate_limited", message="Too much.")
    )
    error = pickle.loads(pickle.dumps(RunFailed(result_of(failed, said(), ()))))
    assert (error.kind, str(error), error.result.messages) == ("rate_limited", "It is over.\\x1b[2J", ("one", "two"))
    bare = msgspec.structs.replace(result_of(failed, said(), ()), reason="", failure=None, state="timed_out")
    assert (RunFailed(bare).kind, str(RunFailed(bare))) == ("timed_out", "The run ended: timed_out.")
