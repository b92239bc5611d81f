"""Who is notified about which event."""

from __future__ import annotations

from typing import get_args

from jupyter_cabinet.web.handlers.events import RESOURCES, AnyEvent


def test_every_event_takes_the_right_to_read_what_it_is_about() -> None:
    assert set(RESOURCES) == {kind.__struct_config__.tag for kind in get_args(AnyEvent)}
    assert {RESOURCES[name] for name in RESOURCES if name.startswith("approval")} == {"cabinet-approvals"}
    assert {RESOURCES[name] for name in RESOURCES if name.startswith("run_")} == {"cabinet-runs"}
