"""What only Discord has: sessions that are resumed, presses that must be answered at once, and its way to write texts.

What holds on every platform is in `test_conformance.py`.
"""

from __future__ import annotations

import pytest

from jupyter_cabinet.testing.discord import ADA as DISCORD_ADA
from jupyter_cabinet.testing.discord import GROUP, TOKEN, DiscordServer, direct_chat
from jupyter_cabinet.testing.discord_markup import SHRUG, Piece, shown

DIRECT = direct_chat(DISCORD_ADA)


# --- the double --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "pieces"),
    [
        ("plain text, 1 * 2", [Piece("plain text, 1 * 2")]),
        (r"\*not bold\* \<@1>", [Piece("*not bold* <@1>")]),
        (SHRUG, [Piece(SHRUG)]),
        ("a **b** c", [Piece("a "), Piece("b", "marked"), Piece(" c")]),
        ("||secret||", [Piece("secret", "hidden")]),
        ("# big", [Piece("big", "marked")]),
        ("x\n-# small", [Piece("x\n"), Piece("small", "marked")]),
        ("  7. seven", [Piece("  "), Piece("seven", "marked")]),
        ("> quoted\nnot", [Piece("quoted", "marked"), Piece("\nnot")]),
        ("[good](https://evil.example)", [Piece("good", "masked")]),
        ("<@1> @everyone", [Piece("<@1>", "mention"), Piece(" "), Piece("@everyone", "mention")]),
        (":smile:", [Piece(":smile:", "emoji")]),
        ("see <https://a.example/b_c_d>.", [Piece("see "), Piece("https://a.example/b_c_d", "link"), Piece(".")]),
        (r"https://a.example/b\_c", [Piece(r"https://a.example/b\_c", "link")]),  # no escapes in addresses
        ("```py\nx = 1\n```\nend", [Piece("x = 1", "code"), Piece("\nend")]),
        ("``a`b``", [Piece("a`b", "marked")]),
    ],
)
def test_the_double_shows_texts_as_discord_does(content: str, pieces: list[Piece]) -> None:
    assert shown(content) == pieces


def test_the_double_refuses_what_discord_refuses() -> None:
    with DiscordServer() as discord:
        for method, path, token, arguments, expected in (
            ("GET", "users/@me", "wrong", {}, (401, 0)),
            ("GET", "guilds/1", TOKEN, {}, (404, 0)),
            ("POST", "channels/7/messages", TOKEN, {"content": "x"}, (404, 10003)),
            ("POST", f"channels/{DIRECT}/messages", TOKEN, {"content": " "}, (400, 50006)),
            ("POST", f"channels/{DIRECT}/messages", TOKEN, {"content": "x" * 2001}, (400, 50035)),
            ("PATCH", f"channels/{DIRECT}/messages/1", TOKEN, {"content": "x"}, (404, 10008)),
            ("POST", "channels/7/typing", TOKEN, {}, (404, 10003)),
            ("POST", "interactions/1/unknown/callback", TOKEN, {"type": 6}, (404, 10062)),
            ("POST", "webhooks/1/unknown", TOKEN, {"content": "x", "flags": 64}, (404, 10015)),
        ):
            reply = discord.call(method, path, f"Bot {token}", arguments)
            assert reply is not None and (reply[0], reply[2]["code"]) == expected


def test_buttons_of_a_message_must_be_as_discord_wants_them() -> None:
    button = {"type": 2, "style": 2, "label": "Yes", "custom_id": "y"}
    with DiscordServer() as discord:
        for buttons, status in (
            ([button], 200),
            ([button, button], 400),
            ([], 400),
            ([button | {"label": ""}], 400),
            ([button | {"custom_id": "x" * 101}], 400),
        ):
            arguments = {"content": "x", "components": [{"type": 1, "components": buttons}]}
            reply = discord.call("POST", f"channels/{GROUP}/messages", f"Bot {TOKEN}", arguments)
            assert reply is not None and reply[0] == status
