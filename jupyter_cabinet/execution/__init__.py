"""Carries out orders: headless or in a terminal, by a CLI under the launcher."""
