"""Schedules, their ticks, and the leases that decide which server acts."""
