"""The database tables of runs and of the off switch."""

from __future__ import annotations

from sqlalchemy import Column, Float, Index, Integer, String, Table, Text

from ..storage.tables import NUMBERED, Number, metadata

runs = Table(
    "runs",
    metadata,
    Column("id", String(26), primary_key=True),
    Column("number", Number, nullable=False, server_default="0", info=NUMBERED),
    Column("state", String(16), nullable=False),
    Column("kind", String(16), nullable=False),
    Column("session_id", String(36), nullable=False),
    Column("path", Text),
    Column("owner", Text, nullable=False),
    Column("visibility", String(8), nullable=False),
    Column("instruction", Text, nullable=False),
    Column("agent", String(64)),
    Column("queued_at", Float),  # seconds since 1970
    Column("cost_usd", Float),
    Column("runtime", String(64)),
    Column("asked_by", Text),  # user name
    Column("asked_by_name", Text),  # display name, as `store.words_of` writes it
    Column("changed_files", Integer),
    Column("holder", String(26), nullable=False),  # the lease of the server that queued or runs it: see `leases`
    Column("launcher_pid", Integer),  # stored before the process is released: the process to end after a crash
    Column("launcher_started", Text),
    Column("request", Text, nullable=False),  # JSON of the request: the kind's own `NewRun`
    Column("body", Text, nullable=False),  # JSON of `model.Run`
    Index("runs_by_state", "state"),
    Index("runs_by_number", "number"),
    Index("runs_by_session", "session_id", "number"),
    Index("runs_by_path", "path", "number"),
    Index("runs_by_agent", "agent", "number"),
)

switches = Table(
    "switches",
    metadata,
    Column("name", String(16), primary_key=True),
    Column("body", Text, nullable=False),  # JSON of `switch.Switch`
)
