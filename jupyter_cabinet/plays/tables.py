"""The table of plays: which triggers have fired for what."""

from __future__ import annotations

from sqlalchemy import Column, Float, Index, String, Table, Text

from ..storage.tables import metadata

firings = Table(
    "firings",
    metadata,
    Column("play", String(64), primary_key=True),
    Column("trigger", String(200), primary_key=True),  # `triggers.key_of`
    Column("cause", String(200), primary_key=True),  # what it fired for: a run, a message, a delivery
    Column("at", Float, nullable=False),  # seconds since 1970
    Column("run_id", String(26)),  # that was started; none: there is a reason
    Column("reason", Text, nullable=False, server_default=""),
    Index("firings_by_time", "at"),
)
