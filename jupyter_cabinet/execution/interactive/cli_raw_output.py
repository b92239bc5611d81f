"""The raw output of an open CLI, kept for the owner of the order that caused it, and not for the person who opened it.

Made by `terminal_execution.py`; `open_cli.py` passes on orders and bytes. Which file belongs to an order is decided in
`settings.py`.
"""

from __future__ import annotations

import logging
from pathlib import Path

from ...core.errors import CabinetError
from ...terminals.terminal import OpenTerminal
from ..model import Order
from ..raw_log import RawLog
from ..settings import Surroundings

log = logging.getLogger(__name__)


class CliRawOutput:
    """The raw output of one CLI. Before the first order, and if its file cannot be opened, nothing is kept."""

    def __init__(self, terminal: OpenTerminal, places: Surroundings) -> None:
        self._terminal = terminal
        self._places = places
        self._owner: str | None = None  # of the order that the output belongs to
        self._is_private = False  # whether only this owner may read the file
        self._path: Path | None = None
        self._log: RawLog | None = None

    def begin(self, order: Order) -> None:
        """Keep what the CLI writes from now on for this order. Never raises because of files: that is logged."""
        self._owner, self._is_private = order.owner.username, order.visibility == "private"
        try:
            path = self._places.raw_path(
                order.run_id, self._terminal.id, owner=self._owner, visibility=order.visibility
            )
            if path == self._path:
                return
            self.close()
            self._log, self._path = RawLog(path, self._places.redactor), path
        except (OSError, CabinetError) as error:
            self.close()
            log.error("The raw output of an agent cannot be recorded: %s", error)

    def write(self, data: bytes, *, at_work: bool) -> None:
        """Keep output of the CLI. `at_work`: the CLI has the order and has not answered yet.

        What appears later, such as the text that a person types, is dropped if the terminal is private and other
        people than its owner may read the file.
        """
        about = self._terminal.about
        is_for_owner = self._is_private and self._owner == about.owner.username
        if self._log is not None and (at_work or about.visibility == "server" or is_for_owner):
            self._log.write(data)

    def close(self) -> None:
        """Close the file. A second call has no effect."""
        if self._log is not None:
            self._log.close()
        self._log = self._path = None
