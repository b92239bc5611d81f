"""Which runtimes there are, which may be used, and which serves whoever names none."""

from __future__ import annotations

from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from jupyter_cabinet.core.errors import UnknownRuntime
from jupyter_cabinet.runtimes.registry import GROUP, Runtimes


class FakeDistribution:
    def __init__(self, name: str) -> None:
        self.name = name


def entry(name: str, value: str, package: str = "jupyter_cabinet") -> EntryPoint:
    made = EntryPoint(name=name, value=value, group=GROUP)
    vars(made)["dist"] = FakeDistribution(package)
    return made


OWN = [
    entry("demo", "jupyter_cabinet.runtimes.demo:Demo"),
    entry("claude", "jupyter_cabinet.runtimes.claude:Claude"),
]
BROKEN = entry("broken", "jupyter_cabinet.no_such_module:Nothing", "other-package")
IMPOSTOR = entry("claude", "jupyter_cabinet.runtimes.demo:Demo", "other-package")


@pytest.fixture
def claude(tmp_path: Path) -> Path:
    path = tmp_path / "claude"
    path.write_text("#!/bin/sh\necho '2.1.329 (Claude Code)'\n")
    path.chmod(0o755)
    return path


def make(enabled=(), paths=None, environment=None, preferred=None, entries=OWN) -> Runtimes:
    return Runtimes(set(enabled), paths or {}, environment or {"HOME": "/nonexistent"}, preferred, entries=entries)


def test_the_installed_package_brings_its_own_runtimes():
    found = Runtimes(set(), {}, {"HOME": "/nonexistent"})
    assert {"claude", "demo"} <= set(found.names())
    assert found.get("demo").about.title == "Demo agent"


def test_an_unknown_name_is_refused():
    with pytest.raises(UnknownRuntime, match="no runtime nobody"):
        make().get("nobody")


def test_a_foreign_runtime_is_off_until_it_is_enabled_by_name():
    foreign = entry("other", "jupyter_cabinet.runtimes.demo:Demo", "other-package")
    runtimes = make(entries=[*OWN, foreign])
    info = {each.name: each for each in runtimes.describe()}["other"]
    assert (info.enabled, info.builtin) == (False, False)
    assert "other-package" in info.problem
    with pytest.raises(UnknownRuntime, match="is off"):
        runtimes.get("other")


def test_a_broken_runtime_is_reported_and_harms_no_other():
    runtimes = make(enabled=["broken"], entries=[BROKEN, *OWN])
    info = {each.name: each for each in runtimes.describe()}["broken"]
    assert info.problem.startswith("broken cannot be used:")
    assert runtimes.get("demo")


def test_nobody_takes_the_name_of_a_runtime_of_ours():
    runtimes = make(enabled=["claude"], entries=[IMPOSTOR, *OWN])
    assert runtimes.get("claude").about.title == "Claude Code"


def test_a_configured_path_is_used_and_described(claude):
    environment = {"HOME": "/nonexistent", "ANTHROPIC_API_KEY": "a key of a test"}
    runtimes = make(paths={"claude": str(claude)}, environment=environment)
    info = runtimes.describe()[0]
    assert info.name == "claude"
    assert info.located is not None
    assert (info.located.path, info.located.version, info.located.login) == (str(claude), "2.1.329", "yes")
    assert info.capabilities is not None
    assert info.capabilities.resume


def test_the_default_is_the_first_found_that_is_logged_in(claude):
    paths = {"claude": str(claude)}
    logged_in = {"HOME": "/nonexistent", "ANTHROPIC_API_KEY": "a key of a test"}
    assert make(paths=paths, environment=logged_in).default_name() == "claude"
    assert make(paths=paths).default_name() == "demo"


def test_a_preferred_runtime_wins_and_must_exist():
    assert make(preferred="claude").default_name() == "claude"
    assert make().default_name("demo") == "demo"
    with pytest.raises(UnknownRuntime):
        make(preferred="nobody").default_name()
