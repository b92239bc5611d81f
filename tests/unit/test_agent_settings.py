"""Settings of agents, from the server's configuration to the room."""

from __future__ import annotations

import msgspec
import pytest

from jupyter_cabinet.agents.settings import AgentSettings
from jupyter_cabinet.app import CabinetApp
from jupyter_cabinet.core.errors import Invalid


def test_a_time_zone_that_is_none_is_told_with_its_setting_and_a_good_one_reaches_the_agents() -> None:
    app = CabinetApp(agent_time_zone="Europe/Berlin", agent_runs_per_day=7, agent_retry_seconds=9)
    settings = app._agent_settings()
    assert (settings.time_zone, settings.runs_per_day, settings.heartbeat_again_seconds) == ("Europe/Berlin", 7, 9)
    with pytest.raises(Invalid, match=r"CabinetApp\.agent_time_zone: .Moon. is not a known time zone"):
        CabinetApp(agent_time_zone="Moon")._agent_settings()


def test_each_setting_of_agents_can_be_set() -> None:
    names = {field.name for field in msgspec.structs.fields(AgentSettings)}
    app = CabinetApp(
        agent_time_zone="Asia/Tokyo",
        agent_runs_per_day=1,
        agent_daily_cost_usd=2,
        agent_heartbeat_seconds=3,
        agent_retry_seconds=4,
        agent_reply_seconds=5,
        agent_failures_before_pause=6,
    )
    changed = app._agent_settings()
    assert {name for name in names if getattr(changed, name) != getattr(AgentSettings(), name)} == names
