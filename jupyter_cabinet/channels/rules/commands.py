"""The commands that people write to a channel, such as `/status`. Pure."""

from __future__ import annotations

import re
from typing import Literal

import msgspec

CommandName = Literal["ask", "status", "agents", "approvals", "cancel", "new", "help"]

COMMANDS: dict[CommandName, str] = {
    "ask": "Ask an agent: /ask @name question",
    "status": "What happens in this conversation",
    "agents": "Which agents you can ask",
    "approvals": "What waits for your answer",
    "cancel": "Stop the work in this conversation",
    "new": "Begin a new conversation",
    "help": "Show these commands",
}
_OTHER_NAMES: dict[str, CommandName] = {"start": "help", "stop": "cancel", "reset": "new"}


class Command(msgspec.Struct, frozen=True, kw_only=True):
    """A command, and what follows it."""

    name: CommandName
    rest: str = ""


def read_command(text: str) -> Command | None:
    """Return the command that a message consists of; None for any other message.

    `/status@name_of_the_bot` is `/status`, because group chats add the name.
    """
    word, rest = (*text.split(maxsplit=1), "", "")[:2]
    if not word.startswith("/"):
        return None
    name = word[1:].partition("@")[0].lower()
    found = _OTHER_NAMES.get(name) or next((known for known in COMMANDS if known == name), None)
    return None if found is None else Command(name=found, rest=rest.strip())


def unknown_command(text: str) -> str:
    """Return a sentence for a message that begins like a command that does not exist; empty for any other message.

    A first word of a slash and letters, as in `/nonsense`, is meant as a command. `/home/x is full` begins with a path,
    and `/etc?` is a question about one: both are for the agent.
    """
    found = re.match(r"\s*/([A-Za-z]{1,32})(?:@\w+)?(?=\s|$)", text)
    if found is None or read_command(text) is not None:
        return ""
    names = [f"/{name}" for name in COMMANDS]
    return f"There is no command /{found[1]}: the commands are {', '.join(names[:-1])} and {names[-1]}."


def help_text() -> str:
    """Return the list of commands."""
    lines = [f"/{name} – {about}" for name, about in COMMANDS.items()]
    return "\n".join(["Write a message, and the agent answers. These commands help:", *lines])
