"""Filters of the activity list: the person, the runtime, the number of changed files."""

import json

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    """Add the columns to runs, and fill them from the body of each."""
    op.add_column("runs", sa.Column("runtime", sa.String(64)))
    op.add_column("runs", sa.Column("asked_by", sa.Text))
    op.add_column("runs", sa.Column("changed_files", sa.Integer))
    runs = sa.table("runs", *(sa.column(name) for name in ("id", "body", "runtime", "asked_by", "changed_files")))
    connection = op.get_bind()
    for row in connection.execute(sa.select(runs.c.id, runs.c.body)).all():
        values = _values(row.body)
        if values is not None:
            connection.execute(runs.update().where(runs.c.id == row.id).values(**values))


def _values(text: str) -> dict[str, object] | None:
    """None if somebody else wrote it: it is ignored, as before."""
    try:
        body = json.loads(text)
        files = int((body.get("changed") or {}).get("files", 0))
        return {
            "runtime": str(body["runtime"])[:64],
            "asked_by": str(body["trigger"]["username"]),
            "changed_files": files if 0 <= files < 2**31 else 0,
        }
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError, OverflowError):
        return None


def downgrade() -> None:
    """There is no way back: it always raises."""
    raise NotImplementedError("Go back by restoring the copy that was made before the migration.")
