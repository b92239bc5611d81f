"""Every table of `.cabinet/cabinet.db`. The columns that are searched stand beside the whole value as JSON.

Changed only together with a migration in `migrations/versions/`; a test compares both.
"""

from __future__ import annotations

from sqlalchemy import Column, Float, Index, Integer, MetaData, String, Table, Text

metadata = MetaData()

ORDER = "order"  # the counter that runs, approvals and changes of sessions take their numbers from

runs = Table(
    "runs",
    metadata,
    Column("id", String(26), primary_key=True),
    Column("number", Integer, nullable=False, server_default="0"),  # of `counters`: to sort by
    Column("state", String(16), nullable=False),
    Column("kind", String(16), nullable=False),
    Column("session_id", String(36), nullable=False),
    Column("path", Text),
    Column("owner", Text, nullable=False),
    Column("visibility", String(8), nullable=False),
    Column("instruction", Text, nullable=False),
    Column("holder", String(26), nullable=False),  # the server that queued or runs it: see `leases`
    Column("settled", Integer, nullable=False, default=0),  # 1: what follows from its end has been done
    Column("launcher_pid", Integer),  # set before the go byte: what to end after a crash
    Column("launcher_started", Text),
    Column("request", Text, nullable=False),  # JSON of runs.model.NewRun
    Column("body", Text, nullable=False),  # JSON of runs.model.Run
    Index("runs_by_state", "state"),
    Index("runs_by_number", "number"),
    Index("runs_by_session", "session_id", "number"),
    Index("runs_by_path", "path", "number"),
)

sessions = Table(
    "sessions",
    metadata,
    Column("id", String(36), primary_key=True),
    Column("path", Text, nullable=False),
    Column("owner", Text, nullable=False),
    Column("visibility", String(8), nullable=False),
    Column("changed", Integer, nullable=False, server_default="0"),  # number of the last change: to sort by
    Column("updated_at", Float, nullable=False),  # seconds since 1970
    Column("title", Text, nullable=False),
    Column("body", Text, nullable=False),  # JSON of runs.model.Session
    Index("sessions_by_path", "path", "changed"),
)

approvals = Table(
    "approvals",
    metadata,
    Column("id", String(26), primary_key=True),
    Column("number", Integer, nullable=False, server_default="0"),  # of `counters`: to sort by
    Column("run_id", String(26), nullable=False),
    Column("state", String(16), nullable=False),
    Column("owner", Text, nullable=False),
    Column("visibility", String(8), nullable=False),
    Column("body", Text, nullable=False),  # JSON of runs.model.Approval
    Index("approvals_by_state", "state", "number"),
    Index("approvals_by_run", "run_id"),
)

events = Table(
    "events",
    metadata,
    Column("seq", Integer, primary_key=True, autoincrement=True),
    Column("time", Float, nullable=False),  # seconds since 1970
    Column("type", String(40), nullable=False),
    Column("owner", Text, nullable=False),
    Column("visibility", String(8), nullable=False),
    Column("body", Text, nullable=False),  # JSON of the event
    Index("events_by_time", "time"),
    sqlite_autoincrement=True,  # a deleted number never comes back
)

counters = Table(
    "counters",
    metadata,
    Column("name", String(16), primary_key=True),
    Column("value", Integer, nullable=False),  # the last number that was given
)

leases = Table(
    "leases",
    metadata,
    Column("name", String(64), primary_key=True),
    Column("holder", String(26), nullable=False),
    Column("number", Integer, nullable=False),  # grows with every taking
    Column("beat", Integer, nullable=False),  # grows with every renewal
    Column("process", Text, nullable=False),  # host, boot, pid and start time of the holder
)
