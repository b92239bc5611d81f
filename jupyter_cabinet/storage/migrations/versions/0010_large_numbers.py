"""Room for numbers beyond 32 bits on PostgreSQL. SQLite's integers have 64 bits already."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"

NUMBERS = (
    ("counters", "value"),
    ("runs", "number"),
    ("sessions", "changed"),
    ("approvals", "number"),
    ("events", "seq"),
    ("outbox", "seq"),
)
SEQUENCES = ("events_seq_seq", "outbox_seq_seq")  # as PostgreSQL names them


def upgrade() -> None:
    """Widen the columns, and the sequences that two of them are filled from."""
    if op.get_bind().dialect.name != "postgresql":
        return
    for table, column in NUMBERS:
        op.alter_column(table, column, existing_type=sa.Integer(), type_=sa.BigInteger(), existing_nullable=False)
    for sequence in SEQUENCES:
        op.execute(sa.text(f"ALTER SEQUENCE {sequence} AS bigint"))


def downgrade() -> None:
    """There is no way back: it always raises."""
    raise NotImplementedError("Go back by restoring the copy that was made before the migration.")
