"""Goals of an agent by period: `goals.json` as a value, changes of it, and the progress of a goal. Pure.

The file is `{goals: {metric: {current, target, period_start, period_end, history: [{period, actual, target}]}}}`, with
`applied` (the keys of the last changes) and, in a goal, `floor_alert` (the period of its last alert). Earlier
installations have the same in `state.json`. Unknown fields are kept. `effects/` reads and writes the file; the `Goal`s
come from `persona.md`. Amounts are `Decimal` here and numbers in the file, so that 0.1 and 0.2 add up to 0.3.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any, Literal
from zoneinfo import ZoneInfo

import msgspec

from ..directives.directive_lines import GoalUpdate
from ..files.persona import Goal, GoalPeriod
from .periods import Period, current_period, elapsed_share, period_of, periods_between

MAX_HISTORY = 1000  # past periods that are kept for each goal
MAX_APPLIED_KEYS = 300  # keys of the last changes: three times the directives that a run may have
A_MONTH = timedelta(days=31)
OLDEST = A_MONTH * MAX_HISTORY
LARGEST = Decimal(10) ** 15
PLACES = Decimal("1e-9")  # amounts are rounded to this

BEHIND_BY = Decimal("0.2")  # share of the target by which a goal is short of what is expected by now
CRITICAL_BY = Decimal("0.5")  # likewise
FLOOR_COUNTS_FROM = 0.8  # share of the period that must have passed

Label = Literal["exceeded", "on track", "behind", "critical"]


class PastPeriod(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a goal in a past period. `period`: its first day, or a name that was written by hand."""

    period: str
    actual: Decimal
    target: Decimal | None = None
    raw: Mapping[str, Any] = {}  # as the file has it


class GoalState(msgspec.Struct, frozen=True, kw_only=True):
    """A goal in its current period.

    `history`: oldest first. `floor_alert`: the first day of the period of the last alert; empty: no alert yet.
    """

    metric: str
    current: Decimal
    target: Decimal | None
    floor: Decimal | None = None
    period: Period
    history: tuple[PastPeriod, ...] = ()
    floor_alert: str = ""


class Goals(msgspec.Struct, frozen=True, kw_only=True):
    """The parsed content of `goals.json`. `raw`: the whole file, so that unknown fields are kept."""

    goals: Mapping[str, GoalState] = {}
    applied: tuple[str, ...] = ()
    raw: Mapping[str, Any] = {}


class BadGoals(Exception):
    """Raised if `goals.json` cannot be used. The text says where, and what was expected."""


class RefusedUpdate(Exception):
    """Raised if a goal cannot be changed as requested. The text says why."""


def read(raw: Any, specs: Iterable[Goal], *, now: datetime, zone: ZoneInfo) -> Goals:
    """Parse the file, and move each goal to its current period.

    Periods that have ended are added to the history; those without a change count as zero. `raw`: the decoded JSON;
    `{}` if there is no file. Raises `BadGoals`.
    """
    whole = _mapping(raw, "the file")
    entries = {**dict.fromkeys(spec.metric for spec in specs), **_mapping(whole.get("goals", {}), "goals")}
    by_metric = {spec.metric: spec for spec in specs}
    goals = {
        metric: _goal(metric, entry, by_metric.get(metric), now=now, zone=zone) for metric, entry in entries.items()
    }
    applied = tuple(key for key in _list(whole.get("applied", []), "applied") if isinstance(key, str))
    return Goals(goals=goals, applied=applied, raw=whole)


def written(goals: Goals) -> dict[str, Any]:
    """Return the content of `goals.json`, to be encoded as JSON. Unknown fields are kept."""
    before = goals.raw.get("goals", {})
    entries = {metric: _entry(goal, before.get(metric)) for metric, goal in goals.goals.items()}
    applied = {"applied": list(goals.applied)} if goals.applied else {}
    return {**goals.raw, "goals": entries, **applied}


def updated(goals: Goals, update: GoalUpdate, *, key: str) -> Goals:
    """Return the goals with one directive carried out. Nothing is written.

    `key` identifies the directive. One of the last 300 keys changes nothing when it comes again. Raises `RefusedUpdate`
    for an unknown goal, and for a value above 10 to the power of 15.
    """
    if key in goals.applied:
        return goals
    goal = goals.goals.get(update.metric)
    if goal is None:
        known = ", ".join(sorted(goals.goals)) or "none"
        raise RefusedUpdate(f"There is no goal “{update.metric}”. The agent's goals: {known}.")
    current = update.value if update.value is not None else goal.current + (update.change or 0)
    if abs(current) > LARGEST:
        raise RefusedUpdate(f"The goal “{update.metric}” would be larger than can be counted. Nothing was changed.")
    changed = msgspec.structs.replace(goal, current=current.quantize(PLACES))
    applied = (*goals.applied, key)[-MAX_APPLIED_KEYS:]
    return Goals(goals={**goals.goals, update.metric: changed}, applied=applied, raw=goals.raw)


def label(goal: GoalState, *, now: datetime, zone: ZoneInfo) -> Label | None:
    """Return the progress of a goal compared with the time that has passed; None without a target above 0.

    A goal that has reached its target is exceeded. It is on track if it is short of what is expected by now by up to a
    fifth of the target, behind by up to half, and else critical.
    """
    if goal.target is None or goal.target <= 0:
        return None
    if goal.current >= goal.target:
        return "exceeded"
    missing = _missing_share(goal, goal.target, now, zone)
    if missing <= BEHIND_BY:
        return "on track"
    return "behind" if missing <= CRITICAL_BY else "critical"


def is_behind(goal: GoalState, *, now: datetime, zone: ZoneInfo) -> bool:
    """Return whether a `goal_behind` trigger fires: the goal is behind or critical. False without a target."""
    return label(goal, now=now, zone=zone) in ("behind", "critical")


def with_floor_alerts(goals: Goals, *, now: datetime, zone: ZoneInfo) -> tuple[Goals, Sequence[str]]:
    """Return the goals with new alerts marked, and the metrics of these alerts; the same goals if there are none.

    A goal alerts if it is below its floor after four fifths of its period, once in each period.
    """
    late = [goal for goal in goals.goals.values() if _is_under_floor(goal, now, zone)]
    marked = {
        goal.metric: msgspec.structs.replace(goal, floor_alert=goal.period.first.isoformat())
        for goal in late
        if goal.floor_alert != goal.period.first.isoformat()
    }
    alerted = Goals(goals={**goals.goals, **marked}, applied=goals.applied, raw=goals.raw)
    return (alerted if marked else goals), list(marked)


def _missing_share(goal: GoalState, target: Decimal, now: datetime, zone: ZoneInfo) -> Decimal:
    return Decimal(repr(elapsed_share(goal.period, now, zone))) - goal.current / target


def _is_under_floor(goal: GoalState, now: datetime, zone: ZoneInfo) -> bool:
    under = goal.floor is not None and goal.current < goal.floor
    return under and elapsed_share(goal.period, now, zone) >= FLOOR_COUNTS_FROM


def _goal(metric: str, entry: Any, spec: Goal | None, *, now: datetime, zone: ZoneInfo) -> GoalState:
    """Build a goal from its entry in the file and from the persona.

    If both have a value, the persona's is used. In older files an entry may be a bare number.
    """
    where = f"goals.{metric}"
    if entry is None or isinstance(entry, int | float):
        entry = {} if entry is None else {"current": entry}
    fields = _mapping(entry, where)
    began = _day(_either(fields, "period_start", "periodStart"), f"{where}.period_start")
    ends = _day(_either(fields, "period_end", "periodEnd"), f"{where}.period_end")
    kind = spec.period if spec else _kind_of(began, ends)
    stored = GoalState(
        metric=metric,
        current=_number(fields.get("current", spec.current if spec else 0), f"{where}.current"),
        target=_optional(spec.target if spec else fields.get("target"), f"{where}.target"),
        floor=_optional(spec.floor if spec else None, f"{where}.floor"),
        period=_period(current_period(now, kind, zone), began, kind),
        history=tuple(_past(each, f"{where}.history") for each in _list(fields.get("history", []), f"{where}.history")),
        floor_alert=str(fields.get("floor_alert", "")),
    )
    return stored if began is None else _rolled(stored, began, kind)


def _kind_of(first: date | None, last: date | None) -> GoalPeriod:
    """Return the kind of period of a goal that the persona no longer has, from its first and last day."""
    days = (last - first).days if first and last else 6
    return "daily" if days < 1 else "weekly" if days < 28 - 1 else "monthly"


def _period(current: Period, began: date | None, kind: GoalPeriod) -> Period:
    """Return the current period, or the next one if a concurrent change has begun it already."""
    if began is None or not current.last < began <= current.last + A_MONTH:
        return current
    return period_of(began, kind)


def _rolled(goal: GoalState, began: date, kind: GoalPeriod) -> GoalState:
    """Move the periods since `began` that have ended into the history: the first with its value, the others with zero.

    If the clock was set back, no period has ended. An implausibly old first day is ignored.
    """
    if not goal.period.first - OLDEST < began < goal.period.first:
        return goal
    ended = list(periods_between(began, goal.period.first, kind))
    reached = [goal.current, *(Decimal(0) for _ in ended[1:])]
    past = [
        PastPeriod(period=period.first.isoformat(), actual=actual, target=goal.target)
        for period, actual in zip(ended, reached, strict=True)
    ]
    return msgspec.structs.replace(goal, current=Decimal(0), history=(*goal.history, *past)[-MAX_HISTORY:])


def _entry(goal: GoalState, before: Any) -> dict[str, Any]:
    kept = dict(before) if isinstance(before, Mapping) else {}
    start, end = ("periodStart", "periodEnd") if "periodStart" in kept else ("period_start", "period_end")
    entry: dict[str, Any] = {
        "current": _json_number(goal.current),
        **_target(goal.target, kept),
        start: goal.period.first.isoformat(),
        end: goal.period.last.isoformat(),
        "history": [_past_entry(each) for each in goal.history],
    }
    return {**kept, **entry, **({"floor_alert": goal.floor_alert} if goal.floor_alert else {})}


def _past_entry(past: PastPeriod) -> dict[str, Any]:
    entry = {"period": past.period, "actual": _json_number(past.actual)}
    return {**past.raw, **entry, **_target(past.target, past.raw)}


def _target(target: Decimal | None, before: Mapping[str, Any]) -> dict[str, Any]:
    """Return the field `target`. It is always a number, because other readers of the file expect one."""
    return {"target": _json_number(target) if target is not None else before.get("target", 0)}


def _past(raw: Any, where: str) -> PastPeriod:
    fields = _mapping(raw, where)
    return PastPeriod(
        period=str(fields.get("period", "")),
        actual=_number(fields.get("actual", 0), f"{where}.actual"),
        target=_optional(fields.get("target"), f"{where}.target"),
        raw=fields,
    )


def _json_number(number: Decimal) -> int | float:
    return int(number) if number == number.to_integral_value() else float(number)


def _number(raw: Any, where: str) -> Decimal:
    if isinstance(raw, bool) or not isinstance(raw, int | float):
        raise BadGoals(f"{where}: expected a number.")
    number = Decimal(repr(raw))
    if not number.is_finite() or abs(number) > LARGEST:
        raise BadGoals(f"{where}: expected a number of at most 15 digits.")
    return number


def _optional(raw: Any, where: str) -> Decimal | None:
    return None if raw is None else _number(raw, where)


def _day(raw: Any, where: str) -> date | None:
    """Return the date of a field, which may also have a time, or None if it is empty. Raises `BadGoals`."""
    if raw is None or raw == "":
        return None
    try:
        return date.fromisoformat(raw[:10])
    except (TypeError, ValueError):
        raise BadGoals(f"{where}: expected a date such as 2026-01-31.") from None


def _either(fields: Mapping[str, Any], name: str, other: str) -> Any:
    return fields.get(name, fields.get(other))


def _mapping(raw: Any, where: str) -> Mapping[str, Any]:
    if not isinstance(raw, Mapping):
        raise BadGoals(f"{where}: expected an object.")
    return raw


def _list(raw: Any, where: str) -> Sequence[Any]:
    if not isinstance(raw, list):
        raise BadGoals(f"{where}: expected a list.")
    return raw
