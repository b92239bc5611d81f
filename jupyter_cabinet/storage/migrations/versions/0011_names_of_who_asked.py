"""The display names of the people who requested runs, so that the activity list finds the names that it shows."""

import json

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    """Add the column to runs, and fill it from the body of each."""
    op.add_column("runs", sa.Column("asked_by_name", sa.Text))
    runs = sa.table("runs", *(sa.column(name) for name in ("id", "body", "asked_by_name")))
    connection = op.get_bind()
    for row in connection.execute(sa.select(runs.c.id, runs.c.body)).all():
        words = _words(row.body)
        if words is not None:
            connection.execute(runs.update().where(runs.c.id == row.id).values(asked_by_name=words))


def _words(text: str) -> str | None:
    """Return them as `runs/store.py` writes them; None if the body is damaged: such a run is not listed."""
    try:
        name = str(json.loads(text)["trigger"]["display_name"])
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    return f" {' '.join(name.casefold().split())} "


def downgrade() -> None:
    """There is no way back: it always raises."""
    raise NotImplementedError("Go back by restoring the copy that was made before the migration.")
