"""The database table of plays: which triggers have fired, and for which cause."""

from __future__ import annotations

from sqlalchemy import Column, Float, Index, String, Table, Text

from ..storage.tables import metadata

firings = Table(
    "firings",
    metadata,
    Column("play", String(64), primary_key=True),
    Column("trigger", String(200), primary_key=True),  # `triggers.key_of`
    Column("cause", String(200), primary_key=True),  # id of the run, message or delivery for which it fired
    Column("at", Float, nullable=False),  # seconds since 1970
    Column("run_id", String(26)),  # the run that was started; NULL: there is a reason instead
    Column("reason", Text, nullable=False, server_default=""),
    Index("firings_by_time", "at"),
)
