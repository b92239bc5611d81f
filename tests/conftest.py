"""The order and the tier of every test.

Browser tests come last, because Playwright's sync API does not share a process well with other event loops. Tests
marked `long` are left out unless `--tier` asks for them.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from harness.postgres import Postgres

sys.path.insert(0, str(Path(__file__).parent))

# How long an example takes is the machine's business: no test depends on a time.
settings.register_profile("cabinet", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("cabinet")


TIERS = ("quick", "long", "all")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--tier",
        choices=TIERS,
        default="quick",
        help="which tests run: those without the mark long, those with it, or all",
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: "browser" in item.path.parts)
    tier = config.getoption("--tier")
    left_out = [item for item in items if tier != "all" and bool(item.get_closest_marker("long")) != (tier == "long")]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in set(left_out)]


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """Empty databases of a real PostgreSQL, which starts with the first test that asks for it."""
    from harness.postgres import running_postgres

    with running_postgres() as server:
        yield server
