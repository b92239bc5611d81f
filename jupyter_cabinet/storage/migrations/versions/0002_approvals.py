"""Questions that wait for a person, and their outcomes."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Make the table of approvals."""
    op.create_table(
        "approvals",
        sa.Column("id", sa.String(26), primary_key=True),
        sa.Column("run_id", sa.String(26), nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("owner", sa.Text, nullable=False),
        sa.Column("visibility", sa.String(8), nullable=False),
        sa.Column("body", sa.Text, nullable=False),
    )
    op.create_index("approvals_by_state", "approvals", ["state", "id"])
    op.create_index("approvals_by_run", "approvals", ["run_id"])


def downgrade() -> None:
    """There is no way back: it always raises."""
    raise NotImplementedError("Go back by restoring the copy that was made before the migration.")
