"""Why a command ends without having done what it was asked. `cli.py` prints it, as it prints what the client raises."""

from __future__ import annotations

from ..client.errors import CabinetError


class CommandFailed(CabinetError):
    """The command could not do what it was asked."""
