"""The SQL of the room. Each function runs inside a transaction of `storage.Database`."""

from __future__ import annotations

from sqlalchemy import Connection, delete, insert, select, update

from ..storage import rows
from .model import AgentRecord, EffectReport
from .tables import agents, effects


def load(connection: Connection, slug: str) -> AgentRecord | None:
    """Return the record of an agent, or None if the server has none."""
    return rows.first_value(connection, AgentRecord, select(agents).where(agents.c.id == slug))


def load_all(connection: Connection) -> dict[str, AgentRecord]:
    """Return the records of all agents, by slug."""
    return {record.id: record for record in rows.values(connection, AgentRecord, select(agents))}


def save(connection: Connection, record: AgentRecord) -> None:
    """Insert or replace the record of an agent."""
    connection.execute(delete(agents).where(agents.c.id == record.id))
    connection.execute(insert(agents).values(id=record.id, body=rows.encoded(record)))


def forget(connection: Connection, slug: str) -> None:
    """Delete the record of an agent that no longer exists."""
    connection.execute(delete(agents).where(agents.c.id == slug))


def insert_effect(connection: Connection, report: EffectReport, held: str | None = None) -> None:
    """Store the outcome of a directive. `held`: the JSON of the directive to apply once a person allows it."""
    names = {"id": report.id, "run_id": report.run_id, "position": report.position, "held": held}
    connection.execute(insert(effects).values(**names, body=rows.encoded(report)))


def save_effect(connection: Connection, report: EffectReport) -> None:
    """Replace the stored outcome of a directive, which no longer waits for a person."""
    body = rows.encoded(report)
    connection.execute(update(effects).where(effects.c.id == report.id).values(body=body, held=None))


def load_effect(connection: Connection, id: str) -> EffectReport | None:
    """Return the outcome of one directive, or None. `id`: `<run id>/<position>`."""
    return rows.first_value(connection, EffectReport, select(effects.c.id, effects.c.body).where(effects.c.id == id))


def held_of(connection: Connection, id: str) -> str | None:
    """Return the JSON of a directive that waits for a person, or None."""
    return connection.execute(select(effects.c.held).where(effects.c.id == id)).scalar()


def held_effects(connection: Connection, *, most: int) -> list[EffectReport]:
    """Return the directives that wait for a person, those of the newest runs first."""
    query = select(effects.c.id, effects.c.body).where(effects.c.held.is_not(None))
    query = query.order_by(effects.c.run_id.desc(), effects.c.position).limit(most)
    return rows.values(connection, EffectReport, query)


def effects_of(connection: Connection, run_id: str) -> list[EffectReport]:
    """Return the outcomes of a run's directives, in their order."""
    query = select(effects.c.id, effects.c.body).where(effects.c.run_id == run_id).order_by(effects.c.position)
    return rows.values(connection, EffectReport, query)


def delete_of_run(connection: Connection, run_id: str) -> None:
    """Delete the outcomes of a deleted run."""
    connection.execute(delete(effects).where(effects.c.run_id == run_id))
