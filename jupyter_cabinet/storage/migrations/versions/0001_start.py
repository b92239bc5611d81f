"""The first tables: runs, sessions, events, leases."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make the tables of an empty database."""
    op.create_table(
        "runs",
        sa.Column("id", sa.String(26), primary_key=True),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("session_id", sa.String(36), nullable=False),
        sa.Column("path", sa.Text),
        sa.Column("owner", sa.Text, nullable=False),
        sa.Column("visibility", sa.String(8), nullable=False),
        sa.Column("instruction", sa.Text, nullable=False),
        sa.Column("holder", sa.String(26), nullable=False),
        sa.Column("settled", sa.Integer, nullable=False),
        sa.Column("launcher_pid", sa.Integer),
        sa.Column("launcher_started", sa.Text),
        sa.Column("request", sa.Text, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
    )
    op.create_index("runs_by_state", "runs", ["state"])
    op.create_index("runs_by_session", "runs", ["session_id", "id"])
    op.create_index("runs_by_path", "runs", ["path", "id"])
    op.create_table(
        "sessions",
        sa.Column("id", sa.String(36), primary_key=True),
        sa.Column("path", sa.Text, nullable=False),
        sa.Column("owner", sa.Text, nullable=False),
        sa.Column("visibility", sa.String(8), nullable=False),
        sa.Column("updated_at", sa.Float, nullable=False),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
    )
    op.create_index("sessions_by_path", "sessions", ["path", "updated_at"])
    op.create_table(
        "events",
        sa.Column("seq", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column("time", sa.Float, nullable=False),
        sa.Column("type", sa.String(40), nullable=False),
        sa.Column("owner", sa.Text, nullable=False),
        sa.Column("visibility", sa.String(8), nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("events_by_time", "events", ["time"])
    op.create_table(
        "leases",
        sa.Column("name", sa.String(64), primary_key=True),
        sa.Column("holder", sa.String(26), nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("beat", sa.Integer, nullable=False),
        sa.Column("process", sa.Text, nullable=False),
    )


def downgrade() -> None:
    """There is no way back: it always raises."""
    raise NotImplementedError("Go back by restoring the copy that was made before the migration.")
