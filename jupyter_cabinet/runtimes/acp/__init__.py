"""Every agent that speaks the Agent Client Protocol. `runtime.py` is what the registry loads."""
