"""The table of leases."""

from __future__ import annotations

from sqlalchemy import Column, Integer, String, Table, Text

from ..storage.tables import metadata

leases = Table(
    "leases",
    metadata,
    Column("name", String(64), primary_key=True),
    Column("holder", String(26), nullable=False),
    Column("number", Integer, nullable=False),  # grows with every taking
    Column("beat", Integer, nullable=False),  # grows with every renewal
    Column("process", Text, nullable=False),  # host, boot, pid and start time of the holder
)
