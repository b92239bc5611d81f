"""Order: browser tests last, because Playwright's sync API and other loops do not share a process well."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

sys.path.insert(0, str(Path(__file__).parent))

# How long an example takes is the machine's business: no test depends on a time.
settings.register_profile("cabinet", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("cabinet")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: "browser" in item.path.parts)
