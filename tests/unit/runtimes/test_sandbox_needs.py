"""What the CLIs need in a sandbox: the addresses of configured model services, and folders that belong to them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from jupyter_cabinet.runtimes.claude.sandbox import sandbox_needs as claude
from jupyter_cabinet.runtimes.codex.sandbox import sandbox_needs as codex
from jupyter_cabinet.runtimes.gemini.sandbox import sandbox_needs as gemini
from jupyter_cabinet.runtimes.opencode.sandbox import sandbox_needs as opencode
from jupyter_cabinet.runtimes.pi.sandbox import sandbox_needs as pi
from jupyter_cabinet.runtimes.sandbox_needs import SandboxNeeds, address_of, urls_in, urls_of
from jupyter_cabinet.sandboxes.egress.host_rules import is_host_entry

ALL = {"claude": claude, "codex": codex, "gemini": gemini, "opencode": opencode, "pi": pi}
Needs = Callable[[Mapping[str, str]], SandboxNeeds]


@pytest.mark.parametrize("needs", ALL.values(), ids=ALL)
def test_a_cli_keeps_its_state_below_the_home_and_names_valid_hosts(tmp_path: Path, needs: Needs) -> None:
    found = needs({"HOME": str(tmp_path)})
    assert found.state and all(path.startswith(f"{tmp_path}/.") and path.endswith("/") for path in found.state)
    for path in (*found.steering, *found.private):
        assert path.startswith(found.state), "only what is below the state can be protected"
    assert found.hosts and all(map(is_host_entry, found.hosts))
    assert not (tmp_path / ".claude").exists(), "asking creates nothing"


def test_locks_of_opencode_end_with_their_run(tmp_path: Path) -> None:
    """Else the next isolated run, whose processes have the same numbers, waits a minute for them."""
    assert f"{tmp_path}/.local/state/opencode/locks" in ALL["opencode"]({"HOME": str(tmp_path)}).private


@pytest.mark.parametrize(
    ("name", "folder"),
    [
        ("gemini", ".gemini/tmp/bin"),
        ("gemini", ".gemini/history"),
        ("pi", ".pi/agent/bin"),
        ("opencode", ".local/share/opencode/bin"),
        ("opencode", ".local/share/opencode/snapshot"),
        ("claude", ".claude/local"),
        ("codex", ".codex/bin"),
    ],
)
def test_programs_that_a_run_puts_into_the_state_of_its_cli_are_lost(tmp_path: Path, name: str, folder: str) -> None:
    """The CLI's other runs, which may not be isolated, would start them."""
    assert str(tmp_path / folder) in ALL[name]({"HOME": str(tmp_path)}).private
    if folder.endswith(("bin", "local")):
        (tmp_path / folder).mkdir(parents=True)
        found = ALL[name]({"HOME": str(tmp_path)})
        assert f"{tmp_path}/{folder}/" in found.steering and str(tmp_path / folder) not in found.private


def test_the_service_that_a_person_has_configured_is_found_in_settings(tmp_path: Path) -> None:
    for name in (".codex", ".config/opencode", ".pi/agent"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / ".codex/config.toml").write_text('[model_providers.x]\nbase_url = "http://127.0.0.1:1/v1"\n')
    provider = {"provider": {"x": {"options": {"baseURL": "http://127.0.0.1:2/v1"}}}, "$schema": "https://a.example"}
    (tmp_path / ".config/opencode/opencode.json").write_text(json.dumps(provider))
    (tmp_path / ".pi/agent/models.json").write_text('{"providers": {"x": {"baseUrl": "http://127.0.0.1:3/v1"}}}')
    found = {name: ALL[name]({"HOME": str(tmp_path)}).urls for name in ("codex", "opencode", "pi")}
    assert found == {
        "codex": ("http://127.0.0.1:1/v1",),
        "opencode": ("http://127.0.0.1:2/v1",),
        "pi": ("http://127.0.0.1:3/v1",),
    }


def test_only_variables_that_the_cli_gets_name_a_service() -> None:
    environment = {"ANTHROPIC_BASE_URL": "http://a", "OPENAI_BASE_URL": "http://b", "ANTHROPIC_API_KEY": "http://c"}
    assert urls_of(environment, ("ANTHROPIC_*",)) == ("http://a",)


@pytest.mark.parametrize("content", ["", "{", "[1, 2]", '"x"', '{"base_url": 1}', "[" * 100_000])
def test_settings_that_make_no_sense_name_no_service(tmp_path: Path, content: str) -> None:
    file = tmp_path / "settings.json"
    file.write_text(content)
    assert urls_in(file, tmp_path / "missing.json", tmp_path) == ()


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("https://api.example.com/v1", "api.example.com:443"),
        ("http://localhost:11434", "localhost:11434"),
        ("http://[::1]:8080/v1", "[::1]:8080"),
        ("http://user:password@example.com", "example.com:80"),
        ("ftp://example.com", None),
        ("http://example.com:99999", None),
        ("no url", None),
    ],
)
def test_the_address_of_a_url_is_host_and_port(url: str, address: str | None) -> None:
    assert address_of(url) == address
