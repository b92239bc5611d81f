"""Which triggers of plays have already fired."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Make the table that keeps a trigger from firing twice for one thing."""
    op.create_table(
        "firings",
        sa.Column("play", sa.String(64), primary_key=True),
        sa.Column("trigger", sa.String(200), primary_key=True),
        sa.Column("cause", sa.String(200), primary_key=True),
        sa.Column("at", sa.Float, nullable=False),
        sa.Column("run_id", sa.String(26)),
        sa.Column("reason", sa.Text, nullable=False, server_default=""),
    )
    op.create_index("firings_by_time", "firings", ["at"])


def downgrade() -> None:
    """There is no way back: it always raises."""
    raise NotImplementedError("Go back by restoring the copy that was made before the migration.")
