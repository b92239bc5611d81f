"""The table of approvals."""

from __future__ import annotations

from sqlalchemy import Column, Index, String, Table, Text

from ..storage.tables import NUMBERED, Number, metadata

approvals = Table(
    "approvals",
    metadata,
    Column("id", String(26), primary_key=True),
    Column("number", Number, nullable=False, server_default="0", info=NUMBERED),
    Column("run_id", String(26), nullable=False),
    Column("state", String(16), nullable=False),
    Column("owner", Text, nullable=False),
    Column("visibility", String(8), nullable=False),
    Column("body", Text, nullable=False),  # JSON of `model.Approval`
    Index("approvals_by_state", "state", "number"),
    Index("approvals_by_run", "run_id"),
)
