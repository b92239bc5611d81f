"""The owner, cost and queueing time of a run; what is switched off; agents and their effects."""

import json
from datetime import datetime

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Add the columns that budgets count by."""
    op.add_column("runs", sa.Column("agent", sa.String(64)))
    op.add_column("runs", sa.Column("queued_at", sa.Float))
    op.add_column("runs", sa.Column("cost_usd", sa.Float))
    op.create_index("runs_by_agent", "runs", ["agent", "number"])
    op.create_table(
        "switches",
        sa.Column("name", sa.String(16), primary_key=True),
        sa.Column("body", sa.Text, nullable=False),
    )
    op.add_column("outbox", sa.Column("key", sa.String(64), nullable=False, server_default=""))
    op.create_table(
        "agents", sa.Column("id", sa.String(64), primary_key=True), sa.Column("body", sa.Text, nullable=False)
    )
    op.create_table(
        "effects",
        sa.Column("id", sa.String(40), primary_key=True),
        sa.Column("run_id", sa.String(26), nullable=False),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("held", sa.Text),
    )
    op.create_index("effects_by_run", "effects", ["run_id", "position"])
    _fill()


def _fill() -> None:
    """The values that the body of each run already has."""
    runs = sa.table("runs", *(sa.column(name) for name in ("id", "body", "queued_at", "cost_usd")))
    connection = op.get_bind()
    for row in connection.execute(sa.select(runs.c.id, runs.c.body)).all():
        try:
            body = json.loads(row.body)
            queued_at = datetime.fromisoformat(body["queued_at"]).timestamp()
            cost = body.get("cost_usd")
            cost_usd = None if cost is None else float(cost)
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError, OverflowError):
            continue  # somebody else wrote it: it is ignored, as before
        values = {"queued_at": queued_at, "cost_usd": cost_usd}
        connection.execute(runs.update().where(runs.c.id == row.id).values(**values))


def downgrade() -> None:
    """There is no way back: it always raises."""
    raise NotImplementedError("Go back by restoring the copy that was made before the migration.")
