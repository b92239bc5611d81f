"""When each schedule was last due, and the result of every tick."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Make the tables of schedules and of their ticks."""
    op.create_table(
        "schedules",
        sa.Column("key", sa.String(200), primary_key=True),
        sa.Column("schedule", sa.Text, nullable=False),
        sa.Column("last_due", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "ticks",
        sa.Column("key", sa.String(200), primary_key=True),
        sa.Column("due", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("run_id", sa.String(26), nullable=True),
        sa.Column("skipped", sa.Text, nullable=False),
        sa.Column("missed", sa.Integer, nullable=False),
    )
    op.create_index("ticks_by_due", "ticks", ["due"])


def downgrade() -> None:
    """There is no way back: it always raises."""
    raise NotImplementedError("Go back by restoring the copy that was made before the migration.")
