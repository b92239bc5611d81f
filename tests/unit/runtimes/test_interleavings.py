"""Screen, hooks and transcript of a turn in which a CLI asks, in every order: none of them ends it too early.

A turn may end by its own last word alone, and a question is closed by the event that reports its answer.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Any

import pytest
from harness.examples import cases, examples
from harness.screens import COLUMNS, ROWS, repaints, stage
from hypothesis import given, settings
from hypothesis import strategies as st

from jupyter_cabinet.runtimes.claude.terminal import SILENT_END_SECONDS, ClaudeTerminal
from jupyter_cabinet.runtimes.codex.terminal import CodexTerminal
from jupyter_cabinet.runtimes.model import AnswerFinished, PromptSubmitted, QuestionAnswered, QuestionAsked, Request
from jupyter_cabinet.runtimes.opencode.terminal import OpencodeTerminal
from jupyter_cabinet.runtimes.pi.terminal import PiTerminal
from jupyter_cabinet.runtimes.shared.screens.terminal_turns import TerminalTurns

BASH = {"tool_name": "Bash", "tool_input": {"command": "touch a"}, "tool_use_id": "t1"}
Step = tuple[str, bytes]


def hook(name: str, /, **fields: Any) -> Step:
    return "hook", json.dumps({"hook_event_name": name, "session_id": "s1", **fields}).encode()


def said(kind: str, *blocks: dict[str, Any]) -> Step:
    line = {"type": kind, "message": {"role": kind, "id": "m1", "content": list(blocks)}}
    return "transcript", json.dumps(line).encode() + b"\n"


def opened(kind: type[TerminalTurns], prompt: str, rows: int = ROWS) -> Any:
    conversation: Any = kind(Request(prompt=prompt, mode="terminal", cwd="/w", session_id="s1", hook_command=("x",)))
    conversation.resized(COLUMNS, rows)
    return conversation


def hooks_of(prompt: str) -> list[Step]:
    return [
        hook("SessionStart"),
        hook("UserPromptSubmit", prompt=prompt, turn_id="turn1"),
        hook("PreToolUse", **BASH),
        hook("PermissionRequest", **BASH),
        hook("PostToolUse", **BASH, tool_response={"stdout": ""}),
        hook("Stop", last_assistant_message="Done."),
    ]


TRANSCRIPT = [
    said("user", {"type": "text", "text": "You are editing it."}),
    said("assistant", {"type": "text", "text": "I do it."}),
    said("assistant", {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "touch a"}}),
    said("user", {"type": "tool_result", "tool_use_id": "t1", "content": "ok"}),
    said("assistant", {"type": "text", "text": "Done."}),
]


def merged(first: list[Step], second: list[Step]) -> Iterator[list[Step]]:
    """Both in every order."""
    size = len(first) + len(second)
    for places in map(set, combinations(range(size), len(first))):
        of_first, of_second = iter(first), iter(second)
        yield [next(of_first if place in places else of_second) for place in range(size)]


def follow(conversation: Any, steps: list[Step], rests: Callable[[int], float]) -> list[tuple[Step, list[Any]]]:
    told = []
    for place, (source, data) in enumerate(steps):
        events = conversation.feed(source, data)
        still = rests(place)
        told.append(((source, data), [*events, *(conversation.rested(still) if still else [])]))
    return told


def must_hold(told: list[tuple[Step, list[Any]]]) -> None:
    """One end, by the Stop hook; a question that nobody has answered stays open until a later event closes it."""
    ends = [step for step, events in told for event in events if isinstance(event, AnswerFinished)]
    assert ends == [hook("Stop", last_assistant_message="Done.")]
    prompts = [event for _, events in told for event in events if isinstance(event, PromptSubmitted)]
    assert len(prompts) == 1


def cut_at_states(data: bytes, pieces: int) -> list[Step]:
    size = -(-len(data) // pieces)
    return [("screen", data[place : place + size]) for place in range(0, len(data), size)]


@pytest.mark.parametrize("name", cases("next0", "pbob2"))
def test_claude_screen_and_hooks_in_every_order(name):
    prompt = "You are editing n0.md."
    for steps in merged(cut_at_states(repaints()[name], 5), hooks_of(prompt)):
        # a session begins before the screen is more than its frame, and its end is reported when nothing else comes
        must_hold(follow(opened(ClaudeTerminal, prompt, 30), steps, lambda place: 1.0))


everything = st.fixed_dictionaries(
    {
        "name": st.sampled_from(sorted(repaints())),
        "cuts": st.lists(st.integers(1, 4000), max_size=12),
        "order": st.lists(st.integers(0, 2), max_size=60),
        "rests": st.lists(st.sampled_from([0.0, 0.3, 1.0]), min_size=60, max_size=60),
    }
)


def woven(screen: list[Step], hooks: list[Step], transcript: list[Step], order: list[int]) -> list[Step]:
    sources, steps = [list(screen), list(hooks), list(transcript)], []
    for choice in [*order, *([0, 1, 2] * 40)]:
        if sources[choice]:
            steps.append(sources[choice].pop(0))
    return steps


def pieces_of(data: bytes, cuts: list[int]) -> list[Step]:
    pieces: list[Step] = []
    for cut in [*cuts, len(data)]:
        pieces.append(("screen", data[:cut]))
        data = data[cut:]
    return [piece for piece in pieces if piece[1]]


@settings(max_examples=examples(30))
@given(everything)
def test_claude_screen_hooks_and_transcript_in_any_order(drawn):
    prompt = "You are editing it."
    screen = pieces_of(repaints()[drawn["name"]], drawn["cuts"])
    steps = woven(screen, hooks_of(prompt), TRANSCRIPT, drawn["order"])
    must_hold(follow(opened(ClaudeTerminal, prompt, 30), steps, lambda place: drawn["rests"][place % 60]))


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        (CodexTerminal, "codex-session-0.169.0.bin"),
        (PiTerminal, "pi-session-0.87.1.bin"),
    ],
)
def test_the_others_screens_and_hooks_in_every_order(kind, name):
    prompt = "You are editing x.md.\n\nMake a file."
    for steps in merged(cut_at_states(stage(name, "idle"), 3), hooks_of(prompt)):
        must_hold(follow(opened(kind, prompt), steps, lambda place: 1.0))


def opencode_hooks(prompt: str) -> list[Step]:
    def event(kind: str, **properties: Any) -> Step:
        return hook("Events", events=[{"type": kind, "properties": {"sessionID": "ses_1", **properties}}])

    def part(message: str, **part: Any) -> Step:
        return event("message.part.updated", part={"messageID": message, "sessionID": "ses_1", **part})

    asked = {"id": "per_1", "sessionID": "ses_1", "permission": "bash", "metadata": {"command": "touch a"}}
    return [
        event("session.created", info={"id": "ses_1"}),
        event("message.updated", info={"id": "msg_1", "role": "user"}),
        part("msg_1", id="p1", type="text", text=prompt),
        hook("PermissionRequest", event={"properties": asked}),
        event("permission.replied", requestID="per_1"),
        part("msg_2", id="p2", type="text", text="Done."),
        part("msg_2", id="p3", type="step-finish", reason="stop", tokens={"input": 1, "output": 1}, cost=0),
        event("session.status", status={"type": "idle"}),
    ]


def test_opencodes_screen_and_hooks_in_every_order():
    prompt = "You are editing x.md.\n\nMake a file."
    hooks = opencode_hooks(prompt)
    screen = cut_at_states(stage("opencode-session-1.18.33.bin", "idle"), 2)
    for steps in merged(screen, hooks):
        told = follow(opened(OpencodeTerminal, prompt), steps, lambda place: 1.0)
        assert [step for step, events in told for event in events if isinstance(event, AnswerFinished)] == [hooks[-1]]


def asking(name: str = "next0") -> tuple[Any, bytes, bytes]:
    """A turn whose box is on the screen, and no hook has reported it; what was drawn until then, and after."""
    prompt = "You are editing n0.md."
    conversation, data = opened(ClaudeTerminal, prompt, 30), repaints()[name]
    for source, payload in hooks_of(prompt)[:3]:
        conversation.feed(source, payload)
    place = data.index(b"to cancel") + 40
    conversation.feed("screen", data[:place])
    return conversation, data[:place], data[place:]


def test_a_box_of_which_no_hook_tells_is_a_question_and_nothing_may_be_typed():
    conversation, _, after = asking()
    assert conversation.input() == "other"
    assert conversation.rested(0.3) == []
    (asked,) = conversation.rested(1.0)
    assert isinstance(asked, QuestionAsked)
    assert asked.in_terminal
    assert not asked.options
    assert conversation.rested(1.0) == []
    conversation.feed("screen", after[: len(after) - 20])
    gone = conversation.rested(0.3)
    assert gone in ([QuestionAnswered(question_id=asked.question_id)], [])


def test_the_hook_takes_the_place_of_a_box_that_was_seen_before():
    conversation, _, _ = asking()
    (seen,) = conversation.rested(1.0)
    (asked, gone) = conversation.feed(*hooks_of("")[3])
    assert asked.options
    assert gone == QuestionAnswered(question_id=seen.question_id)
    assert conversation.rested(1.0) == []
    assert conversation.input() == "other"


def test_a_hook_after_an_end_that_was_assumed_opens_the_turn_again():
    prompt = "You are editing n0.md."
    conversation = opened(ClaudeTerminal, prompt, 30)
    for step in hooks_of(prompt)[:2]:
        conversation.feed(*step)
    conversation.feed("screen", repaints()["next0"])  # to the empty input box
    assert conversation.rested(1.0) == []
    assert [type(event) for event in conversation.rested(SILENT_END_SECONDS)] == [AnswerFinished]
    assert conversation.finish(None).failure.kind == "cancelled"
    again = conversation.feed(*hook("PermissionRequest", **BASH))
    assert [type(event).__name__ for event in again] == ["PromptSubmitted", "Warned", "QuestionAsked"]
    assert again[0].text == prompt
    ended = conversation.feed(*hook("Stop", last_assistant_message="Done."))
    assert ended[-1] == AnswerFinished(text="Done.")
    late = {"tool_name": "Bash", "tool_input": {}, "tool_use_id": "t9"}
    assert not [event for event in conversation.feed(*hook("PreToolUse", **late)) if isinstance(event, PromptSubmitted)]
