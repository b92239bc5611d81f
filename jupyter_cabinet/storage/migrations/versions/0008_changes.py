"""The changes of runs in the workspace."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Make the table of comparisons and decisions."""
    op.create_table(
        "changes",
        sa.Column("id", sa.String(26), primary_key=True),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("pending", sa.Boolean, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
    )
    op.create_index("changes_by_pending", "changes", ["pending"])


def downgrade() -> None:
    """There is no way back: it always raises."""
    raise NotImplementedError("Go back by restoring the copy that was made before the migration.")
