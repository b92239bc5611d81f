"""The page about Python is as the code is, and its examples work."""

from __future__ import annotations

import ast
import asyncio
import importlib.util
import inspect
import re
from pathlib import Path
from typing import Any

import pytest
from harness.server import Server

from jupyter_cabinet.client.agents import AgentHandle
from jupyter_cabinet.client.methods import both_forms

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs/reference/python.md").read_text()


def script() -> Any:
    spec = importlib.util.spec_from_file_location("python_reference", ROOT / "scripts" / "python_reference.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_reference_is_fresh_and_has_every_public_name() -> None:
    """`python scripts/python_reference.py` writes it again."""
    made = script()
    assert made.written(PAGE) == PAGE
    for owner, name in made.CLASSES.items():
        for member in vars(owner):
            value = vars(owner)[member]
            if member[0] != "_" and (inspect.isfunction(value) or isinstance(value, property | both_forms)):
                assert f"### `{name}.{member}`\n" in PAGE


def test_a_method_of_both_forms_shows_its_arguments_and_its_text() -> None:
    agent = AgentHandle(None, "ada")  # type: ignore[arg-type]
    assert str(inspect.signature(agent.memory)) == "(name: 'str' = 'context') -> 'str'"
    assert (inspect.getdoc(agent.memory) or "").startswith("Return one of its memory files")
    assert (inspect.getdoc(AgentHandle.memory) or "").startswith("Return one of its memory files")


@pytest.mark.slow(reason="starts a server, and runs of the demo agent")
def test_the_examples_work(server: Server, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("JUPYTER_CABINET_URL", server.url)
    monkeypatch.setenv("JUPYTER_CABINET_TOKEN", server.token("root"))
    names: dict[str, Any] = {}
    blocks = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    for block in blocks:
        code = compile(block, "python.md", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        if code.co_flags & inspect.CO_COROUTINE:
            asyncio.run(eval(code, names))
        else:
            exec(code, names)
    names["cabinet"].close()
    assert len(blocks) == 5 and capsys.readouterr().out.count("hello") >= 3
    assert names["status"].trusted and names["costs"]
