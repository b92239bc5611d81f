"""An outbox instead of the mark `settled`; the subject of a session, and the server where its CLI is open."""

import json

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Make the outbox, and give each session its subject and holder."""
    op.create_table(
        "outbox",
        sa.Column("seq", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column("holder", sa.String(26), nullable=False),
        sa.Column("topic", sa.String(40), nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("outbox_by_holder", "outbox", ["holder", "seq"])
    op.add_column("sessions", sa.Column("subject", sa.String(16), nullable=False, server_default="document"))
    op.add_column("sessions", sa.Column("holder", sa.String(26), nullable=False, server_default=""))
    op.create_index("sessions_by_holder", "sessions", ["holder"])
    _keep_subjects()
    with op.batch_alter_table("runs") as runs:  # SQLite creates the table again
        runs.drop_column("settled")


def _keep_subjects() -> None:
    """Sessions were only about documents. No CLI is open: a server that migrates has none, and others must not run."""
    sessions = sa.table("sessions", sa.column("id"), sa.column("path"), sa.column("body"))
    connection = op.get_bind()
    for row in connection.execute(sa.select(sessions)).all():
        try:
            body = json.loads(row.body)
            body["subject"] = {"kind": "document", "path": body.pop("path")}
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            continue  # somebody else wrote it: it is ignored, as before
        body["terminal_id"] = None
        values = {"body": json.dumps(body)}
        connection.execute(sessions.update().where(sessions.c.id == row.id).values(**values))


def downgrade() -> None:
    """There is no way back: it always raises."""
    raise NotImplementedError("Go back by restoring the copy that was made before the migration.")
