"""The options with which an open CLI was started. Pure.

Called by `open_clis.py`: an order with different options needs another CLI.
"""

from __future__ import annotations

import msgspec

from ...runners.port import RunnerName
from ..model import AgentSkill, IsolationWish, Order
from ..tools.tool_server_file import GivenServer


class Setup(msgspec.Struct, frozen=True, kw_only=True):
    """The options of one CLI. Each has the name of its field in `Order`."""

    session_id: str
    runtime: str
    model: str | None
    permission_mode: str
    allowed_tools: tuple[str, ...] | None
    own_tools: tuple[str, ...]
    cwd: str
    isolate: IsolationWish
    runner: RunnerName
    image: str | None
    agent: str | None  # in a sandbox, it decides what is visible
    network: tuple[str, ...]
    skills: tuple[AgentSkill, ...]
    tool_servers: tuple[GivenServer, ...]

    @classmethod
    def of(cls, order: Order) -> Setup:
        """Return the setup of this order. A CLI can serve another order if their setups are equal."""
        return cls(**{name: getattr(order, name) for name in cls.__struct_fields__})
