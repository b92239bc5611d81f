"""The table of runs' changes."""

from __future__ import annotations

from sqlalchemy import Boolean, Column, Index, String, Table, Text

from ..storage.tables import metadata

changes = Table(
    "changes",
    metadata,
    Column("id", String(26), primary_key=True),  # of the run
    Column("state", String(16), nullable=False),
    Column("pending", Boolean, nullable=False),  # files are being reverted
    Column("body", Text, nullable=False),  # JSON of `record.ChangeRecord`
    Index("changes_by_pending", "pending"),
)
