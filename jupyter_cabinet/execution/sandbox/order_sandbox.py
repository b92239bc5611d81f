"""The sandbox of one order: whether it has one, and the isolation of each CLI that works on it.

Called by `executor.py`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from ...core.errors import Unavailable
from ...core.paths import folder_below
from ...runners.port import NOT_ISOLATED
from ...runtimes.port import Runtime
from ...runtimes.sandbox_needs import SandboxNeeds
from ...sandboxes import bubblewrap
from ...sandboxes.probe import SandboxCheck
from ..model import Order
from ..order_runner import OrderRunner
from ..settings import Surroundings
from . import isolation
from .isolation import IsolatedOrder, Isolation

SET_ASIDE = "set-aside"  # in the folder of a run: what it has created and must not leave behind


class OrderSandbox:
    """Made by `choose`. `warn` receives sentences for people."""

    def __init__(
        self,
        order: Order,
        runtime: Runtime,
        needs: SandboxNeeds,
        *,
        folder: Path,
        image: str | None,
        places: Surroundings,
        warn: Callable[[str], None],
    ) -> None:
        self._order = order
        self._runtime = runtime
        self._needs = needs
        self._folder = folder
        self._image = image
        self._places = places
        self._warn = warn

    @classmethod
    async def choose(
        cls,
        order: Order,
        runtime: Runtime,
        runner: OrderRunner,
        check: SandboxCheck,
        places: Surroundings,
        warn: Callable[[str], None],
    ) -> OrderSandbox | None:
        """Return the sandbox of an order, or None if it has none; `warn` receives why, if it should have had one.

        Raises `Unavailable` if it needs one and cannot have it, and always if its folder is or contains a symbolic
        link; also what `folder_below` raises.
        """
        must = _must(order, runner)
        if order.isolate == "no" and not must:
            return None
        if order.runner == "dask":
            warn(f"This run was not isolated. {NOT_ISOLATED}")
            return None
        state = await runner.isolation_state(check)
        if not state.works:
            if must:
                raise Unavailable(f"{must} {state.reason} {state.remedy}".strip())
            if bubblewrap.program() is not None:  # without it, nobody expects isolation
                warn(f"This run was not isolated. {state.reason} {state.remedy}".strip())
            return None
        needs = await asyncio.to_thread(isolation.needs_of, runtime, places.environment)
        folder = folder_below(places.root, order.cwd)
        if not isolation.is_direct(places.root, order.cwd, folder):
            # An agent in a folder above could have created the link, to get another run out of its sandbox.
            raise Unavailable(f"{order.cwd} is or contains a symbolic link. Name the folder that it leads to.")
        reason = await asyncio.to_thread(_obstacle, order, runtime, folder, needs, places)
        if reason and must:
            raise Unavailable(f"{must} {reason}")
        if reason or needs is None:
            warn(f"This run was not isolated. {reason}")
            return None
        return cls(order, runtime, needs, folder=folder, image=runner.image, places=places, warn=warn)

    async def open(self, program: str, run_directory: Path) -> Isolation:
        """Return the isolation of a CLI, with its way out open. `program`: its path.

        The caller closes it after the CLI's end. Raises `Unavailable` and `OSError`.
        """
        order = self._order
        made = await asyncio.to_thread(
            Isolation.prepare,
            IsolatedOrder(
                folder=self._folder,
                image=self._image,
                agent=order.agent,
                network=order.network,
                tool_servers=tuple(server.address for server in order.tool_servers if server.address),
                read_only=self._needs.has_own_sandbox and order.permission_mode == "ask",
                program=program,
            ),
            self._needs,
            kept_environment=self._runtime.kept_environment(),
            run_directory=run_directory,
            aside=self._places.run_folder(order.run_id) / SET_ASIDE,
            places=self._places,
            on_refused=self._warn,
        )
        await made.open()
        return made


def _must(order: Order, runner: OrderRunner) -> str:
    """Return why an order must not be carried out without a sandbox, as a sentence; empty if it may be."""
    if runner.image is not None:
        return "This run cannot start in a container."
    return "This run has to be isolated." if order.isolate == "required" else ""


def _obstacle(order: Order, runtime: Runtime, folder: Path, needs: SandboxNeeds | None, places: Surroundings) -> str:
    """Return why an order cannot be isolated, as a sentence; empty if it can be."""
    title = runtime.about.title
    if needs is not None and needs.has_own_sandbox and (order.mode, order.permission_mode) == ("terminal", "ask"):
        return f"In a sandbox, {title} cannot ask before it acts. Choose another permission mode."
    return isolation.obstacle(folder, needs, title, places)
