"""The SQL statements of runs. Each function works inside a transaction of `storage.Database`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from typing import Any

import msgspec
from sqlalchemy import ColumnElement, Connection, Row, Select, delete, func, insert, or_, select, update

from ..core.people import Principal
from ..storage import rows
from ..storage.dialects import take_turn
from ..storage.sequence_numbers import is_number, next_number
from .model import NewRun, Run, RunFilter, RunResult
from .rules.budgets import HEARTBEATS, Since, Spent
from .rules.lifecycle import AT_WORK, FINAL
from .tables import runs

MAX_PID = 2**31 - 1
MAX_MATCHES = 500  # sessions that a search for a text returns

# Decodes the `request` of a row. None: it is damaged, or of a kind that is not registered.
ReadRequest = Callable[[str], NewRun | None]


# Builds another package's condition on a run from the column with the run's id.
AlsoIs = Callable[[ColumnElement[str]], ColumnElement[bool]]


class Unfinished(msgspec.Struct, frozen=True, kw_only=True):
    """An unfinished run of another server."""

    run: Run
    new: NewRun | None  # None: its record is damaged, so the request is unknown
    holder: str
    launcher_pid: int | None
    launcher_started: str | None


class Latest(msgspec.Struct, frozen=True, kw_only=True):
    """The newest run of a session and the number of its runs, for a list of sessions."""

    run: Run
    count: int


class _Answered(msgspec.Struct, frozen=True):
    """The part of a run's JSON that is searched."""

    result: RunResult | None = None


def insert_run(connection: Connection, run: Run, new: NewRun, holder: str) -> Run:
    """Insert a run and return it with its number, which is higher than that of every earlier run."""
    run = msgspec.structs.replace(run, number=next_number(connection))
    request = msgspec.json.encode(new).decode()
    connection.execute(insert(runs).values(**_columns(run), number=run.number, holder=holder, request=request))
    return run


def save_run(connection: Connection, run: Run, holder: str) -> bool:
    """Update the record of a run. Return False, without a change, if the run no longer belongs to this holder."""
    mine = (runs.c.id == run.id) & (runs.c.holder == holder)
    return connection.execute(update(runs).where(mine).values(**_columns(run))).rowcount == 1


def note_launcher(connection: Connection, run_id: str, pid: int, started_at: str) -> None:
    """Store the process that must be ended if this server dies. `started_at`: from the process table."""
    values = {"launcher_pid": pid, "launcher_started": started_at}
    connection.execute(update(runs).where(runs.c.id == run_id).values(**values))


def adopt_run(connection: Connection, run: Run, holder: str) -> None:
    """Make this holder the owner of the run's record, and store the run's number. The state is not changed."""
    connection.execute(update(runs).where(runs.c.id == run.id).values(holder=holder, number=run.number))


def delete_run(connection: Connection, run_id: str) -> None:
    """Delete the record of a run, in any state. Without effect if there is none."""
    connection.execute(delete(runs).where(runs.c.id == run_id))


def load_run(connection: Connection, run_id: str) -> Run | None:
    """Return a run as it was last stored, whoever may see it; None if there is none or its record is damaged."""
    return rows.first_value(connection, Run, _select().where(runs.c.id == run_id))


def list_runs(connection: Connection, wanted: RunFilter, principal: Principal, also: AlsoIs | None = None) -> list[Run]:
    """Return the runs that match the filter and that the caller may see, newest first; at most 200.

    `also`: a further condition. Damaged records are left out. With a cursor, only older runs; its run may be deleted.
    """
    query = _select().order_by(runs.c.number.desc())
    query = rows.visible_to(query, runs, principal).where(*_conditions(wanted))
    if also is not None:
        query = query.where(also(runs.c.id))
    if wanted.cursor:
        query = query.where(rows.older_than(runs, wanted.cursor))
    return rows.page(connection, Run, query, rows.page_size(wanted.limit))


def _conditions(wanted: RunFilter) -> Iterator[ColumnElement[bool]]:
    columns = runs.c
    for name in ("session_id", "path", "state", "agent", "kind", "runtime"):
        if (value := getattr(wanted, name)) is not None:
            yield columns[name] == value
    if wanted.asked_by is not None:
        named = columns.asked_by_name.contains(words_of(wanted.asked_by), autoescape=True)
        yield (columns.asked_by == wanted.asked_by) | named
    if wanted.query:
        yield columns.instruction.icontains(wanted.query, autoescape=True)
    if wanted.below is not None and (folder := wanted.below.strip("/")):
        yield (columns.path == folder) | columns.path.startswith(f"{folder}/", autoescape=True)
    if wanted.since is not None:
        yield columns.queued_at >= wanted.since.timestamp()
    if wanted.until is not None:
        yield columns.queued_at < wanted.until.timestamp()
    if wanted.changed:
        yield columns.changed_files > 0


def words_of(name: str) -> str:
    """Normalize a display name so that whole words of it can be found in any case: " ada lovelace "."""
    return f" {' '.join(name.casefold().split())} "


def runs_of_session(connection: Connection, session_id: str, limit: int = rows.MAX_PAGE) -> list[Run]:
    """Return the last `limit` runs of a session, oldest first, whoever may see them."""
    query = _select().where(runs.c.session_id == session_id).order_by(runs.c.number.desc())
    return rows.values(connection, Run, query.limit(limit))[::-1]


def runs_after(connection: Connection, session_id: str, number: int) -> list[Run]:
    """Return the next runs of a session after this number, oldest first, whoever may see them; at most 200.

    Fewer than 200 are the last ones.
    """
    query = _select().where(runs.c.session_id == session_id, runs.c.number > number).order_by(runs.c.number)
    return rows.page(connection, Run, query, rows.MAX_PAGE)


def session_pairs(connection: Connection, principal: Principal) -> set[tuple[str, str]]:
    """Return runtime and session of every run that the caller may see."""
    query = select(runs.c.runtime, runs.c.session_id).where(runs.c.runtime.is_not(None)).distinct()
    return {(row[0], row[1]) for row in connection.execute(rows.visible_to(query, runs, principal))}


def first_runs(connection: Connection, session_ids: Collection[str], principal: Principal) -> list[Run]:
    """Return the oldest run of each session among those that the caller may see, in no fixed order.

    A session without such a run is left out.
    """
    columns = runs.c
    first = select(func.min(columns.number)).where(columns.session_id.in_(session_ids)).group_by(columns.session_id)
    found = select(columns.id, columns.body).where(columns.number.in_(rows.visible_to(first, runs, principal)))
    return rows.values(connection, Run, found)


def latest_runs(connection: Connection, session_ids: Collection[str]) -> dict[str, Latest]:
    """Return the newest run of each session and the number of its runs, by session id, whoever may see them.

    Sessions without a run are left out.
    """
    columns = runs.c
    grouped = (
        select(func.max(columns.number).label("number"), func.count().label("count"))
        .where(columns.session_id.in_(session_ids))
        .group_by(columns.session_id)
        .subquery()
    )
    joined = select(columns.id, columns.body, columns.number, grouped.c.count).join(
        grouped, columns.number == grouped.c.number
    )
    counts = {row.id: int(row._mapping["count"]) for row in connection.execute(joined)}
    found = rows.values(connection, Run, joined)
    return {run.session_id: Latest(run=run, count=counts[run.id]) for run in found}


def latest_of_agents(connection: Connection, agents: Collection[str]) -> dict[str, Run]:
    """Return the newest run of each agent, by slug, whoever may see it. Agents without a run are left out."""
    columns = runs.c
    newest = select(func.max(columns.number)).where(columns.agent.in_(agents)).group_by(columns.agent)
    return {
        run.agent: run for run in rows.values(connection, Run, _select().where(columns.number.in_(newest))) if run.agent
    }


def sessions_with(connection: Connection, text: str, principal: Principal) -> list[str]:
    """Return the ids of sessions whose instructions or answers contain the text: newest first, at most `MAX_MATCHES`.

    Searches only runs that the caller may see. Ignores case; with SQLite, only the case of ASCII letters.
    """
    columns = runs.c
    in_json = msgspec.json.encode(text).decode()[1:-1]
    # the database reads quickly in which rows the text occurs anywhere, such as in the name of a field
    fields = (columns.instruction, text), (columns.body, in_json)
    anywhere = or_(*(field.icontains(wanted, autoescape=True) for field, wanted in fields))
    query = select(columns.session_id, columns.instruction, columns.body).where(anywhere)
    query = rows.visible_to(query, runs, principal).order_by(columns.number.desc())
    wanted, found = text.casefold(), dict[str, None]()
    with connection.execute(query, execution_options={"yield_per": rows.MAX_PAGE}) as read:
        for row in read:
            if row.session_id not in found and any(
                wanted in said.casefold() for said in _said(row.instruction, row.body)
            ):
                found[row.session_id] = None
                if len(found) == MAX_MATCHES:
                    break
    return list(found)


def _said(instruction: object, body: str) -> Iterator[str]:
    """Yield the instruction and the answer of a run; of a damaged record, what can be read."""
    if isinstance(instruction, str):
        yield instruction
    with suppress(msgspec.DecodeError, UnicodeError, TypeError):
        answer = msgspec.json.decode(body, type=_Answered).result
        yield answer.text if answer else ""


def spent(connection: Connection, agent: str, since: Since, *, before: int | None) -> Spent:
    """Return what an agent's runs have used since its day and its month began, without skipped runs.

    `before`: only runs with a smaller number; None: all runs. Runs count when they were queued; unknown costs count as
    0.
    """
    columns = runs.c
    mine = (columns.agent == agent) & (columns.state != "skipped")
    if before is not None:
        mine &= columns.number < before
    today = mine & (columns.queued_at >= since.day.timestamp())
    this_month = mine & (columns.queued_at >= since.month.timestamp()) & columns.kind.in_(HEARTBEATS)
    row = connection.execute(select(func.count(), func.sum(columns.cost_usd)).where(today)).one()
    heartbeats = connection.execute(select(func.count()).where(this_month)).scalar()
    return Spent(heartbeats=heartbeats or 0, runs=row[0], cost_usd=row[1] or 0.0)


def spent_by_agent(connection: Connection, since: Since) -> dict[str, Spent]:
    """Return what each agent's runs have used since this day and month began, without skipped runs.

    Agents without such a run are left out.
    """
    columns = runs.c
    counts = columns.agent.is_not(None) & (columns.state != "skipped")
    today = counts & (columns.queued_at >= since.day.timestamp())
    this_month = counts & (columns.queued_at >= since.month.timestamp()) & columns.kind.in_(HEARTBEATS)
    costs = select(columns.agent, func.count(), func.sum(columns.cost_usd)).where(today).group_by(columns.agent)
    of_day = {row[0]: (row[1], row[2] or 0.0) for row in connection.execute(costs)}
    beats = select(columns.agent, func.count()).where(this_month).group_by(columns.agent)
    of_month = {row[0]: row[1] for row in connection.execute(beats)}
    return {
        agent: Spent(heartbeats=of_month.get(agent, 0), runs=day[0], cost_usd=day[1])
        for agent in {*of_day, *of_month}
        for day in [of_day.get(agent, (0, 0.0))]
    }


def works_elsewhere(connection: Connection, run: Run, holder: str) -> bool:
    """Return whether another server works on a run of the same session.

    If the run is exclusive, or its agent allows no parallel runs, any run of this agent counts too. Servers check one
    after the other: the second waits until the first one's transaction has ended.
    """
    columns = runs.c
    beside = columns.session_id == run.session_id
    if run.agent is not None and (run.exclusive or run.parallel == 1):
        beside |= columns.agent == run.agent
    take_turn(connection, "runs")
    at_work = columns.state.in_(sorted(AT_WORK)) & (columns.holder != holder)
    return connection.execute(select(columns.id).where(beside & at_work).limit(1)).first() is not None


def is_unfinished(connection: Connection, *, kind: str, path: str, but: str) -> bool:
    """Return whether a run of this kind about this document is unfinished in any server.

    `but`: id of a run to ignore.
    """
    same = (runs.c.kind == kind) & (runs.c.path == path) & (runs.c.id != but)
    return connection.execute(select(runs.c.id).where(same, runs.c.state.not_in(sorted(FINAL)))).first() is not None


def at_work_in_documents(connection: Connection) -> list[Run]:
    """Return the private runs of all servers that work in a document now, oldest first."""
    columns = runs.c
    at_work = columns.state.in_(sorted(AT_WORK)) & columns.path.is_not(None) & (columns.visibility == "private")
    return rows.values(connection, Run, _select().where(at_work).order_by(columns.number))


def unfinished_among(connection: Connection, run_ids: Collection[str]) -> set[str]:
    """Return the ids of the stored runs that have not ended. Unknown ids are left out."""
    columns = runs.c
    query = select(columns.id).where(columns.id.in_(run_ids), columns.state.not_in(sorted(FINAL)))
    return set(connection.execute(query).scalars())


def holder_of(connection: Connection, run_id: str) -> str | None:
    """Return the lease of the server that has this run, or had it last; None if there is no such run."""
    return connection.execute(select(runs.c.holder).where(runs.c.id == run_id)).scalar()


def unfinished_of_agents(connection: Connection) -> list[Run]:
    """Return the unfinished runs of all agents in every server. Those at work come first, else the oldest."""
    is_open = runs.c.state.not_in(sorted(FINAL)) & runs.c.agent.is_not(None)
    return sorted(
        rows.values(connection, Run, _select().where(is_open).order_by(runs.c.number)),
        key=lambda run: run.state == "queued",
    )


def known_among(connection: Connection, run_ids: Collection[str]) -> set[str]:
    """Return the ids for which a run is stored. Queried in parts, because databases limit a statement's parameters."""
    ids = sorted(run_ids)
    parts = (ids[start : start + rows.MAX_PAGE] for start in range(0, len(ids), rows.MAX_PAGE))
    return {id for part in parts for id in connection.execute(select(runs.c.id).where(runs.c.id.in_(part))).scalars()}


def unfinished_runs(connection: Connection, *, but_of: Collection[str], read_request: ReadRequest) -> list[Unfinished]:
    """Return the unfinished runs of all holders except those in `but_of`, oldest first.

    Unreadable ones are left out: see `close_unreadable`.
    """
    found = (_unfinished(row, read_request) for row in connection.execute(_open_rows(but_of)))
    return [left for left in found if left is not None]


def close_unreadable(connection: Connection, *, but_of: Collection[str]) -> list[str]:
    """Mark unfinished rows whose run cannot be decoded as interrupted: no one could see, stop or delete such a run.

    Only rows of holders that are not in `but_of`. Return their ids.
    """
    found = connection.execute(_open_rows(but_of)).all()
    closed = [row.id for row in found if _unfinished(row, lambda request: None) is None]
    for run_id in closed:  # one by one, because databases limit a statement's parameters
        connection.execute(update(runs).where(runs.c.id == run_id).values(state="interrupted"))
    return [str(run_id) for run_id in closed]


def _open_rows(but_of: Collection[str]) -> Select[Any]:
    is_open = runs.c.state.not_in(sorted(FINAL)) & runs.c.holder.not_in(but_of)
    return select(runs).where(is_open).order_by(runs.c.number)


def _unfinished(row: Row[Any], read_request: ReadRequest) -> Unfinished | None:
    run, new = rows.decoded(Run, row.id, row.body), read_request(row.request)
    if run is None or run.state in FINAL:
        return None  # the body is damaged or contradicts the row
    intact = is_number(row.number)
    number = row.number if intact else run.number  # the number that was stored when the run was queued
    pid, started = row.launcher_pid, row.launcher_started
    return Unfinished(
        run=msgspec.structs.replace(run, number=number if is_number(number) else 0),
        new=new if intact else None,
        holder=row.holder,
        launcher_pid=pid if isinstance(pid, int) and 1 < pid <= MAX_PID else None,
        launcher_started=started if isinstance(started, str) else None,
    )


def _select() -> Select[Any]:
    return select(runs.c.id, runs.c.body, runs.c.number)


def _columns(run: Run) -> dict[str, object]:
    names = ("id", "state", "kind", "session_id", "path", "owner", "visibility", "instruction", "agent", "cost_usd")
    return {name: getattr(run, name) for name in names} | {
        "queued_at": run.queued_at.timestamp(),
        "runtime": run.runtime,
        "asked_by": run.trigger.username,
        "asked_by_name": words_of(run.trigger.display_name),
        "changed_files": run.changed.files if run.changed else 0,
        "body": rows.encoded(run),
    }
