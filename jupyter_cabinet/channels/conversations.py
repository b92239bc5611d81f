"""Treats messages that are on record: commands at once, everything else as a run whose answer goes back.

Both handlers are called by the outbox, also again after a crash. A message is treated once, because the transaction
that queues its run, or stores the reply, also marks it as answered.
"""

from __future__ import annotations

import logging
from collections.abc import Callable

from sqlalchemy import Connection

from ..agents.roster.roster import Roster
from ..agents.run_kinds.agent_terms import AgentTerms
from ..core.errors import CabinetError, LeaseLost, NoRoom, NotFound, Refused, ShuttingDown
from ..core.events import Event, Scope
from ..core.people import Principal
from ..foundation import Foundation
from ..runs.intake import visibility_for
from ..runs.model import Run, RunFinished, RunStarted, Trigger
from ..runs.records import RunRecords
from ..runs.rules.lifecycle import is_final
from ..runs.service import Runs
from ..sessions.model import AgentSubject, Session
from ..sessions.service import Sessions
from . import store
from .delivery.outgoing import Outgoing, send
from .model import Channel, ChannelMessage, ChannelMessageChanged, Conversation, NewChannelMessage, Pairing
from .platforms import PLATFORMS
from .records import place_of, scope_of
from .rules.code_blocks import segments
from .rules.commands import Command, help_text, read_command, unknown_command
from .rules.conversations import conversation_id
from .rules.routing import NO_AGENT, Route, route, without_address
from .setup.book import ChannelBook, principal_of

log = logging.getLogger(__name__)

MOST_OPEN = 1_000  # messages of a channel that are looked through after a start
MOST_WAITING = 5  # messages of a conversation that wait or are worked on
LATER = (ShuttingDown, NoRoom, LeaseLost)  # the outbox tries again
MAY_NOT_ASK = "This account may not ask agents. The person it belongs to can change that in JupyterLab."
BUSY = "The agent still works on earlier messages. Wait for its answers, or send /cancel."
NOTHING_TO_STOP = "Nothing is being worked on in this conversation."


class Conversations:
    """The services that a message needs."""

    def __init__(
        self,
        foundation: Foundation,
        *,
        book: ChannelBook,
        roster: Roster,
        agents: AgentTerms,
        sessions: Sessions,
        records: RunRecords,
    ) -> None:
        self._book = book
        self._roster = roster
        self._agents = agents
        self._sessions = sessions
        self._records = records
        self._database = foundation.database
        self._commits = foundation.commits
        self._bus = foundation.bus
        self._clock = foundation.clock
        self._redactor = foundation.redactor
        self._runs: Runs | None = None

    def begin(self, runs: Runs) -> None:
        """Connect the service of runs. Before that, messages for agents stay until the outbox tries again."""
        self._runs = runs

    # --- what the outbox calls -------------------------------------------------------------

    async def do_received(self, message_id: str) -> None:
        """Treat a message that has come in: carry out a command, or queue a run. The answer goes back in any case.

        A message that is unknown, or was treated already, is ignored. Raises `ShuttingDown`, `NoRoom` or `LeaseLost` if
        it must be tried again, and `Malformed` while the list of channels cannot be read.
        """
        await self._book.refresh()
        message = await self._database.read(lambda c: store.load_message(c, message_id))
        channel = self._book.channel(message.channel_id) if message else None
        if message is None or channel is None or message.state != "received":
            return
        pairing = self._book.pairing_of(channel.id, message.sender_id)
        try:
            if pairing is None or "ask" not in pairing.may:
                await self._reply(channel, message, MAY_NOT_ASK)
            elif unknown := unknown_command(message.text):
                await self._reply(channel, message, unknown)
            elif (command := read_command(message.text)) is not None and command.name != "ask":
                await self._reply(channel, message, await self._obey(command, channel, message, pairing))
            else:
                await self._ask(channel, message, pairing, message.text if command is None else command.rest)
        except LATER:
            raise
        except CabinetError as error:
            await self._reply(channel, message, error.message)

    async def do_ended(self, run_id: str) -> None:
        """Send the answer of a run that has ended. Nothing is sent if the account was disconnected or the run deleted.

        A run that answers no message, or whose answer was sent already, is ignored. Raises `Malformed`.
        """
        await self._book.refresh()
        message = await self._database.read(lambda c: store.message_of_run(c, run_id))
        channel = self._book.channel(message.channel_id) if message else None
        if message is None or channel is None or message.state != "working":
            return
        pairing = self._book.pairing_of(message.channel_id, message.sender_id)
        run = await self._run(run_id, pairing) if pairing is not None else None
        if run is None:  # it was deleted, or the account was disconnected: nobody there may read the answer
            await self._commits.commit(lambda c: _finish(c, message))
            return
        key = f"answer/{run_id}"
        await self._put(channel, message, answer_of(run), key=key, run=run, only_if=lambda c: _finish(c, message))

    async def _run(self, run_id: str, pairing: Pairing) -> Run | None:
        try:
            return await self._records.get(run_id, principal_of(pairing))
        except NotFound:
            return None

    async def disown(self) -> None:
        """Mark what waits in another server's database as failed: nothing of it is answered or sent."""
        await self._commits.commit(store.give_up_all)

    async def open(self) -> None:
        """Answer the messages whose run has ended with an earlier server."""
        for channel in self._book.configuration.channels:
            for message in await self._worked_on(channel.id):
                if message.run_id and not await self._records.unfinished_among([message.run_id]):
                    await self.do_ended(message.run_id)

    async def _worked_on(self, channel_id: str) -> list[ChannelMessage]:
        return await self._database.read(lambda c: store.in_state(c, channel_id, "working", MOST_OPEN))

    # --- what the bus calls ----------------------------------------------------------------

    def hear(self, event: Event, scope: Scope) -> None:
        """Show in the chat that an agent works, from the start of a run to its end. Other events are ignored."""
        if not isinstance(event, RunStarted | RunFinished) or event.run.kind != "channel_message":
            return
        live = self._records.live.get(event.run.id)
        new = live.new if live is not None else None
        for connection in self._book.connections.values():
            if isinstance(event, RunFinished):
                connection.end_typing(event.run.id)
            elif isinstance(new, NewChannelMessage) and new.channel_id == connection.channel.id:
                connection.begin_typing(event.run.id, new.place)

    # --- a message for an agent --------------------------------------------------------------

    async def _ask(self, channel: Channel, message: ChannelMessage, pairing: Pairing, text: str) -> None:
        principal = principal_of(pairing)
        found = await self.route(channel, message, pairing, text)
        if found is None:
            await self._reply(channel, message, NO_AGENT)
            return
        place = place_of(message)
        id = conversation_id(channel.id, place, agent=found.agent, username=principal.username)
        session = await self._session(id, found.agent, principal)
        waiting = [run for run in await self._records.of_session(session.id) if not is_final(run)]
        if len(waiting) >= MOST_WAITING:
            await self._reply(channel, message, BUSY)
            return
        new = NewChannelMessage(
            instruction=without_address(text, found.agent),
            session_id=session.id,
            agent=found.agent,
            channel_id=channel.id,
            sender_id=message.sender_id,
            place=place,
            about=_about(channel, message, principal),
        )

        def also(connection: Connection, run: Run) -> None:
            """Mark the message as being worked on in the transaction that queues its run."""
            now = store.load_message(connection, message.id)
            if now is None or now.state != "received":
                raise Refused("The message was answered already.")
            store.update_message(connection, now, state="working", run_id=run.id, agent=found.agent)
            conversation = Conversation(
                id=id,
                session_id=session.id,
                agent=found.agent,
                runtime=session.runtime,
                username=principal.username,
                updated_at=self._clock.now(),
            )
            store.save_conversation(connection, conversation)

        run = await self._required_runs.submit(new, principal, trigger=_trigger(channel, principal), also=also)
        working = ChannelMessageChanged(channel_id=channel.id, message_id=message.id, state="working")
        self._bus.publish(working, scope_of(channel))
        if waiting:
            before = "1 message is" if len(waiting) == 1 else f"{len(waiting)} messages are"
            await self._put(channel, message, f"Your message waits: {before} before it.", key=f"waits/{run.id}")

    async def route(self, channel: Channel, message: ChannelMessage, pairing: Pairing, text: str) -> Route | None:
        """Return the agent that a message goes to; None if nothing names one."""
        known = {entry.slug for entry in await self._roster.find(principal_of(pairing))}
        return route(
            text,
            known=known,
            rules=channel.rules,
            user=message.sender_id,
            chat=message.chat,
            user_default=pairing.agent,
            channel_default=channel.agent,
        )

    async def _session(self, id: str, agent: str, principal: Principal) -> Session:
        """Return the session of a conversation. A new one begins if there is none, or the agent has another CLI now."""
        runtime = await self._agents.runtime(agent, principal)
        conversation = await self._database.read(lambda c: store.load_conversation(c, id))
        session = await self._sessions.load(conversation.session_id) if conversation else None
        if session is not None and session.runtime == runtime and session.owner == principal.username:
            return session
        return await self._sessions.create(
            principal, subject=AgentSubject(slug=agent), runtime=runtime, visibility=visibility_for(principal)
        )

    # --- commands --------------------------------------------------------------------------

    async def _obey(self, command: Command, channel: Channel, message: ChannelMessage, pairing: Pairing) -> str:
        """Carry out a command, and return the reply."""
        principal = principal_of(pairing)
        match command.name:
            case "agents":
                return await self._list_agents(principal)
            case "approvals":
                return await self._list_waiting(principal)
            case "status":
                return await self._status(channel, message, pairing, command.rest)
            case "cancel":
                return await self._cancel(channel, message, pairing, command.rest)
            case "new":
                return await self._begin_again(channel, message, pairing, command.rest)
            case _:
                return help_text()

    async def _list_agents(self, principal: Principal) -> str:
        entries = [entry for entry in await self._roster.find(principal) if not entry.errors]
        if not entries:
            return "There is no agent here yet. Create one in JupyterLab."
        lines = [f"@{entry.slug} – {entry.files.name}" for entry in entries]
        return "\n".join(["You can ask these agents:", *lines])

    async def _list_waiting(self, principal: Principal) -> str:
        runs = [run for run in self._records.working() if run.state == "waiting" and run.owner == principal.username]
        if not runs:
            return "No agent waits for your answer."
        lines = [f"{run.agent or run.runtime_title}: {run.reason}" for run in runs]
        return "\n".join(["These agents wait for your answer:", *lines])

    async def _status(self, channel: Channel, message: ChannelMessage, pairing: Pairing, rest: str) -> str:
        found = await self.route(channel, message, pairing, rest)
        if found is None:
            return NO_AGENT
        runs = await self._unfinished(channel, message, pairing, found.agent)
        if not runs:
            return f"@{found.agent} is free. It answers here because of this: {found.because}."
        works = [run for run in runs if run.state != "queued"]
        queued = len(runs) - len(works)
        lines = [f"@{found.agent} works: {run.reason or run.instruction[:100]}" for run in works]
        return "\n".join([*lines, *([f"{queued} more in the queue."] if queued else [])])

    async def _cancel(self, channel: Channel, message: ChannelMessage, pairing: Pairing, rest: str) -> str:
        found = await self.route(channel, message, pairing, rest)
        runs = await self._unfinished(channel, message, pairing, found.agent) if found else []
        for run in reversed(runs):  # the queued ones first, so that none takes the freed place
            await self._finish_silently(run.id)
            await self._required_runs.cancel(run.id, principal_of(pairing))
        if not runs:
            return NOTHING_TO_STOP
        return "Stopped." if len(runs) == 1 else f"Stopped, with {len(runs) - 1} more in the queue."

    async def _finish_silently(self, run_id: str) -> None:
        """Mark the message of a run as answered, because the reply to /cancel answers it."""
        await self._commits.commit(lambda c: _finish(c, store.message_of_run(c, run_id)))

    async def _begin_again(self, channel: Channel, message: ChannelMessage, pairing: Pairing, rest: str) -> str:
        found = await self.route(channel, message, pairing, rest)
        if found is None:
            return NO_AGENT
        id = self._conversation_id(channel, message, pairing, found.agent)
        await self._commits.commit(lambda c: store.forget_conversation(c, id))
        return f"A new conversation with @{found.agent} has begun."

    async def _unfinished(self, channel: Channel, message: ChannelMessage, pairing: Pairing, agent: str) -> list[Run]:
        id = self._conversation_id(channel, message, pairing, agent)
        conversation = await self._database.read(lambda c: store.load_conversation(c, id))
        runs = await self._records.of_session(conversation.session_id) if conversation else []
        return [run for run in runs if not is_final(run)]

    def _conversation_id(self, channel: Channel, message: ChannelMessage, pairing: Pairing, agent: str) -> str:
        return conversation_id(channel.id, place_of(message), agent=agent, username=pairing.username)

    # --- what goes back ----------------------------------------------------------------------

    async def _reply(self, channel: Channel, message: ChannelMessage, text: str) -> None:
        """Answer a message without a run, and mark it as answered in the same transaction."""

        def answered(connection: Connection) -> bool:
            now = store.load_message(connection, message.id)
            if now is None or now.state != "received":
                return False
            store.update_message(connection, now, state="answered", reason=text.partition("\n")[0][:300])
            return True

        await self._put(channel, message, text, key=f"reply/{message.id}", only_if=answered)

    async def _put(
        self,
        channel: Channel,
        message: ChannelMessage,
        text: str,
        *,
        key: str,
        run: Run | None = None,
        only_if: Callable[[Connection], bool] = lambda connection: True,
    ) -> None:
        outgoing = Outgoing(
            channel=channel,
            place=place_of(message),
            key=key,
            at=self._clock.now(),
            agent=(run.agent or "") if run else "",
            run_id=run.id if run else None,
        )
        text = self._redactor.redact(text)
        await send(text, outgoing, book=self._book, commits=self._commits, only_if=only_if)

    @property
    def _required_runs(self) -> Runs:
        if self._runs is None:
            raise ShuttingDown
        return self._runs


def _finish(connection: Connection, message: ChannelMessage | None) -> bool:
    """Mark a message that an agent works on as answered. Return whether it was worked on until now."""
    now = store.load_message(connection, message.id) if message is not None else None
    if now is None or now.state != "working":
        return False
    store.update_message(connection, now, state="answered")
    return True


def answer_of(run: Run) -> str:
    """Return the message about a run that has ended: its text, and its reason if it did not succeed. Never empty."""
    text = run.result.text.strip() if run.result else ""
    if not any(each.text.strip() for each in segments(text)):
        text = ""  # such as an empty code block: no platform takes that
    if run.state == "succeeded":
        return text or "The agent has finished without writing anything."
    return f"{text}\n\n{run.reason}".strip() or "The run has ended without an answer."


def _about(channel: Channel, message: ChannelMessage, principal: Principal) -> str:
    """Return where a message comes from. Names that people choose on the platform are left out: they could say
    anything.
    """
    where = "a direct chat" if message.direct else "a group, where others read along"
    return f"This message was written by {principal.display_name} in {PLATFORMS[channel.platform].title}, in {where}."


def _trigger(channel: Channel, principal: Principal) -> Trigger:
    source = f"a message in {PLATFORMS[channel.platform].title}"
    return Trigger(kind="message", username=principal.username, display_name=principal.display_name, source=source)
