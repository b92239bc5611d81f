"""Any program in the place of an agent: nobody types into it, and its exit code is its outcome.

People start it in a terminal; a plan starts it without one, and keeps the end of its output as the answer.

Built in but not listed: it is chosen by giving a `command`. It may start whatever a person's shell may start, in the
environment of an agent.
"""

from __future__ import annotations

import codecs
from collections.abc import Mapping

from ..core.errors import Invalid
from .adapter import Adapter
from .model import AnyAgentEvent, Failure, Launch, Outcome, Request, TextBlock
from .port import About, Capabilities, Conversation, Exit, Located, Missing, Source
from .shared.one_instruction import OneInstruction

MAX_ANSWER = 20_000  # characters


class Command(Adapter):
    """A program and its arguments. It counts as found, whatever it is: see `locate`.

    Which of the server's variables it needs is unknown: the operator names them in `CabinetApp.runtime_env`.
    """

    about = About(name="command", title="Command")
    can = Capabilities(interactive=True, headless=True)

    def locate(self, environment: Mapping[str, str]) -> Located | Missing:
        return Located(path="", login="yes")

    def launch(self, located: Located, request: Request) -> Launch:
        if not request.command:
            raise Invalid("The command is empty. Name a program.", field="command")
        return Launch(argv=request.command)

    def conversation(self, request: Request) -> Conversation:
        return CommandConversation(title_of(request.command), keeps_output=request.mode == "headless")


class CommandConversation(OneInstruction):
    """A dialogue that ends with its process. `keeps_output`: the output is reported, and its end is the answer.

    In a terminal, people read the screen instead. Only the exit code 0 is a success.
    """

    def __init__(self, title: str, *, keeps_output: bool = False) -> None:
        self._title = title
        self._keeps = keeps_output
        self._decoders = {name: codecs.getincrementaldecoder("utf-8")("replace") for name in ("stdout", "stderr")}
        self._answer = ""

    def feed(self, source: Source, data: bytes) -> list[AnyAgentEvent]:
        if not self._keeps or source not in self._decoders:
            return []
        text = self._decoders[source].decode(data)
        self._answer = (self._answer + text)[-MAX_ANSWER:]
        return [TextBlock(text=text)] if text else []

    def send(self, text: str) -> bytes:
        return text.encode(errors="replace")

    def finish(self, exit: Exit | None) -> Outcome:
        if exit is None or exit.code == 0:
            return Outcome(text=self._answer)
        how = f"with code {exit.code}" if exit.code is not None else "by a signal"
        if exit.signal is not None:
            how = f"by signal {exit.signal}"
        failure = Failure(kind="crashed", message=f"{self._title} ended {how}.")
        return Outcome(text=self._answer, failure=failure)


def title_of(command: tuple[str, ...]) -> str:
    """Return the last part of the program's path; "Command" for an empty command."""
    return command[0].rpartition("/")[2] if command else Command.about.title
