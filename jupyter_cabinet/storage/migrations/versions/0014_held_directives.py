"""Finds the directives that wait for a person without reading all directives."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    """Make the index."""
    held = sa.text("held IS NOT NULL")
    op.create_index("effects_held", "effects", ["run_id"], sqlite_where=held, postgresql_where=held)


def downgrade() -> None:
    """There is no way back: it always raises."""
    raise NotImplementedError("Go back by restoring the copy that was made before the migration.")
