"""Alembic looks for this file; `storage/migrate.py` runs the migrations itself."""
