"""The agent CLIs as a person has set them up: the program, its home, and what leads it to the suite's model server."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path

import pytest

KEY = "dummy-key-0123456789012345678901234567890"
NAMES = ("claude", "codex", "gemini", "opencode", "pi")
REPOSITORY = Path(__file__).parents[2]
INSTALLED = Path(os.environ.get("JUPYTER_CABINET_TEST_CLIS") or REPOSITORY / ".cache" / "clis") / "node_modules"


def installed(program: str) -> Path:
    """Where the CLI is; the test is skipped where it is not."""
    path = INSTALLED / ".bin" / program
    if not path.exists():
        pytest.skip(f"{program} is not in {INSTALLED.parent}: make test-cli, or set JUPYTER_CABINET_TEST_CLIS")
    return path.absolute()


def search_path() -> str:
    """The Node that was installed with the CLIs comes first: some need a newer one than the machine has."""
    return os.pathsep.join([str((INSTALLED / "node" / "bin").absolute()), os.environ["PATH"]])


def variables(names: Iterable[str], url: str) -> dict[str, str]:
    """The environment in which these CLIs use the model server at `url`."""
    known = {
        "claude": {
            "ANTHROPIC_BASE_URL": url,
            "ANTHROPIC_API_KEY": KEY,
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
        },
        "codex": {"OPENAI_API_KEY": KEY},
        "gemini": {"GOOGLE_GEMINI_BASE_URL": url, "GEMINI_API_KEY": KEY},
        "opencode": {"OPENCODE_DISABLE_MODELS_FETCH": "1"},
        "pi": {"PI_OFFLINE": "1"},
    }
    found = {"PATH": search_path()}
    for name in names:
        found |= {**known[name], f"JUPYTER_CABINET_{name.upper()}_PATH": str(installed(name))}
    return found


def seed(name: str, home: Path, folder: Path, url: str) -> None:
    """Set up a CLI's home. `folder`: where it will work, which Claude Code has to trust."""
    if name == "claude":
        seed_claude(home, folder)
    elif name == "gemini":
        seed_gemini(home)
    else:
        {"codex": seed_codex, "opencode": seed_opencode, "pi": seed_pi}[name](home, url)


def seed_claude(home: Path, trusted: Path | None) -> None:
    """As if a person had answered the first-start questions of Claude Code, the one about the folder at will."""
    (home / ".claude").mkdir(parents=True, exist_ok=True)
    answers = {
        "hasCompletedOnboarding": True,
        "customApiKeyResponses": {"approved": [KEY[-20:]], "rejected": []},
        "projects": {str(trusted): {"hasTrustDialogAccepted": True}} if trusted else {},
    }
    (home / ".claude.json").write_text(json.dumps(answers))


def seed_codex(home: Path, url: str) -> None:
    """As if a person had set up their own provider."""
    folder = home / ".codex"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.toml").write_text(CODEX_SETTINGS.format(url=url))


CODEX_SETTINGS = """
model = "mock-model"
model_provider = "suite"
[analytics]
enabled = false
[feedback]
enabled = false
[model_providers.suite]
name = "The suite's model server"
base_url = "{url}/v1"
wire_api = "responses"
env_key = "OPENAI_API_KEY"
request_max_retries = 1
stream_max_retries = 1
"""


def seed_gemini(home: Path) -> None:
    """As if a person had answered the first-start questions of Gemini CLI."""
    folder = home / ".gemini"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "settings.json").write_text(json.dumps(GEMINI_SETTINGS))


GEMINI_SETTINGS = {
    "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}},
    "privacy": {"usageStatisticsEnabled": False},
    "telemetry": {"enabled": False},
    "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False},
    "model": {"name": "gemini-2.5-pro"},
}


def seed_pi(home: Path, url: str) -> None:
    """As if a person had set up their own provider."""
    folder = home / ".pi" / "agent"
    folder.mkdir(parents=True, exist_ok=True)
    names = ("mock-model", "other-model")
    models = [
        {"id": name, "name": name, "contextWindow": 200_000, "maxTokens": 8192, "cost": PI_PRICE} for name in names
    ]
    provider = {"baseUrl": f"{url}/v1", "api": "openai-completions", "apiKey": KEY, "models": models}
    (folder / "models.json").write_text(json.dumps({"providers": {"suite": provider}}))
    (folder / "settings.json").write_text(json.dumps(PI_SETTINGS))


PI_PRICE = {"input": 1, "output": 2, "cacheRead": 0, "cacheWrite": 0}  # dollars for a million tokens
PI_SETTINGS = {"defaultProvider": "suite", "defaultModel": "mock-model", "retry": {"baseDelayMs": 50}}


def seed_opencode(home: Path, url: str, **settings: object) -> None:
    """As if a person had set up their own provider. `settings`: what else they have chosen."""
    folder = home / ".config" / "opencode"
    folder.mkdir(parents=True, exist_ok=True)
    limit = {"context": 200_000, "output": 8192}
    about = {"tool_call": True, "limit": limit, "cost": {"input": 1, "output": 2}}  # dollars for a million tokens
    provider = {
        "npm": "@ai-sdk/openai-compatible",  # it comes with the CLI
        "name": "The suite's model server",
        "options": {"baseURL": f"{url}/v1", "apiKey": KEY},
        "models": {name: {"name": name, **about} for name in ("mock-model", "other-model")},
    }
    chosen = {"model": "suite/mock-model", "small_model": "suite/mock-model", "enabled_providers": ["suite"]}
    (folder / "opencode.json").write_text(json.dumps({**chosen, "provider": {"suite": provider}, **settings}))
