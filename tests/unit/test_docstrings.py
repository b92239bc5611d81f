"""Every public name of the package has a docstring: its own, or where its method is declared.

A method is declared by a base class, or by a port (a `Protocol`) whose every method its class has.
"""

from __future__ import annotations

import ast
import importlib
import inspect
from collections.abc import Iterator
from pathlib import Path

from typing_extensions import is_protocol

PACKAGE = Path(__file__).parents[2] / "jupyter_cabinet"
FILES = [path for path in sorted(PACKAGE.rglob("*.py")) if "labextension" not in path.relative_to(PACKAGE).parts]


def module_name(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(path): ast.parse(path.read_text()) for path in FILES}


def methods_of(port: type) -> set[str]:
    names = {name for base in port.__mro__ if is_protocol(base) for name, each in vars(base).items() if callable(each)}
    return {name for name in names if not name.startswith("_")}


PORTS = [
    each
    for name in MODULES
    for each in vars(importlib.import_module(name)).values()
    if isinstance(each, type) and is_protocol(each) and each.__module__ == name
]


def is_declared(owner: type, method: str) -> bool:
    if inspect.getdoc(inspect.getattr_static(owner, method)):
        return True
    declaring = (*owner.__mro__, *(port for port in PORTS if methods_of(port) <= set(dir(owner))))
    return any(method in vars(base) and inspect.getdoc(vars(base)[method]) for base in declaring)


def undocumented(module: str, node: ast.Module | ast.ClassDef, prefix: str = "") -> Iterator[str]:
    for each in node.body:
        if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and each.name[0] != "_":
            name = f"{prefix}{each.name}"
            if not ast.get_docstring(each) and not (prefix and inherits(module, prefix[:-1], each.name)):
                yield f"{module}.{name}"
            if isinstance(each, ast.ClassDef):
                yield from undocumented(module, each, f"{name}.")


def inherits(module: str, qualified: str, method: str) -> bool:
    owner: object = importlib.import_module(module)
    for part in qualified.split("."):
        owner = getattr(owner, part)
    assert isinstance(owner, type)
    # A conformance suite's tests are sentences already.
    return method.startswith("test_") or is_declared(owner, method)


def test_every_module_says_what_it_is():
    assert [name for name, tree in MODULES.items() if not ast.get_docstring(tree)] == []


def test_every_public_name_has_a_docstring():
    assert [name for module, tree in MODULES.items() for name in undocumented(module, tree)] == []
