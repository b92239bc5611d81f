"""What every headless parser keeps, whatever comes: chunk boundaries and garbage change nothing."""

from __future__ import annotations

import itertools
import json

import pytest
from harness.examples import examples
from harness.golden import case_of, recordings
from hypothesis import given, settings
from hypothesis import strategies as st

from jupyter_cabinet.runtimes.codex.runtime import Codex
from jupyter_cabinet.runtimes.gemini.runtime import Gemini
from jupyter_cabinet.runtimes.model import Request, TextDelta, Warned
from jupyter_cabinet.runtimes.openclaw.runtime import Openclaw
from jupyter_cabinet.runtimes.opencode.runtime import Opencode
from jupyter_cabinet.runtimes.pi.runtime import Pi
from jupyter_cabinet.runtimes.port import Exit

REQUEST = Request(prompt="Hi.", mode="headless", cwd="/w", session_id="s1")
STREAMS = [
    (runtime, path.read_bytes())
    for runtime in (Codex(), Gemini(), Opencode(), Pi())
    for path in recordings(runtime.about.name)
    if path.suffix == ".jsonl" and not case_of(path).startswith(("rollout", "session"))
]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)
KINDS = [
    "thread.started",
    "item.completed",
    "item.started",
    "turn.completed",
    "turn.failed",
    "error",
    "init",
    "message",
]
KINDS += ["tool_use", "tool_result", "result", "cabinet", "text", "step_finish", "session.status"]
KINDS += ["session", "message_update", "message_end", "tool_execution_start", "tool_execution_end", "turn_end"]
KINDS += ["auto_retry_start", "agent_settled", "response", "extension_ui_request"]
FIELDS = [
    "ok",
    "toolSummary",
    "part",
    "event",
    "sessionID",
    "properties",
    "item",
    "usage",
    "error",
    "message",
    "thread_id",
    "stats",
    "status",
    "content",
    "role",
    "parameters",
    "tool_id",
    "assistantMessageEvent",
    "toolCallId",
    "args",
    "attempt",
    "delayMs",
]


def read(runtime, pieces):
    conversation = runtime.conversation(REQUEST)
    events = [event for piece in pieces for event in conversation.feed("stdout", piece)]
    return [event for event in events if not isinstance(event, TextDelta)], conversation.finish(Exit(code=1))


@settings(max_examples=examples(15))
@given(stream=st.sampled_from(STREAMS), cuts=st.lists(st.integers(0, 4000), max_size=12))
def test_chunk_boundaries_mean_nothing(stream, cuts):
    runtime, data = stream
    places = sorted({0, len(data), *(cut % (len(data) + 1) for cut in cuts)})
    assert read(runtime, [data[a:b] for a, b in itertools.pairwise(places)]) == read(runtime, [data])


@settings(max_examples=examples(15))
@given(stream=st.sampled_from(STREAMS), garbage=st.binary(max_size=80), place=st.integers(0, 20))
def test_a_garbage_line_is_told_once_and_changes_nothing_else(stream, garbage, place):
    runtime, data = stream
    lines = data.splitlines(keepends=True)
    lines.insert(place % (len(lines) + 1), b"no json " + garbage.replace(b"\n", b" ") + b"\n")
    events, outcome = read(runtime, lines)
    plain, expected = read(runtime, [data])
    assert [event for event in events if not isinstance(event, Warned)] == [
        event for event in plain if not isinstance(event, Warned)
    ]
    assert outcome == expected


@settings(max_examples=examples(40))
@given(
    runtime=st.sampled_from([Codex(), Gemini(), Openclaw(), Opencode(), Pi()]),
    kind=st.sampled_from(KINDS),
    fields=st.dictionaries(st.sampled_from(FIELDS), JSON),
)
def test_no_value_of_a_known_line_raises(runtime, kind, fields):
    for mode in ("headless", "terminal"):
        conversation = runtime.conversation(Request(prompt="Hi.", mode=mode, cwd="/w", session_id="s1"))
        for source in ("stdout", "transcript", "hook", "stderr", "screen"):
            line = {"type": kind, **fields, "payload": fields, "hook_event_name": "Stop"}
            conversation.feed(source, json.dumps(line).encode() + b"\n")
        conversation.finish(Exit(code=0))


@pytest.mark.parametrize("runtime", [Codex(), Gemini(), Opencode(), Pi()], ids=lambda runtime: runtime.about.name)
def test_a_line_that_is_too_long_is_skipped_and_told(runtime):
    conversation = runtime.conversation(REQUEST)
    events = conversation.feed("stdout", b"x" * (9 * 2**20) + b"\n")
    assert "too long" in events[0].message


def test_a_character_that_comes_in_two_pieces_on_stderr_is_one() -> None:
    conversation = Codex().conversation(REQUEST)
    for byte in "größer 😀".encode() + b" \xff" + "é".encode()[:1]:
        conversation.feed("stderr", bytes([byte]))
    assert "größer 😀 \ufffd" in conversation.finish(Exit(code=1)).failure.message
