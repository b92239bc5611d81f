"""Agents and plays in a server of the test's own process."""

from __future__ import annotations

from pathlib import Path

import pytest
from harness.plays import Playhouse


@pytest.fixture
def house(tmp_path: Path) -> Playhouse:
    return Playhouse(tmp_path)
