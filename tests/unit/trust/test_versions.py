"""What grants power acts in the version that a person in the browser has confirmed, below this root alone."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from harness.backend import ADA

from jupyter_cabinet.core.clock import SystemClock
from jupyter_cabinet.core.errors import NotAllowed
from jupyter_cabinet.core.events import EventBus
from jupyter_cabinet.trust.model import TrustPolicy
from jupyter_cabinet.trust.service import Trust
from jupyter_cabinet.trust.store import TrustStore

KERNEL = msgspec.structs.replace(ADA, origin="token")


def trust(folder: Path, root: str = "root", policy: TrustPolicy = "ask") -> Trust:
    (folder / root).mkdir(exist_ok=True)
    store = TrustStore(folder / "data")
    return Trust(root=folder / root, store=store, policy=policy, clock=SystemClock(), bus=EventBus())


async def test_another_version_is_not_confirmed_and_the_last_one_can_be_looked_at(tmp_path: Path) -> None:
    asked = trust(tmp_path)
    assert not await asked.is_confirmed("agent/ada", "1")
    await asked.confirm_version("agent/ada", "1", b"one", ADA)
    await asked.confirm_version("agent/ada", "2", b"two", ADA)
    assert await asked.is_confirmed("agent/ada", "2")
    assert not await asked.is_confirmed("agent/ada", "1")
    assert not await asked.is_confirmed("agent/ben", "2")
    assert await asked.confirmed_content("agent/ada") == b"two"
    assert await asked.confirmed_hashes("agent") == {"ada": "2"}
    await asked.forget("agent/ada")
    assert not await asked.is_confirmed("agent/ada", "2")
    assert await asked.confirmed_content("agent/ada") is None


async def test_what_was_confirmed_below_one_root_is_not_below_another(tmp_path: Path) -> None:
    await trust(tmp_path).confirm_version("agent/ada", "1", b"one", ADA)
    assert not await trust(tmp_path, "other").is_confirmed("agent/ada", "1")


async def test_a_program_confirms_nothing(tmp_path: Path) -> None:
    asked = trust(tmp_path)
    with pytest.raises(NotAllowed):
        await asked.confirm_version("agent/ada", "1", b"one", KERNEL)
    assert not await asked.is_confirmed("agent/ada", "1")


async def test_where_everything_is_trusted_everything_counts_as_confirmed(tmp_path: Path) -> None:
    asked = trust(tmp_path, policy="always")
    assert await asked.is_confirmed("agent/ada", "1")
    assert await asked.confirmed_hashes("agent") is None
