"""Warnings of a run: the parts of a request that the found CLI cannot respect, and that are not essential. Pure.

Essential parts (permissions, tools) are refused instead, by `runs/intake.py` and by the runtimes.
"""

from __future__ import annotations

from ..runtimes.cli_versions import is_older
from ..runtimes.port import Located, Runtime
from ..runtimes.registry import untried
from .model import Order


def request_warnings(order: Order, runtime: Runtime, located: Located) -> list[str]:
    """Return sentences for a person about what the found CLI does not respect; empty if there is nothing.

    Checks the version of the CLI and `max_turns`.
    """
    title, warnings = runtime.about.title, []
    if is_older(runtime.about, located.version):
        warnings.append(f"{title} {untried(runtime.about, located.version)}")
    if order.max_turns is not None and not (runtime.capabilities(located).max_turns and order.mode == "headless"):
        where = " in a terminal" if order.mode == "terminal" else ""
        warnings.append(f"{title} cannot be limited to a number of turns{where}: max_turns has no effect.")
    return warnings
