"""A play's front matter: what is accepted, and what is said of what is not."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_cabinet.agents.files import front_matter
from jupyter_cabinet.core.errors import CabinetError, Invalid
from jupyter_cabinet.plays.play import Play, ValidatedPlay, check_inputs, filled_in, validate
from jupyter_cabinet.plays.triggers import (
    AgentMessage,
    AgentStarted,
    AgentStopped,
    FileChanged,
    GoalBehind,
    Manual,
    OnComplete,
    Scheduled,
    Startup,
    Webhook,
)
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
        ("tools: Bash", "tools", "a list of at most"),
        ("agent: Bob the agent", "agent", "lowercase letters"),
        ("timeout_seconds: 0", "timeout_seconds", "a number of 1 to 86400"),
    ],
)
def test_what_is_wrong_is_said_with_file_field_and_what_was_expected(text: str, field: str, said: str) -> None:
    (message,) = wrong(text)
    assert message.startswith(f"{FILE}, field {field}: ") and said in message


@pytest.mark.parametrize(
    ("text", "field", "said"),
    [
        ("schedule: [daily]", "schedule", "a group of fields was expected"),
        ("schedule: {type: hourly}", "schedule", "interval, cron, daily or weekly"),
        ("schedule: {type: interval, every: 30m, active_hours: 9}", "schedule", "is a text such as"),
        ("schedule: {type: interval, every: 30m, active_hours: never}", "schedule", "active hours"),
        ("triggers: [schedule]", "triggers", "needs the field schedule"),
        ("triggers: manual", "triggers", "a list was expected"),
        ("schedule: at noon", "schedule", "five fields"),
        ("triggers: [sunrise]", "triggers[1].type", "one of manual, schedule"),
        ("triggers: [{play: a, status: failed}]", "triggers[1].type", "one of manual, schedule"),
        ("triggers: [{on_complete: {play: A b}}]", "triggers[1].play", "lowercase letters"),
        ("triggers: [{on_complete: {play: a, status: done}}]", "triggers[1].status", "one of succeeded, failed"),
        ("triggers: [{file_changed: {}}]", "triggers[1].path", "it must be there"),
        ("schedule: {every: 1h}\ntriggers: [{type: schedule, cron: '0 8 * * *'}]", "triggers[1]", "one schedule"),
        ("triggers: [manual, {webhook: {play: a}}]", "triggers[2].play", "the trigger webhook has no such field"),
        ("triggers: [{webhook: secret}]", "triggers[1].value", "the trigger webhook has no such field"),
        ("triggers: [{file_changed: {path: ../x}}]", "triggers[1].path", "a path below the server's root folder"),
        ("triggers: [{file_changed: {path: .cabinet/x}}]", "triggers[1].path", "a path below the server's root folder"),
    ],
)
def test_a_trigger_or_schedule_that_cannot_be_used_is_left_out_and_reported(text: str, field: str, said: str) -> None:
    found = checked(text)
    assert found.play is not None and found.errors == ()
    (error,) = found.left_out
    assert error.field == field and error.message.startswith(f"{FILE}, field {field}: ") and said in error.message
    assert found.notes == (f"{error.message} It is left out, and the rest of the play works.",)


def test_the_other_triggers_of_a_play_work_beside_one_that_cannot_be_used() -> None:
    play = good("schedule: {type: daily, at: '08:00'}\ntriggers: [sunrise, {on_complete: {play: a}}, {webhook: x}]")
    assert play.triggers == (OnComplete(play="a"),) and play.schedule == Daily(at="08:00", zone="Europe/Berlin")


def test_all_that_is_wrong_is_said_at_once() -> None:
    assert len(wrong("name: []\ntools: 1\nschedule: 1\ntriggers: [x, y]")) == 5


@pytest.mark.parametrize(
    ("text", "triggers"),
    [
        ("triggers: [on_complete]", (OnComplete(),)),
        ("triggers: [{type: on_complete, status: failed}]", (OnComplete(status="failed"),)),
        ("triggers: [{on_complete: {play: a, status: completed}}]", (OnComplete(play="a"),)),
        ("triggers: [{on_complete: a}]", (OnComplete(play="a"),)),
        ("triggers: [{type: goal_behind}]", (GoalBehind(),)),
        ("triggers: [{goal_behind: {agent: bob}}]", (GoalBehind(agent="bob"),)),
        ("triggers: [{file_changed: {path: reports/}}]", (FileChanged(path="reports/"),)),
        ("triggers: [{file_changed: reports}]", (FileChanged(path="reports"),)),
        ("triggers: [startup, agent_started]", (Startup(), AgentStarted())),
        ("triggers: [{agent_stopped: eve}]", (AgentStopped(agent="eve"),)),
    ],
)
def test_triggers_of_other_installations_are_read_as_these_read_them(text: str, triggers: tuple[Any, ...]) -> None:
    assert checked(text).left_out == () and good(text).triggers == triggers


BERLIN = "Europe/Berlin"
WEEKDAYS, WEEKEND = ("mon", "tue", "wed", "thu", "fri"), ("sat", "sun")


@pytest.mark.parametrize(
    ("text", "schedule"),
    [
        ("triggers: [{type: schedule, cron: '0 8 * * *'}]", Cron(expression="0 8 * * *", zone=BERLIN)),
        ("triggers: [{schedule: {cron: '0 8 * * *'}}]", Cron(expression="0 8 * * *", zone=BERLIN)),
        ("triggers: [{schedule: 0 8 * * *}]", Cron(expression="0 8 * * *", zone=BERLIN)),
        ("triggers: [{type: schedule, every: 30m}]", Every(seconds=1800)),
        ("schedule: {cron: '0 8 * * *'}", Cron(expression="0 8 * * *", zone=BERLIN)),
        ("schedule: 0 8 * * *", Cron(expression="0 8 * * *", zone=BERLIN)),
        ("schedule: 4h", Every(seconds=4 * 3600)),
        ("schedule: daily", Every(seconds=24 * 3600)),
        ("schedule: {type: weekly, days: weekdays, at: '9:00'}", Weekly(days=WEEKDAYS, at="09:00", zone=BERLIN)),
        ("schedule: {type: weekly, days: weekends, at: '9:00'}", Weekly(days=WEEKEND, at="09:00", zone=BERLIN)),
        ("schedule: {type: daily, days: weekdays, at: '9:00'}", Weekly(days=WEEKDAYS, at="09:00", zone=BERLIN)),
        ("schedule: {days: daily, at: '9:00'}", Weekly(days=(*WEEKDAYS, *WEEKEND), at="09:00", zone=BERLIN)),
    ],
)
def test_schedules_of_other_installations_are_read_as_these_read_them(text: str, schedule: Any) -> None:
    assert checked(text).left_out == () and good(text).schedule == schedule


def test_a_schedule_in_a_trigger_has_its_own_active_hours() -> None:
    play = good("triggers: [{type: schedule, every: 1h, active_hours: 9-17}]")
    assert play.hours == ActiveHours(start="09:00", end="17:00", zone=BERLIN)
    assert play.triggers == (Scheduled(),)


def test_active_hours_may_be_a_field_of_the_play_and_timeout_means_seconds() -> None:
    play = good("schedule: {type: interval, every: 1h}\nactive_hours: mon-fri 9-17\ntimeout: 120")
    assert play.hours == ActiveHours(start="09:00", end="17:00", days=WEEKDAYS, zone=BERLIN)
    assert play.timeout_seconds == 120 and play.unknown == {}


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
    assert found.play is None or len(found.notes) == len(found.play.unknown) + len(found.left_out)
