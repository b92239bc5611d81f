"""How an order is carried out: headless or in a terminal, by a CLI under the launcher."""
