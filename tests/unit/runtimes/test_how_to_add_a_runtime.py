"""The runtime in the how-to is a whole one: it is taken out of the page and put through the conformance suite."""

from __future__ import annotations

import importlib.util
import re
import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from jupyter_cabinet.runtimes.model import Request, TextDelta
from jupyter_cabinet.runtimes.registry import GROUP, Runtimes
from jupyter_cabinet.testing.driving import run_headless
from jupyter_cabinet.testing.runtimes import RuntimeConformance

PAGE = Path(__file__).parents[3] / "docs" / "how-to" / "add-a-runtime.md"
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
ADAPTER = BLOCKS[0]


@pytest.fixture(scope="module", autouse=True)
def plain_runtime(tmp_path_factory):
    path = tmp_path_factory.mktemp("how-to") / "plain_runtime.py"
    path.write_text(ADAPTER)
    spec = importlib.util.spec_from_file_location("plain_runtime", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["plain_runtime"] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules["plain_runtime"]


class TestPlain(RuntimeConformance):
    recordings = ([("stdout", "An answer, with an “é”.".encode())],)

    def make(self):
        return sys.modules["plain_runtime"].Plain()


def test_it_has_under_60_lines():
    assert len(ADAPTER.splitlines()) < 60


def test_it_runs_a_real_program(tmp_path):
    program = tmp_path / "plain"
    program.write_text("#!/bin/sh\nprintf 'You said: '; cat\n")
    program.chmod(0o755)
    request = Request(prompt="--help", mode="headless", cwd=str(tmp_path), session_id="s1")
    environment = {"JUPYTER_CABINET_PLAIN_PATH": str(program), "PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}
    events, outcome = run_headless(TestPlain().make(), request, environment)
    assert "".join(event.text for event in events if isinstance(event, TextDelta)) == "You said: --help"
    assert outcome.text == "You said: --help"


def test_it_is_found_by_its_entry_point_and_off_until_enabled():
    entry = EntryPoint(name="plain", value="plain_runtime:Plain", group=GROUP)
    assert [info.enabled for info in Runtimes(set(), {}, {}, entries=[entry]).describe()] == [False]
    assert Runtimes({"plain"}, {}, {}, entries=[entry]).get("plain").about.title == "Plain"


def test_the_pages_other_code_is_python():
    for block in BLOCKS:
        compile(block, str(PAGE), "exec")
