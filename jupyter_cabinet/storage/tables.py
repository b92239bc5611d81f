"""The tables of the storage itself, and the metadata that every room's tables join.

A room defines its own tables in its `tables.py`. They are changed only together with a migration in
`migrations/versions/`; a test compares both. Columns for searching are next to the complete value as JSON.
"""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Float, Index, Integer, MetaData, String, Table, Text

metadata = MetaData()

ORDER = "order"  # the counter that every numbered column takes its numbers from
# Up to `numbers.MAX_NUMBER`. SQLite's INTEGER has 64 bits, PostgreSQL's has 32.
Number = BigInteger().with_variant(Integer(), "sqlite")
NUMBERED = {"numbered": True}  # `info` of a column that rows are sorted by: see `sequence_numbers.py`

events = Table(
    "events",
    metadata,
    Column("seq", Number, primary_key=True, autoincrement=True),
    Column("time", Float, nullable=False),  # seconds since 1970
    Column("type", String(40), nullable=False),
    Column("owner", Text, nullable=False),
    Column("visibility", String(8), nullable=False),
    Column("body", Text, nullable=False),  # JSON of the event
    Index("events_by_time", "time"),
    sqlite_autoincrement=True,  # a deleted number never comes back
)

outbox = Table(
    "outbox",
    metadata,
    Column("seq", Number, primary_key=True, autoincrement=True),
    Column("holder", String(26), nullable=False),  # the server that does it: see `leases`
    Column("topic", String(40), nullable=False),
    Column("key", String(64), nullable=False, server_default=""),  # of those alike, one after the other
    Column("body", Text, nullable=False),  # the data for its handler
    Index("outbox_by_holder", "holder", "seq"),
    sqlite_autoincrement=True,
)

counters = Table(
    "counters",
    metadata,
    Column("name", String(16), primary_key=True),
    Column("value", Number, nullable=False),  # the last number that was given
)
