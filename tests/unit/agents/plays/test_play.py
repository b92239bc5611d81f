"""A play's front matter: what is accepted, and what is said of what is not."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_cabinet.agents import front_matter
from jupyter_cabinet.agents.plays.play import Play, ValidatedPlay, check_inputs, filled_in, validate
from jupyter_cabinet.agents.plays.triggers import (
    AgentMessage,
    FileChanged,
    GoalBehind,
    Manual,
    OnComplete,
    Scheduled,
    Webhook,
)
from jupyter_cabinet.core.errors import CabinetError, Invalid
from jupyter_cabinet.schedules.hours import ActiveHours
from jupyter_cabinet.schedules.rules import Cron, Daily, Every, Weekly

FILE = ".playbooks/plays/x.md"


def checked(text: str, body: str = "Do it.") -> ValidatedPlay:
    found = front_matter.read(f"---\n{text}\n---\n{body}", file=FILE)
    return validate(found.fields, found.body, slug="x", file=FILE, zone="Europe/Berlin")


def good(text: str, body: str = "Do it.") -> Play:
    found = checked(text, body)
    assert found.play is not None, found.errors
    return found.play


def wrong(text: str, body: str = "Do it.") -> list[str]:
    found = checked(text, body)
    assert found.play is None
    return [error.message for error in found.errors]


def test_a_play_needs_nothing_but_its_text() -> None:
    play = good("colour: red")
    assert (play.name, play.shown, play.tools, play.timeout_seconds) == ("x", "x", None, 300)
    assert play.unknown == {"colour": "red"}
    assert checked("colour: red").notes == (f"{FILE}: colour is not a field of a play here. It is kept.",)
    assert wrong("name: X", body=" \n") == [f"{FILE}, field body: an instruction was expected below the fields."]


def test_all_fields_are_read() -> None:
    play = good("name: X\ntitle: The X\ncategory: ops\nagent: bob\ntools: [Read]\ntimeoutSeconds: 60")
    assert (play.shown, play.category, play.agent, play.tools, play.timeout_seconds) == (
        "The X",
        "ops",
        "bob",
        ("Read",),
        60,
    )
    assert good("tools: []").tools == ()


@pytest.mark.parametrize(
    ("schedule", "expected"),
    [
        ("{type: interval, every: 30m}", Every(seconds=1800)),
        ("{type: cron, cron: '0 8 * * 1-5'}", Cron(expression="0 8 * * 1-5", zone="Europe/Berlin")),
        ("{type: daily, at: '08:30', timezone: UTC}", Daily(at="08:30", zone="UTC")),
        ("{type: weekly, days: [mon, fri], at: '8:30'}", Weekly(days=("mon", "fri"), at="08:30", zone="Europe/Berlin")),
    ],
)
def test_all_four_types_of_schedules_are_read(schedule: str, expected: Any) -> None:
    assert good(f"schedule: {schedule}").schedule == expected


def test_active_hours_belong_to_the_schedule() -> None:
    hours = "schedule: {{type: interval, every: 1h, {}: '09:00-17:00'{}}}"
    expected = ActiveHours(start="09:00", end="17:00", zone="Europe/Berlin")
    assert good(hours.format("active_hours", "")).hours == expected
    assert good(hours.format("activeHours", ", timezone: UTC")).hours == ActiveHours(
        start="09:00", end="17:00", zone="UTC"
    )


def test_triggers_are_read_in_each_way_that_they_can_be_written() -> None:
    play = good(
        """schedule: {type: daily, at: '08:00'}
triggers:
  - manual
  - schedule
  - webhook
  - on_complete: {play: a}
  - {type: on_complete, play: a, status: failed}
  - goal_behind: {metric: leads, agent: bob}
  - {type: goal_behind, metric: leads}
  - file_changed: {path: docs/**/*.md}
  - agent_message
  - agent_message: {agent: eve}
  - manual:"""
    )
    assert play.triggers == (
        Manual(),
        Scheduled(),
        Webhook(),
        OnComplete(play="a"),
        OnComplete(play="a", status="failed"),
        GoalBehind(metric="leads", agent="bob"),
        GoalBehind(metric="leads"),
        FileChanged(path="docs/**/*.md"),
        AgentMessage(),
        AgentMessage(agent="eve"),
    )


@pytest.mark.parametrize(
    ("text", "field", "said"),
    [
        ("schedule: daily", "schedule", "a group of fields was expected"),
        ("schedule: {type: hourly}", "schedule", "interval, cron, daily or weekly"),
        ("schedule: {type: interval, every: 30m, active_hours: 9}", "schedule", "is a text such as"),
        ("schedule: {type: interval, every: 30m, active_hours: never}", "schedule", "active hours"),
        ("triggers: [schedule]", "triggers", "needs the field schedule"),
        ("triggers: manual", "triggers", "a list of at most"),
        ("triggers: [sunrise]", "triggers[1].type", "one of manual, schedule"),
        ("triggers: [{play: a, status: failed}]", "triggers[1].type", "one of manual, schedule"),
        ("triggers: [on_complete]", "triggers[1].play", "it must be there"),
        ("triggers: [{on_complete: {play: A b}}]", "triggers[1].play", "lower-case letters"),
        ("triggers: [{on_complete: {play: a, status: done}}]", "triggers[1].status", "one of succeeded, failed"),
        ("triggers: [{goal_behind: {}}]", "triggers[1].metric", "it must be there"),
        ("triggers: [manual, {webhook: {play: a}}]", "triggers[2].play", "the trigger webhook has no such field"),
        ("triggers: [{webhook: secret}]", "triggers[1].value", "the trigger webhook has no such field"),
        ("triggers: [{file_changed: {path: ../x}}]", "triggers[1].path", "a path below the server's folder"),
        ("triggers: [{file_changed: {path: .cabinet/x}}]", "triggers[1].path", "a path below the server's folder"),
        ("tools: Bash", "tools", "a list of at most"),
        ("agent: Bob the agent", "agent", "lower-case letters"),
        ("timeout_seconds: 0", "timeout_seconds", "a number of 1 to 86400"),
    ],
)
def test_what_is_wrong_is_said_with_file_field_and_what_was_expected(text: str, field: str, said: str) -> None:
    (message,) = wrong(text)
    assert message.startswith(f"{FILE}, field {field}: ") and said in message


def test_all_that_is_wrong_is_said_at_once() -> None:
    assert len(wrong("name: []\ntools: 1\nschedule: 1\ntriggers: [x, y]")) == 5


def test_inputs_are_filled_in_once_and_what_they_say_is_not_read_again() -> None:
    play = good("name: X", body="Write to {{ who }} about {{topic}}, {{who}}. Not {{1}}.")
    assert play.inputs == ("who", "topic")
    filled = filled_in(play, {"who": "{{topic}}", "topic": " tea \n"})
    assert filled == "Write to {{topic}} about tea, {{topic}}. Not {{1}}."
    assert filled_in(play, {}) == "Write to (not given) about (not given), (not given). Not {{1}}."
    check_inputs(play, {"who": "x"})
    with pytest.raises(Invalid, match="It has: who, topic"):
        check_inputs(play, {"whom": "x"})
    with pytest.raises(Invalid, match="It has none"):
        check_inputs(good("name: X"), {"who": "x"})


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-10, 100_000) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=12), inner, max_size=3),
    max_leaves=12,
)
NAMES = st.sampled_from(["name", "title", "agent", "tools", "triggers", "schedule", "timeout_seconds", "activeHours"])


@given(st.dictionaries(NAMES, VALUES, max_size=6))
def test_any_fields_give_a_play_or_errors(fields: dict[str, Any]) -> None:
    try:
        found = validate(fields, "x", slug="x", file=FILE, zone="UTC")
    except CabinetError as error:  # pragma: no cover
        raise AssertionError from error
    assert (found.play is None) == bool(found.errors)
