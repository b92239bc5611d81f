"""What all tests have in common: the tier and the shard that run, and how thorough hypothesis is in each."""

from __future__ import annotations

import gc
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from harness.containers import Containers
    from harness.postgres import Postgres

sys.path.insert(0, str(Path(__file__).parent))

from harness import shared_statements, suite, unsynced
from harness.examples import LONG, QUICK

# How long an example takes is the machine's business: no test depends on a time. The quick tier and a slice of the long
# one try the same examples every time, so that a commit passes or fails for good. The long tier tries new ones.
for name, count, repeatable in (("quick", QUICK, True), ("slice", LONG, True), ("long", LONG, False)):
    settings.register_profile(
        name,
        deadline=None,
        max_examples=count,
        derandomize=repeatable,
        suppress_health_check=[HealthCheck.too_slow],
    )
settings.load_profile("quick")

# Collecting the tests creates a million objects that live to the end. None is garbage until then, and afterwards nobody
# looks for garbage among them. Python's own threshold of 700 new objects is too low for tests that import this much.
NEW_OBJECTS_BEFORE_COLLECTION = 10_000
gc.disable()

shared_statements.share()
unsynced.begin()
pytest_addoption = suite.add_options


def pytest_configure(config: pytest.Config) -> None:
    # A shell lets a command in the background ignore it, and every process below: tests interrupt both.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    thorough = "slice" if config.getoption("--slice") else "long"
    settings.load_profile("quick" if config.getoption("--tier") == "quick" else thorough)
    config.pluginmanager.register(suite.Suite(config), "cabinet-suite")


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.set_threshold(NEW_OBJECTS_BEFORE_COLLECTION)
    gc.enable()


@pytest.fixture(scope="session")
def docker_engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Containers]:
    """A Docker engine with the image `containers.IMAGE`. A test that needs it is skipped where there can be none."""
    from harness import containers

    if why := containers.missing():
        pytest.skip(why)
    with containers.running(tmp_path_factory.mktemp("podman")) as engine:
        engine.add_image(tmp_path_factory.mktemp("image"))
        if why := engine.obstacle():
            pytest.skip(f"podman cannot start containers here: {why}")
        yield engine


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """Empty databases of a real PostgreSQL, which starts with the first test that asks for it."""
    from harness.postgres import running_postgres

    with running_postgres() as server:
        yield server
