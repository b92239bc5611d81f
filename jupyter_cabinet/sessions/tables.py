"""The table of sessions."""

from __future__ import annotations

from sqlalchemy import Column, Float, Index, String, Table, Text

from ..storage.tables import NUMBERED, Number, metadata

sessions = Table(
    "sessions",
    metadata,
    Column("id", String(36), primary_key=True),
    Column("subject", String(16), nullable=False),  # kind of its subject: a tag of `model.Subject`, or empty
    Column("path", Text, nullable=False),  # of the document or notebook that it is about; else empty
    Column("owner", Text, nullable=False),
    Column("visibility", String(8), nullable=False),
    Column("changed", Number, nullable=False, server_default="0", info=NUMBERED),  # number of the last change
    Column("updated_at", Float, nullable=False),  # seconds since 1970
    Column("title", Text, nullable=False),
    Column("holder", String(26), nullable=False, server_default=""),  # the server where its CLI is open
    Column("body", Text, nullable=False),  # JSON of `model.Session`
    Index("sessions_by_path", "path", "changed"),
    Index("sessions_by_holder", "holder"),
)
