"""Numbers to sort by, independent of clocks: runs, questions, changes of sessions."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

NUMBERED = (("runs", "number", "id"), ("sessions", "changed", "updated_at"), ("approvals", "number", "id"))
NEW_INDEXES = {
    "runs": {"runs_by_session": "session_id", "runs_by_path": "path"},
    "sessions": {"sessions_by_path": "path"},
    "approvals": {"approvals_by_state": "state"},
}


def upgrade() -> None:
    """Number every row in the order in which it was shown so far."""
    op.create_table(
        "counters",
        sa.Column("name", sa.String(16), primary_key=True),
        sa.Column("value", sa.Integer, nullable=False),
    )
    last = 0
    # existing rows keep the order in which they were shown
    for table, column, order in NUMBERED:
        op.add_column(table, sa.Column(column, sa.Integer, nullable=False, server_default="0"))
        last = _number(table, column, order, last)
        for index, first in NEW_INDEXES[table].items():
            op.drop_index(index, table_name=table)
            op.create_index(index, table, [first, column])
    op.create_index("runs_by_number", "runs", ["number"])
    counters = sa.table("counters", sa.column("name"), sa.column("value"))
    op.execute(counters.insert().values(name="order", value=last))


def _number(name: str, column: str, order: str, last: int) -> int:
    """Number the rows of a table in their order, starting after `last`; return the last number given."""
    table = sa.table(name, sa.column("id"), sa.column(column), sa.column(order))
    connection = op.get_bind()
    for id in connection.execute(sa.select(table.c.id).order_by(table.c[order], table.c.id)).scalars().all():
        last += 1
        connection.execute(table.update().where(table.c.id == id).values({column: last}))
    return last


def downgrade() -> None:
    """There is no way back: it always raises."""
    raise NotImplementedError("Go back by restoring the copy that was made before the migration.")
