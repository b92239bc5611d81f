"""Leases: which server acts."""
