"""A pure module of which no test reaches some line or branch fails the run of the tests."""

from __future__ import annotations

import importlib.util

import pytest

from .conftest import REPOSITORY

spec = importlib.util.spec_from_file_location("coverage_of_pure", REPOSITORY / "scripts" / "coverage_of_pure.py")
assert spec is not None and spec.loader is not None
script = importlib.util.module_from_spec(spec)
spec.loader.exec_module(script)

NOTHING = {"missing_lines": [], "missing_branches": []}


@pytest.fixture(autouse=True)
def two_pure_modules(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(script, "pure_modules", lambda: frozenset({"jupyter_cabinet.a.one", "jupyter_cabinet.a.two"}))


@pytest.mark.long(reason="tests the tool that measures coverage")
def test_a_line_or_a_branch_that_no_test_reaches_is_told():
    files = {
        "jupyter_cabinet/a/one.py": {"missing_lines": [12], "missing_branches": [[11, 12], [14, 17], [20, -18]]},
        "jupyter_cabinet/a/two.py": NOTHING,
        "jupyter_cabinet/b/not_pure.py": {"missing_lines": [1], "missing_branches": []},
    }
    assert script.problems(files) == ["jupyter_cabinet.a.one: no test reaches 12, 14->17, 20->exit"]


def test_a_module_that_no_test_imports_has_a_gap():
    found = script.problems({"jupyter_cabinet/a/one.py": NOTHING})
    assert found == ["jupyter_cabinet.a.two: no test reaches any of it"]


def test_every_pure_module_of_the_contract_is_a_module(monkeypatch):
    monkeypatch.undo()
    assert all((REPOSITORY / f"{name.replace('.', '/')}.py").exists() for name in script.pure_modules())
