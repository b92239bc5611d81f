"""The messages and conversations of channels."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    """Make the tables of channels."""
    number = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    op.create_table(
        "channel_messages",
        sa.Column("id", sa.String(26), primary_key=True),
        sa.Column("number", number, nullable=False, server_default="0"),
        sa.Column("channel_id", sa.String(26), nullable=False),
        sa.Column("direction", sa.String(3), nullable=False),
        sa.Column("key", sa.String(120), nullable=False),
        sa.Column("state", sa.String(8), nullable=False),
        sa.Column("run_id", sa.String(26)),
        sa.Column("at", sa.Float, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.UniqueConstraint("channel_id", "direction", "key", name="channel_messages_once"),
    )
    op.create_index("channel_messages_by_number", "channel_messages", ["channel_id", "number"])
    op.create_index("channel_messages_by_state", "channel_messages", ["state"])
    op.create_index("channel_messages_by_run", "channel_messages", ["run_id"])
    op.create_table(
        "channel_conversations",
        sa.Column("id", sa.String(64), primary_key=True),
        sa.Column("session_id", sa.String(36), nullable=False),
        sa.Column("body", sa.Text, nullable=False),
    )


def downgrade() -> None:
    """There is no way back: it always raises."""
    raise NotImplementedError("Go back by restoring the copy that was made before the migration.")
