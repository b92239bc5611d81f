"""Alembic requires this file; `storage/migrate.py` runs the migrations itself."""
