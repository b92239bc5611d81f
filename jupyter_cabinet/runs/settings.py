"""Plain settings of runs. Made in `app.py`."""

from __future__ import annotations

from typing import Literal

import msgspec

from ..runners.port import RunnerName
from ..runtimes.model import PermissionMode
from .rules.limits import RunLimits

# Which runs are started in a sandbox: those that no person has started, if possible; all; or none.
SandboxSetting = Literal["unattended", "always", "never"]


class SandboxHealth(msgspec.Struct, frozen=True, kw_only=True):
    """Which runs are isolated, and whether this machine can isolate them. If not: why, and what to do, as sentences."""

    setting: SandboxSetting
    works: bool
    reason: str
    remedy: str


class ClusterHealth(msgspec.Struct, frozen=True, kw_only=True):
    """Whether runs can start on the cluster. If not: why, and what to do, as sentences.

    `configured`: whether the server has one. `runner`: where runs start that do not choose.
    """

    configured: bool
    runner: RunnerName
    works: bool
    reason: str
    remedy: str


class ContainerHealth(msgspec.Struct, frozen=True, kw_only=True):
    """Whether runs can start in containers of `image`. If not: why, and what to do. Empty: the server has no image."""

    image: str
    works: bool
    reason: str
    remedy: str


class RunSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of runs that an operator can change."""

    max_concurrent_runs: int = 5
    default_permission_mode: PermissionMode = "edit"
    sandbox: SandboxSetting = "unattended"
    allow_bypass: bool = False  # whether anybody may choose "No questions"
    runner: RunnerName = "local"  # for runs that do not choose
    runners: tuple[RunnerName, ...] = ("local",)  # those that the server has
    limits: RunLimits = RunLimits()
    stop_seconds: float = 10  # how long to wait until a run that is being stopped has ended
