"""Any program as an agent in a terminal: nobody types into it, and its exit code is its outcome.

Built in but not listed: it is chosen by giving a `command`. It may start whatever a person's shell may start, in the
environment of an agent.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..core.errors import Invalid
from .adapter import Adapter
from .model import AnyAgentEvent, Failure, Launch, Outcome, Request
from .port import About, Capabilities, Conversation, Exit, Located, Missing, Source
from .shared.one_instruction import OneInstruction


class Command(Adapter):
    """A program and its arguments, only in a terminal.

    Which of the server's variables it needs is unknown: the operator names them in `CabinetApp.runtime_env`.
    """

    about = About(name="command", title="Command")
    can = Capabilities(interactive=True)

    def locate(self, environment: Mapping[str, str]) -> Located | Missing:
        return Located(path="", login="yes")

    def launch(self, located: Located, request: Request) -> Launch:
        if not request.command:
            raise Invalid("The command is empty. Name a program.", field="command")
        if request.mode != "terminal":
            raise Invalid("A command only runs in a terminal. Choose a run in a terminal.", field="mode")
        return Launch(argv=request.command)

    def conversation(self, request: Request) -> Conversation:
        return CommandConversation(title_of(request.command))


class CommandConversation(OneInstruction):
    """A dialogue that understands no output and ends with its process."""

    def __init__(self, title: str) -> None:
        self._title = title

    def feed(self, source: Source, data: bytes) -> list[AnyAgentEvent]:
        return []

    def send(self, text: str) -> bytes:
        return text.encode(errors="replace")

    def finish(self, exit: Exit | None) -> Outcome:
        if exit is None or exit.code == 0:
            return Outcome()
        how = f"with code {exit.code}" if exit.code is not None else "by a signal"
        if exit.signal is not None:
            how = f"by signal {exit.signal}"
        return Outcome(failure=Failure(kind="crashed", message=f"{self._title} ended {how}."))


def title_of(command: tuple[str, ...]) -> str:
    """The program's base name."""
    return command[0].rpartition("/")[2] if command else Command.about.title
