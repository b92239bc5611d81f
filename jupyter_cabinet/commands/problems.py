"""The error of a command that could not do its work. `cli.py` prints it, like the client's errors."""

from __future__ import annotations

from ..client.errors import CabinetError


class CommandFailed(CabinetError):
    """The command could not do its work."""
