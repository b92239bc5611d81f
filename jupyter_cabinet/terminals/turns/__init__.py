"""Who may type into a terminal: the turn, the soft lock, and the gate that asks both."""
