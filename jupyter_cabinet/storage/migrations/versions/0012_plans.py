"""Plans, their steps and what these leave for later."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    """Make the tables of plans."""
    number = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    op.create_table(
        "plans",
        sa.Column("id", sa.String(26), primary_key=True),
        sa.Column("number", number, nullable=False, server_default="0"),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("owner", sa.Text, nullable=False),
        sa.Column("visibility", sa.String(8), nullable=False),
        sa.Column("archived", sa.Boolean, nullable=False, server_default=sa.false()),
        sa.Column("body", sa.Text, nullable=False),
    )
    op.create_index("plans_by_number", "plans", ["number"])
    op.create_index("plans_by_state", "plans", ["state"])
    op.create_table(
        "plan_steps",
        sa.Column("id", sa.String(26), primary_key=True),
        sa.Column("plan_id", sa.String(26), nullable=False),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("folder", sa.Text, nullable=False),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("run_id", sa.String(26)),
        sa.Column("body", sa.Text, nullable=False),
    )
    op.create_index("plan_steps_by_plan", "plan_steps", ["plan_id", "position"])
    op.create_index("plan_steps_by_state", "plan_steps", ["state"])
    op.create_table(
        "plan_artifacts",
        sa.Column("id", sa.String(26), primary_key=True),
        sa.Column("plan_id", sa.String(26), nullable=False),
        sa.Column("step_id", sa.String(26), nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("at", sa.Float, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
    )
    op.create_index("plan_artifacts_by_step", "plan_artifacts", ["step_id", "kind", "at"])
    op.create_index("plan_artifacts_by_plan", "plan_artifacts", ["plan_id"])


def downgrade() -> None:
    """There is no way back: it always raises."""
    raise NotImplementedError("Go back by restoring the copy that was made before the migration.")
