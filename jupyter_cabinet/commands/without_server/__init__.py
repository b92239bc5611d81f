"""The commands that work without a running server: doctor, and the database."""
