"""Notifications in the chat of a person who has left JupyterLab."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest
from harness.backend import ADA
from harness.channels import sent, talking

from jupyter_cabinet.backend import Backend
from jupyter_cabinet.channels.configuration import Configuration
from jupyter_cabinet.channels.model import Pairing, PairingFields, Right
from jupyter_cabinet.core.errors import Invalid, NotAllowed, NotFound
from jupyter_cabinet.core.people import Principal

ASK_AND_APPROVE: tuple[Right, ...] = ("ask", "approve")


async def notify(backend: Backend, principal: Principal = ADA, **fields: Any) -> Pairing:
    """Choose what Ada's account hears."""
    (pairing,) = await backend.channels.pairings(ADA)
    return await backend.channels.change_pairing(
        pairing.id, PairingFields(**{"may": ASK_AND_APPROVE, **fields}), principal
    )


async def test_an_account_hears_nothing_until_its_person_wants_it(tmp_path: Path) -> None:
    async with talking(tmp_path) as (backend, _, _channel):
        (pairing,) = await backend.channels.pairings(ADA)
        assert (pairing.notify, pairing.digest_minutes, pairing.direct_chat) == ("off", 0, "1001")
        night: dict[str, Any] = {"quiet_from": "22:00", "quiet_until": "07:00", "zone": "Europe/Berlin"}
        changed = await notify(backend, notify="warn", digest_minutes=60, **night)
        (pairing,) = await backend.channels.pairings(ADA)
        assert pairing == changed
        assert (pairing.notify, pairing.quiet_from, pairing.zone) == ("warn", "22:00", "Europe/Berlin")


WRONG: list[tuple[dict[str, Any], str, str]] = [
    ({"digest_minutes": -1}, "digest_minutes", "at most 1440 minutes"),
    ({"digest_minutes": 1441}, "digest_minutes", "at most 1440 minutes"),
    ({"quiet_from": "22:00"}, "quiet_until", "a start and an end"),
    ({"quiet_until": "07:00"}, "quiet_from", "a start and an end"),
    ({"quiet_from": "22:00", "quiet_until": "7"}, "quiet_until", "a time of day such as"),
    ({"quiet_from": "22:00", "quiet_until": "22:00", "zone": "UTC"}, "quiet_until", "cannot end when they start"),
    ({"quiet_from": "22:00", "quiet_until": "07:00"}, "zone", "need a time zone"),
    ({"zone": "../../etc/passwd"}, "zone", "not a known time zone"),
    ({"zone": "Mars/Base"}, "zone", "not a known time zone"),
]
OTHERS = [
    Principal(username="owner", display_name="Owner", origin="token", shared_token=True),
    Principal(username="ada", display_name="Ada", origin="channel", shared_token=True),
    Principal(username="bob", display_name="Bob"),
]


async def test_wrong_wishes_and_those_of_others_are_refused(tmp_path: Path) -> None:
    async with talking(tmp_path) as (backend, _, _channel):
        for fields, field, part in WRONG:
            with pytest.raises(Invalid, match=part) as refused:
                await notify(backend, notify="warn", **fields)
            assert refused.value.detail["field"] == field
        (pairing,) = await backend.channels.pairings(ADA)
        for principal in OTHERS:
            with pytest.raises((NotAllowed, NotFound)):
                await backend.channels.change_pairing(pairing.id, PairingFields(may=("ask",), notify="info"), principal)
        assert (await backend.channels.pairings(ADA))[0] == pairing


async def test_an_account_of_an_earlier_version_is_read_and_finds_its_chat(tmp_path: Path) -> None:
    new = {"notify", "quiet_from", "quiet_until", "zone", "digest_minutes", "direct_chat"}
    async with talking(tmp_path) as (backend, telegram, _):
        file = next((tmp_path / "data" / "channels").iterdir()) / "channels.json"
        content = msgspec.json.decode(file.read_bytes())
        content["pairings"] = [{key: each[key] for key in each if key not in new} for each in content["pairings"]]
        file.write_bytes(msgspec.json.encode(content))
        assert msgspec.json.decode(file.read_bytes(), type=Configuration).pairings[0].notify == "off"
        (pairing,) = await backend.channels.pairings(ADA)
        assert pairing.direct_chat == ""
        telegram.write("/help")
        await sent(telegram, "/agents")
        (pairing,) = await backend.channels.pairings(ADA)
        assert pairing.direct_chat == "1001"
        assert (await notify(backend, notify="info")).direct_chat == "1001"
