"""Goals count by period, change once for each directive, and say how far they are against the time that has gone."""

import itertools
import json
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_cabinet.agents.directives.answer_block import GoalUpdate
from jupyter_cabinet.agents.files.persona import Goal, GoalPeriod
from jupyter_cabinet.agents.goals import periods as p
from jupyter_cabinet.agents.goals import progress as g

BERLIN, UTC_ZONE = ZoneInfo("Europe/Berlin"), ZoneInfo("UTC")
WEDNESDAY = datetime(2026, 1, 14, 12, tzinfo=UTC)
LEADS = Goal(metric="leads", target=10, floor=5, unit="leads", stretch=20, period="weekly")
KINDS: tuple[GoalPeriod, ...] = ("daily", "weekly", "monthly")


def change(amount: str, metric: str = "leads") -> GoalUpdate:
    return GoalUpdate(position=1, line=1, metric=metric, change=Decimal(amount))


def read(raw: Any, *specs: Goal, now: datetime = WEDNESDAY, zone: ZoneInfo = UTC_ZONE) -> g.Goals:
    return g.read(raw, specs, now=now, zone=zone)


def stored(goals: g.Goals) -> Any:
    return json.loads(json.dumps(g.written(goals)))


def goal(current: float, **changes: Any) -> g.GoalState:
    spec = Goal(**{"metric": "leads", "target": 10, "floor": 5, "period": "daily", **changes})
    return read({"goals": {"leads": {"current": current}}}, spec).goals["leads"]


def test_a_goal_that_was_never_updated_is_at_zero_in_the_current_week() -> None:
    assert stored(read({}, LEADS)) == {
        "goals": {
            "leads": {
                "current": 0,
                "target": 10,
                "period_start": "2026-01-12",
                "period_end": "2026-01-18",
                "history": [],
            }
        }
    }


@pytest.mark.parametrize(
    ("kind", "first", "last"),
    [
        ("daily", "2026-02-28", "2026-02-28"),
        ("weekly", "2026-02-23", "2026-03-01"),
        ("monthly", "2026-02-01", "2026-02-28"),
    ],
)
def test_periods_are_days_weeks_from_monday_and_months(kind: GoalPeriod, first: str, last: str) -> None:
    found = p.period_of(date(2026, 2, 28), kind)
    assert (found.first.isoformat(), found.last.isoformat()) == (first, last)


def test_a_period_begins_at_midnight_of_the_zone() -> None:
    late = datetime(2026, 1, 31, 23, 30, tzinfo=UTC)
    assert p.current_period(late, "monthly", BERLIN).first == date(2026, 2, 1)
    assert p.current_period(late, "monthly", UTC_ZONE).first == date(2026, 1, 1)


@pytest.mark.parametrize(("day", "hours"), [(date(2026, 3, 29), 23), (date(2026, 10, 25), 25), (date(2026, 3, 30), 24)])
def test_the_day_on_which_clocks_change_has_its_own_length(day: date, hours: int) -> None:
    noon = datetime(day.year, day.month, day.day, 12, tzinfo=BERLIN)
    assert p.elapsed_share(p.Period(day, day), noon, BERLIN) == pytest.approx((hours - 12) / hours)


def test_outside_a_period_nothing_or_all_of_it_has_gone() -> None:
    period = p.period_of(date(2026, 1, 14), "weekly")
    assert p.elapsed_share(period, WEDNESDAY - timedelta(days=30), BERLIN) == 0
    assert p.elapsed_share(period, WEDNESDAY + timedelta(days=30), BERLIN) == 1


@given(st.dates(date(1990, 1, 1), date(2090, 1, 1)), st.integers(0, 500), st.sampled_from(KINDS))
def test_periods_follow_each_other_without_a_gap(first: date, days: int, kind: GoalPeriod) -> None:
    until = first + timedelta(days=days)
    periods = list(p.periods_between(first, p.period_of(until, kind).first, kind))
    for one, next_one in itertools.pairwise([*periods, p.period_of(until, kind)]):
        assert one.first <= one.last == next_one.first - timedelta(days=1)


def test_a_change_counts_once() -> None:
    goals = read({}, LEADS)
    once = g.updated(goals, change("2.5"), key="run/1")
    twice = g.updated(read(stored(once), LEADS), change("2.5"), key="run/1")
    assert stored(once)["goals"]["leads"]["current"] == 2.5
    assert stored(once)["applied"] == ["run/1"] and stored(twice) == stored(once)


def test_a_value_takes_the_place_of_the_current_one() -> None:
    update = GoalUpdate(position=1, line=1, metric="leads", value=Decimal(1500))
    goals = g.updated(read({"goals": {"leads": 7}}, LEADS), update, key="run/1")
    assert stored(goals)["goals"]["leads"]["current"] == 1500


def test_tenths_add_up() -> None:
    goals = read({"goals": {"leads": {"current": 0.1}}}, LEADS)
    assert stored(g.updated(goals, change("0.2"), key="run/1"))["goals"]["leads"]["current"] == 0.3
    assert stored(g.updated(goals, change("-0.1"), key="run/1"))["goals"]["leads"]["current"] == 0


def test_only_the_last_keys_are_kept() -> None:
    goals = read({"applied": [f"run/{number}" for number in range(g.MAX_APPLIED_KEYS)]}, LEADS)
    applied = g.updated(goals, change("1"), key="new/1").applied
    assert len(applied) == g.MAX_APPLIED_KEYS and applied[-1] == "new/1" and applied[0] == "run/1"


def test_an_unknown_goal_is_refused_with_the_known_ones() -> None:
    with pytest.raises(g.RefusedUpdate, match=r"There is no goal “calls”\..*leads"):
        g.updated(read({}, LEADS), change("1", "calls"), key="run/1")
    with pytest.raises(g.RefusedUpdate, match="none"):
        g.updated(read({}), change("1"), key="run/1")


def test_a_goal_cannot_outgrow_what_json_holds() -> None:
    goals = read({"goals": {"leads": 10**15}}, LEADS)
    with pytest.raises(g.RefusedUpdate, match="larger"):
        g.updated(goals, change("1"), key="run/1")


def test_periods_roll_over_by_themselves_and_missed_ones_are_zero() -> None:
    before = {"current": 4, "target": 8, "period_start": "2025-12-22", "period_end": "2025-12-28", "history": []}
    past = {"period": "2025-12-15", "actual": 9, "target": 8, "note": "kept"}
    found = stored(read({"goals": {"leads": {**before, "history": [past]}}}, LEADS))["goals"]["leads"]
    assert found["current"] == 0 and found["period_start"] == "2026-01-12"
    assert found["history"] == [
        past,
        {"period": "2025-12-22", "actual": 4, "target": 10},
        {"period": "2025-12-29", "actual": 0, "target": 10},
        {"period": "2026-01-05", "actual": 0, "target": 10},
    ]


def test_another_kind_of_period_takes_effect_at_its_next_start() -> None:
    raw = {"goals": {"leads": {"current": 4, "period_start": "2026-01-12", "period_end": "2026-01-18"}}}
    monthly = read(raw, Goal(metric="leads", target=10, period="monthly")).goals["leads"]
    assert monthly.current == 4 and not monthly.history and monthly.period.last == date(2026, 1, 31)
    daily = read(raw, Goal(metric="leads", target=10, period="daily")).goals["leads"]
    assert [each.period for each in daily.history] == ["2026-01-12", "2026-01-13"]


@pytest.mark.parametrize("start", ["2026-02-01", "9999-12-31", "0001-01-01", "", None])
def test_a_start_that_can_be_none_ends_no_period(start: str | None) -> None:
    found = read({"goals": {"leads": {"current": 4, "period_start": start}}}, LEADS).goals["leads"]
    assert found.current == 4 and not found.history


def test_a_change_that_comes_late_does_not_bring_the_last_period_back() -> None:
    raw = {"goals": {"leads": {"current": 4, "period_start": "2026-01-19", "period_end": "2026-01-25"}}}
    found = stored(g.updated(read(raw, LEADS), change("1"), key="run/1"))["goals"]["leads"]
    assert (found["current"], found["period_start"], found["history"]) == (5, "2026-01-19", [])


def test_history_is_capped() -> None:
    history = [{"period": str(number), "actual": 1} for number in range(g.MAX_HISTORY)]
    entry = {"current": 1, "period_start": "2026-01-05", "history": history}
    found = read({"goals": {"leads": entry}}, LEADS).goals["leads"].history
    assert len(found) == g.MAX_HISTORY and found[0].period == "1" and found[-1].period == "2026-01-05"


def test_what_is_not_ours_stays() -> None:
    raw = {
        "version": 2,
        "goals": {"leads": {"current": 1, "owner": "ada", "periodStart": "2026-01-12", "periodEnd": "2026-01-18"}},
    }
    found = stored(g.updated(read(raw), change("1"), key="run/1"))
    assert found["version"] == 2
    assert found["goals"]["leads"] == {
        "current": 2,
        "owner": "ada",
        "periodStart": "2026-01-12",
        "periodEnd": "2026-01-18",
        "target": 0,
        "history": [],
    }


@pytest.mark.parametrize(("end", "last"), [("2026-01-14", 14), ("2026-01-20", 18), ("2026-02-13", 31)])
def test_a_goal_that_the_persona_has_no_more_keeps_its_kind_of_period(end: str, last: int) -> None:
    raw = {"goals": {"old": {"current": 1, "period_start": "2026-01-14", "period_end": end}}}
    assert read(raw).goals["old"].period.last.day == last


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ([], "the file: expected an object"),
        ({"goals": []}, "goals: expected an object"),
        ({"goals": {"leads": "3"}}, "goals.leads: expected an object"),
        ({"goals": {"leads": {"current": "3"}}}, "goals.leads.current: expected a number"),
        ({"goals": {"leads": {"current": True}}}, "goals.leads.current: expected a number"),
        ({"goals": {"leads": {"current": float("inf")}}}, "goals.leads.current: expected a number of"),
        ({"goals": {"leads": {"current": 1e300}}}, "goals.leads.current: expected a number of"),
        ({"goals": {"leads": {"history": {}}}}, "goals.leads.history: expected a list"),
        ({"goals": {"leads": {"history": [1]}}}, "goals.leads.history: expected an object"),
        ({"goals": {"leads": {"period_start": "soon"}}}, "goals.leads.period_start: expected a date"),
        ({"goals": {"leads": {"period_start": 5}}}, "goals.leads.period_start: expected a date"),
        ({"applied": 1}, "applied: expected a list"),
    ],
)
def test_a_malformed_file_is_told_by_field(raw: Any, expected: str) -> None:
    with pytest.raises(g.BadGoals, match=expected):
        read(raw, LEADS)


@pytest.mark.parametrize(
    ("current", "label"),
    [
        (10, "exceeded"),
        (12, "exceeded"),
        (5, "on track"),
        (3, "on track"),
        (2.9, "behind"),
        (0, "behind"),
        (-0.1, "critical"),
    ],
)
def test_labels_compare_progress_with_the_time_that_has_gone(current: float, label: str) -> None:
    noon = WEDNESDAY
    assert g.label(goal(current), now=noon, zone=UTC_ZONE) == label
    assert g.is_behind(goal(current), now=noon, zone=UTC_ZONE) is (label in ("behind", "critical"))


@pytest.mark.parametrize("target", [None, 0, -3])
def test_without_a_target_there_is_no_label(target: float | None) -> None:
    without = read({"goals": {"leads": {"current": 1, "target": target}}}).goals["leads"]
    assert g.label(without, now=WEDNESDAY, zone=UTC_ZONE) is None
    assert not g.is_behind(without, now=WEDNESDAY, zone=UTC_ZONE)


def test_a_goal_under_its_floor_alerts_once_in_a_period() -> None:
    spec = Goal(metric="leads", target=10, floor=5, period="daily")
    early, late = WEDNESDAY.replace(hour=19), WEDNESDAY.replace(hour=19, minute=12)
    goals = read({}, spec, now=early)
    assert g.with_floor_alerts(goals, now=early, zone=UTC_ZONE) == (goals, [])
    alerted, metrics = g.with_floor_alerts(goals, now=late, zone=UTC_ZONE)
    assert metrics == ["leads"] and stored(alerted)["goals"]["leads"]["floor_alert"] == "2026-01-14"
    again = read(stored(alerted), spec, now=late)
    assert g.with_floor_alerts(again, now=late, zone=UTC_ZONE)[1] == []
    tomorrow = late + timedelta(days=1)
    assert g.with_floor_alerts(read(stored(alerted), spec, now=tomorrow), now=tomorrow, zone=UTC_ZONE)[1] == ["leads"]


@pytest.mark.parametrize("spec", [LEADS, Goal(metric="leads", target=10, period="daily")])
def test_a_goal_over_its_floor_or_without_one_raises_no_alert(spec: Goal) -> None:
    late = WEDNESDAY.replace(hour=23)
    goals = read({"goals": {"leads": 5}}, spec, now=late)
    assert g.with_floor_alerts(goals, now=late, zone=UTC_ZONE)[1] == []


@given(st.lists(st.tuples(st.integers(-(10**6), 10**6), st.integers(0, 4)), max_size=20))
def test_any_order_of_changes_and_repetitions_adds_up(changes: list[tuple[int, int]]) -> None:
    goals, expected = read({}, LEADS), Decimal(0)
    for number, (amount, repeated) in enumerate(changes):
        update = change(str(Decimal(amount).scaleb(-3)))
        expected += update.change or 0
        for _ in range(repeated + 1):
            goals = read(stored(g.updated(goals, update, key=f"run/{number}")), LEADS)
    assert goals.goals["leads"].current == expected
