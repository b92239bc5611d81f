"""The database tables of leases, of schedules and of their ticks."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Index, Integer, String, Table, Text

from ..storage.tables import metadata

leases = Table(
    "leases",
    metadata,
    Column("name", String(64), primary_key=True),
    Column("holder", String(26), nullable=False),
    Column("number", Integer, nullable=False),  # grows each time that the lease is taken
    Column("beat", Integer, nullable=False),  # grows with every renewal
    Column("process", Text, nullable=False),  # host, boot, pid and start time of the holder
)

schedules = Table(
    "schedules",
    metadata,
    Column("key", String(200), primary_key=True),
    Column("schedule", Text, nullable=False),  # JSON with the active hours; a change starts it over
    Column("last_due", BigInteger, nullable=False),  # seconds since 1970; at first, when the schedule began
)

ticks = Table(
    "ticks",
    metadata,
    Column("key", String(200), primary_key=True),
    Column("due", BigInteger, primary_key=True, autoincrement=False),  # seconds since 1970
    Column("run_id", String(26), nullable=True),
    Column("skipped", Text, nullable=False),  # the reason; empty if something was started
    Column("missed", Integer, nullable=False),  # ticks before this one that were missed
    Index("ticks_by_due", "due"),
)
