"""Jupyter Cabinet: a cabinet of working agents in JupyterLab. The hooks by which Jupyter finds it."""

from __future__ import annotations

from typing import Any

from .core.version import VERSION

__all__ = ["CabinetApp", "__version__"]

__version__ = VERSION


def __getattr__(name: str) -> Any:
    # nothing of a server is imported before it is asked for (PEP 562): a kernel imports this package too
    if name == "CabinetApp":
        from .app import CabinetApp

        return CabinetApp
    raise AttributeError(name)


def _jupyter_server_extension_points() -> list[dict[str, Any]]:
    from .app import CabinetApp

    return [{"module": "jupyter_cabinet", "app": CabinetApp}]


def _jupyter_labextension_paths() -> list[dict[str, str]]:
    return [{"src": "labextension", "dest": "jupyter-cabinet"}]
