"""The database thread, the metadata of all tables, migrations, and safe files."""
