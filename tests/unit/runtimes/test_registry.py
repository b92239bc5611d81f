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
    entry("demo", "jupyter_cabinet.runtimes.demo.runtime:Demo"),
    entry("claude", "jupyter_cabinet.runtimes.claude.runtime:Claude"),
]
BROKEN = entry("broken", "jupyter_cabinet.no_such_module:Nothing", "other-package")
IMPOSTOR = entry("claude", "jupyter_cabinet.runtimes.demo.runtime:Demo", "other-package")


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
    foreign = entry("other", "jupyter_cabinet.runtimes.demo.runtime:Demo", "other-package")
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


def test_they_stand_in_order_of_preference_whatever_their_names():
    names = ("zebra", "openclaw", "demo", "pi", "opencode", "codex", "claude", "gemini")
    found = make(entries=[entry(name, "jupyter_cabinet.runtimes.demo.runtime:Demo") for name in names])
    assert found.names() == ["demo"]  # the others call themselves otherwise
    ours = [
        entry(name, f"jupyter_cabinet.runtimes.{name}.runtime:{name.title()}") for name in ("demo", "pi", "opencode")
    ]
    more = [
        entry(name, f"jupyter_cabinet.runtimes.{name}.runtime:{name.title()}") for name in ("gemini", "claude", "codex")
    ]
    assert make(entries=[*ours, *more]).names() == ["claude", "codex", "gemini", "opencode", "pi", "demo"]


@pytest.mark.parametrize(
    ("version", "warned"),
    [("2.1.329", False), ("2.1.4", True), ("2.1.330", True), ("3.0.0-beta.1", True), ("x", True)],
)
def test_another_version_than_the_tested_one_works_with_a_warning(tmp_path, version, warned):
    path = tmp_path / "claude"
    path.write_text(f"#!/bin/sh\necho '{version if version != 'x' else '9.9'} (Claude Code)'\n")
    path.chmod(0o755)
    info = make(paths={"claude": str(path)}).describe()[0]
    assert bool(info.warning) is warned
    assert info.capabilities is not None


def test_what_another_package_brings_is_never_the_default_by_itself():
    foreign = EntryPoint(name="stranger", value="harness.stranger:Stranger", group=GROUP)
    vars(foreign)["dist"] = FakeDistribution("other-package")
    runtimes = make(enabled=["stranger"], entries=[*OWN, foreign])
    assert runtimes.names() == ["claude", "stranger", "demo"]
    assert runtimes.default_name() == "demo"


def test_a_preferred_runtime_wins_and_must_exist():
    assert make(preferred="claude").default_name() == "claude"
    assert make().default_name("demo") == "demo"
    with pytest.raises(UnknownRuntime):
        make(preferred="nobody").default_name()


def test_an_agent_from_the_configuration_is_a_runtime_but_never_the_default(claude: Path):
    runtimes = Runtimes(
        set(), {}, {"HOME": "/nonexistent"}, entries=OWN, acp_agents={"mine": [str(claude), "--acp"], "demo": ["x"]}
    )
    info = {each.name: each for each in runtimes.describe()}
    assert (info["mine"].builtin, info["mine"].problem) == (False, "")
    assert info["mine"].capabilities.permission_modes == ("ask", "edit", "bypass")
    assert info["demo"].about.title == "Demo agent"  # nobody takes its name
    assert runtimes.default_name() == "demo"
    assert Runtimes(set(), {}, {}, "mine", entries=OWN, acp_agents={"mine": ["x"]}).default_name() == "mine"


@pytest.mark.parametrize(("name", "command"), [("Not a slug", ["x"]), ("empty", []), ("blank", [""])])
def test_an_agent_that_cannot_be_used_is_listed_with_the_reason(name, command):
    runtimes = Runtimes(set(), {}, {}, entries=OWN, acp_agents={name: command})
    assert name not in runtimes.names()
    assert {each.name: each for each in runtimes.describe()}[name].problem


def test_the_sessions_of_an_adapter_are_those_of_its_cli():
    agents = {"mine": ["/opt/bin/gemini", "--acp"], "other": ["gemini-like", "--acp"]}
    runtimes = Runtimes(set(), {}, {}, acp_agents=agents)
    assert [runtimes.sessions_of(name) for name in ("claude", "acp-claude", "mine", "other", "no-such")] == [
        *("claude", "claude", "gemini", "other", "no-such")
    ]
    assert runtimes.working_in_sessions_of("gemini") == ("gemini", "acp-gemini", "mine")
    assert runtimes.described("mine").sessions_of == "gemini" and runtimes.described("other").sessions_of == ""
