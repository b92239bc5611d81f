"""Messages are written so that they can be read again, and older files are read too; posts know whom they name."""

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_cabinet.agents.correspondence import messages as m
from jupyter_cabinet.agents.directives.posts import mentions
from jupyter_cabinet.agents.files import front_matter

NOW = datetime(2026, 1, 14, 12, 30, tzinfo=UTC)


def read(text: str, name: str) -> m.Message:
    found = front_matter.read(text, file=name)
    return m.message_from(found.fields, found.body, name=name)


ID = "01kxyz00000000000000000000"
SLUGS = st.from_regex(r"[a-z0-9][a-z0-9-]{0,20}", fullmatch=True) | st.sampled_from(["no", "null", "1e3", "2026-01-01"])


@given(
    SLUGS, SLUGS, st.text(st.characters(codec="utf-8")), st.booleans(), st.integers(0, 8), st.lists(SLUGS, max_size=3)
)
def test_a_message_survives_its_file(
    sender: str, recipient: str, body: str, tainted: bool, depth: int, chain: list[str]
) -> None:
    message = m.Message(
        id=f"{ID}-3",
        sender=sender,
        recipient=recipient,
        timestamp="2026-01-14T12:30:00Z",
        body=body.strip(),
        origin="01k/3",
        depth=depth,
        chain=tuple(chain),
        tainted=tainted,
    )
    name = m.file_name(sender=sender, message_id=f"{ID}-3", at=NOW)
    assert read(m.text_of(message), name) == message


def test_the_name_has_time_sender_and_id() -> None:
    assert m.file_name(sender="ada", message_id="01k-3", at=NOW) == "2026-01-14T12-30-00Z_from_ada_01k-3.md"


@pytest.mark.parametrize(
    ("name", "message_id", "sender", "timestamp"),
    [
        (
            "2024-04-03T10-00-00-000Z_from_ada.md",
            "2024-04-03T10-00-00-000Z_from_ada",
            "ada",
            "2024-04-03T10:00:00.000Z",
        ),
        (
            "2024-04-03T10-00-00-000Z_from_data_team.md",
            "2024-04-03T10-00-00-000Z_from_data_team",
            "data_team",
            "2024-04-03T10:00:00.000Z",
        ),
        (f"2024-04-03T10-00-00Z_from_ada_{ID}.md", ID, "ada", "2024-04-03T10:00:00Z"),
        (f"2024-04-03T10-00-00Z_from_ada_{ID}-3.md", f"{ID}-3", "ada", "2024-04-03T10:00:00Z"),
        (f"2024-04-03T10-00-00Z_from_ada_{ID}-tool-2-1.md", f"{ID}-tool-2-1", "ada", "2024-04-03T10:00:00Z"),
        (f"2024-04-03T10-00-00Z_from_the_data_team_{ID}-3.md", f"{ID}-3", "the_data_team", "2024-04-03T10:00:00Z"),
        (f"2024-04-03T10-00-00Z_from_{ID}.md", f"2024-04-03T10-00-00Z_from_{ID}", ID, "2024-04-03T10:00:00Z"),
        ("yesterday_from_ada.md", "yesterday_from_ada", "ada", ""),
        ("a note.md", "a note", "unknown", ""),
    ],
)
def test_a_name_says_what_the_file_leaves_out(name: str, message_id: str, sender: str, timestamp: str) -> None:
    message = m.message_from({}, "\nHello\n", name=name)
    assert (message.id, message.sender, message.timestamp, message.body) == (message_id, sender, timestamp, "Hello")
    assert m.id_in(name) == message_id


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"depth": -1}, "depth"),
        ({"depth": True}, "depth"),
        ({"depth": "2"}, "depth"),
        ({"tainted": "no"}, "tainted"),
        ({"from": ["ada"]}, "from"),
        ({"chain": "ada"}, "chain"),
        ({"chain": [1]}, "chain"),
    ],
)
def test_a_field_of_the_wrong_kind_is_told(fields: dict[str, Any], reason: str) -> None:
    with pytest.raises(m.BadMessage, match=f"^{reason}: expected"):
        m.message_from(fields, "x", name="a.md")


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("@ada and @bob-2, @ada", ("ada", "bob-2")),
        ("mail ada@example.org, see a/@b", ()),
        ("(@ada)", ("ada",)),
        ("@ada-", ("ada",)),
        ("@Ada @" + "x" * 65, ()),
    ],
)
def test_a_post_names_agents_with_an_at_sign(text: str, named: tuple[str, ...]) -> None:
    assert mentions(text) == named
