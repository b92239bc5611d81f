"""What a CLI needs inside a sandbox: its files, and the hosts of its model service. Reads only settings.

The `sandbox.py` of each runtime's folder has its values; `execution/sandbox/isolation.py` makes the view of a run from
them.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec

from ..storage.filesystem import untrusted_files

MAX_SETTINGS_BYTES = 1 << 20
URL_VARIABLES = ("_BASE_URL", "_API_BASE", "_ENDPOINT")  # endings of names
URL_KEYS = frozenset({"base_url", "baseURL", "baseUrl"})  # in settings of providers
DEFAULT_PORTS = {"http": 80, "https": 443}

# The services that CLIs with a choice of providers know.
PROVIDER_HOSTS = (
    "api.anthropic.com", "api.openai.com", "auth.openai.com", "chatgpt.com", "generativelanguage.googleapis.com",
    "aiplatform.googleapis.com", "*.aiplatform.googleapis.com", "oauth2.googleapis.com", "cloudcode-pa.googleapis.com",
    "openrouter.ai", "api.groq.com", "api.mistral.ai", "api.deepseek.com", "api.x.ai", "api.githubcopilot.com",
    "*.githubcopilot.com", "api.cerebras.ai", "api.fireworks.ai", "api.together.xyz", "router.huggingface.co",
    "api.moonshot.ai", "api.minimax.io", "api.z.ai", "ai-gateway.vercel.sh", "models.dev", "opencode.ai",
)  # fmt: skip


class SandboxNeeds(msgspec.Struct, frozen=True, kw_only=True):
    """All paths are absolute, and need not exist. One that ends with `/` is a folder."""

    state: tuple[str, ...] = ()  # the CLI keeps its conversations and its login there; folders are created
    steering: tuple[str, ...] = ()  # below `state`: settings, hooks, tool servers and instructions; cannot be changed
    # Folders below `state` with files that other runs of the CLI execute, or sockets of its servers: each isolated run
    # has its own, empty ones.
    private: tuple[str, ...] = ()
    read: tuple[str, ...] = ()  # can be read, but not changed
    copied: tuple[str, ...] = ()  # files in the home that it replaces; what it changes there is lost
    hosts: tuple[str, ...] = ()  # of its model service: `host`, `host:port`, `*.example.com`
    urls: tuple[str, ...] = ()  # of a model service that somebody has configured, also on this machine
    # It enforces the permission mode by its own sandbox, which cannot be nested in another one. In the mode `ask`,
    # the working folder is read-only instead.
    has_own_sandbox: bool = False
    quiet: tuple[str, ...] = ()  # `host:port` that it tries to reach by itself, which is refused without a warning
    environment: Mapping[str, str] = {}  # added inside, for example to switch off reports to its maker


def below(folder: Path, names: Iterable[str]) -> tuple[str, ...]:
    """Return paths in a folder. A final `/` of a name is kept."""
    return tuple(f"{folder}/{name}" for name in names)


def existing(folder: Path, names: Iterable[str]) -> tuple[str, ...]:
    """Return the paths in a folder that exist: for programs, which must not be changed."""
    return tuple(path for path in below(folder, names) if Path(path).exists())


def missing(folder: Path, names: Iterable[str]) -> tuple[str, ...]:
    """Return the paths that do not exist, without a final `/`: folders in which other runs would look for programs."""
    return tuple(path.rstrip("/") for path in below(folder, names) if not Path(path).exists())


def as_folder(path: Path) -> str:
    """Return the path with a final `/`."""
    return f"{path}/"


def urls_of(environment: Mapping[str, str], names: Iterable[str]) -> tuple[str, ...]:
    """Return the URLs of model services in variables, by the endings of their names. They are not checked.

    `names`: those that the CLI gets, `PREFIX_*` is allowed; others are ignored.
    """
    kept = tuple(names)
    return tuple(
        value
        for name, value in environment.items()
        if name.endswith(URL_VARIABLES) and value and any(_matches(name, pattern) for pattern in kept)
    )


def urls_in(*files: Path) -> tuple[str, ...]:
    """Return the base URLs of providers in settings (JSON, or TOML if named so). A file that cannot be read has none.

    Blocks.
    """
    return tuple(url for file in files for url in _found_urls(_read(file)))


def address_of(url: str) -> str | None:
    """Return `host:port` of a URL; None if it has no host, or no port and a scheme other than http and https."""
    with suppress(ValueError):
        parts = urlsplit(url)
        port = parts.port or DEFAULT_PORTS.get(parts.scheme)
        if parts.hostname and port:
            host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
            return f"{host}:{port}"
    return None


def _matches(name: str, pattern: str) -> bool:
    return name.startswith(pattern[:-1]) if pattern.endswith("*") else name == pattern


def _read(file: Path) -> Any:
    try:
        text = untrusted_files.read(file, limit=MAX_SETTINGS_BYTES).decode()
        return tomllib.loads(text) if file.suffix == ".toml" else msgspec.json.decode(text)
    except (OSError, ValueError, RecursionError):
        return None


def _found_urls(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, item in value.items():
            if key in URL_KEYS and isinstance(item, str):
                yield item
            else:
                yield from _found_urls(item)
    elif isinstance(value, list):
        for item in value:
            yield from _found_urls(item)
