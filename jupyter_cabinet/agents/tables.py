"""The room's tables: the server's records of agents, and the outcomes of directives."""

from __future__ import annotations

from sqlalchemy import Column, Index, Integer, String, Table, Text

from ..storage.tables import metadata

agents = Table(
    "agents",
    metadata,
    Column("id", String(64), primary_key=True),  # slug
    Column("body", Text, nullable=False),  # JSON of `model.AgentRecord`
)

effects = Table(
    "effects",
    metadata,
    Column("id", String(40), primary_key=True),  # <run id>/<position>
    Column("run_id", String(26), nullable=False),
    Column("position", Integer, nullable=False),
    Column("body", Text, nullable=False),  # JSON of `model.EffectReport`
    Column("held", Text),  # JSON of `run_completion.PendingDirectives`, to be applied once a person allows it
    Index("effects_by_run", "run_id", "position"),
)
_is_held = effects.c.held.is_not(None)
Index("effects_held", effects.c.run_id, sqlite_where=_is_held, postgresql_where=_is_held)
