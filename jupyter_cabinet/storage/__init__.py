"""The database thread, the tables' home, migrations, and safe files."""
