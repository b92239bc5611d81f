"""Jupyter Cabinet: a cabinet of working agents in JupyterLab. The hooks by which Jupyter finds it."""

from __future__ import annotations

from typing import Any

WIDGETS = ("AgentCard", "GoalPlot", "RunView", "TerminalView")

__all__ = ["AgentCard", "Cabinet", "CabinetApp", "GoalPlot", "RunView", "TerminalView", "__version__"]


def __getattr__(name: str) -> Any:
    # Nothing is imported before it is asked for (PEP 562): a kernel imports this package too, and every program of it.
    # Finding the version alone takes longer than starting Python.
    if name == "__version__":
        from .core.version import VERSION

        return VERSION
    if name == "CabinetApp":
        from .app import CabinetApp

        return CabinetApp
    if name == "Cabinet":
        from .client.cabinet import Cabinet

        return Cabinet
    if name in WIDGETS:
        from .notebook import widgets

        return getattr(widgets, name)
    raise AttributeError(name)


def load_ipython_extension(shell: Any) -> None:
    """`%load_ext jupyter_cabinet`: the magics. No server is looked for before one of them needs it."""
    from .notebook.completion import Completion
    from .notebook.magics import CabinetMagics
    from .notebook.views import register

    magics = CabinetMagics(shell)
    shell.register_magics(magics)
    Completion(magics).begin(shell)
    register(shell)


def _jupyter_server_extension_points() -> list[dict[str, Any]]:
    from .app import CabinetApp

    return [{"module": "jupyter_cabinet", "app": CabinetApp}]


def _jupyter_labextension_paths() -> list[dict[str, str]]:
    return [{"src": "labextension", "dest": "jupyter-cabinet"}]
