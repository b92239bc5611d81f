"""The basis of every room's services: the folders, the database, events, time and trust of one server.

The `wiring.py` of a room takes it as one value, so that a new part is added only here and in `backend.py`.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from .core.clock import Clock
from .core.events import EventBus
from .core.redaction import Redactor
from .schedules.leases import Leases
from .storage.commits import Commits
from .storage.database import Database
from .storage.event_log import EventLog
from .storage.outbox import Outbox
from .trust.service import Trust


class Foundation(msgspec.Struct, frozen=True, kw_only=True):
    """Built once, by `backend.py`; nothing in it is ever replaced."""

    root: Path
    state_folder: Path  # .cabinet
    data: Path  # outside the root: the confirmations of people
    clock: Clock
    bus: EventBus
    redactor: Redactor
    database: Database
    events: EventLog
    outbox: Outbox
    commits: Commits
    leases: Leases
    trust: Trust
