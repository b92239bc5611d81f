"""Tool servers for people: list, add, change, look at again, approve tools, remove. The interface of the room."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping
from pathlib import Path

import msgspec

from ..agents.roster.roster import Roster
from ..agents.tool_server_tools import KnownToolServer, ProposedToolServer
from ..core.clock import Clock
from ..core.errors import Conflict, Invalid, Malformed, NotAllowed, NotFound, Refused
from ..core.events import EventBus, Scope
from ..core.people import Principal, owns
from ..core.redaction import Redactor
from ..execution.tools.tool_server_file import header_redactor, redacted
from . import proposal_rules, remote, rules
from .inspection import Inspection
from .model import (
    NewToolServer,
    ToolApproval,
    ToolProposal,
    ToolServer,
    ToolServerChange,
    ToolServersChanged,
    ToolServerView,
    ToolView,
)
from .store import MOST, Stored, ToolServerStore

NO_SUCH = "There is no tool server {name}."
TAKEN = "There is a tool server {name} already. Choose another name."
FULL = f"There are {MOST} tool servers already. Remove one first."
CHANGED = "The tool server has changed since you read it. Look at its tools again, then approve."
NO_TOOL = "This tool server does not offer {name}."
OF_OTHERS = "It does not start. {owner} can see why."
EITHER = "A tool server has either a program or an address, and keeps which of them it has. Add another one."
ONLY_REMOTE = "Only a remote tool server has headers. Enter its address, or use variables."
NO_VARIABLES = "Only whoever administers this server can use its variables in a header. Enter the value itself."
MOST_PROPOSED = 20  # beyond that, agents propose none
FULL_OF_PROPOSALS = f"{MOST_PROPOSED} proposed tool servers wait for a person already. Try again later."
NOT_STARTED = "An agent proposes it, and nobody has started it yet. Read the command, then choose Start."
ONLY_PEOPLE = "Only a person can decide what agents may use, in the browser. Open Skills and Tools in JupyterLab."


class ToolServers:
    """The tool servers of this server's root. Each belongs to the person who has added it."""

    def __init__(
        self,
        *,
        store: ToolServerStore,
        inspection: Inspection,
        roster: Roster,
        bus: EventBus,
        clock: Clock,
        root: Path,
    ) -> None:
        self._store = store
        self._inspection = inspection
        self._roster = roster
        self._bus = bus
        self._clock = clock
        self._root = root
        self._changing = asyncio.Lock()

    async def find(self, principal: Principal) -> tuple[list[ToolServerView], list[str]]:
        """Return the tool servers that the person may see, by name, and sentences about damaged files.

        These are their own and the shared ones; for an administrator, all of them. Only an administrator, or a person
        with the server's shared login, gets sentences.
        """
        agents = await self._agents(principal)
        views, problems = [], []
        for name in await asyncio.to_thread(self._store.names):
            try:
                stored = await asyncio.to_thread(self._store.load, name)
            except Malformed as error:
                if _looks_after_all(principal):
                    problems.append(error.message)
                continue
            if stored is not None and _may_see(principal, stored.server):
                views.append(await asyncio.to_thread(self._view, stored, agents, principal))
        return views, problems

    async def get(self, name: str, principal: Principal) -> ToolServerView:
        """Return one.

        Raises `NotFound`, also if it is private and another person's, and `Malformed` for a damaged file.
        """
        stored = await self._load(name, principal)
        return await asyncio.to_thread(self._view, stored, await self._agents(principal), principal)

    async def add(self, new: NewToolServer, principal: Principal) -> ToolServerView:
        """Add a tool server, then start or reach it once to see what it offers, which takes at most 90 seconds.

        No agent gets anything of it before tools are approved. If it does not work, it is kept, and `problem` says why.
        Raises `Invalid` for a name, program, address, variable or header that is not valid, `Conflict` if there is one
        of this name, `Refused` if there are 100, and `NotAllowed` outside the browser and for a header that names a
        variable of the server, unless the person administers it.
        """
        _require_person(principal)
        name = rules.check_name(new.name)
        server = ToolServer(
            name=name,
            owner=principal.username,
            shared=new.shared,
            shared_login=principal.shared_token,
            looked_at=self._clock.now(),
        )
        if new.address:
            if new.program or new.arguments or new.environment:
                raise Invalid(EITHER, field="address")
            started = _reached(Stored(server=server), new.address, new.headers, principal)
        else:
            if new.headers:
                raise Invalid(ONLY_REMOTE, field="headers")
            started = await self._started(Stored(server=server), new.program, new.arguments, new.environment)
        async with self._changing:
            names = await asyncio.to_thread(self._store.names)
            if name in names:
                raise Conflict(TAKEN.format(name=name))
            if len(names) >= MOST:
                raise Refused(FULL)
            await self._save(started)
        return await self.look(name, principal)

    async def propose(self, proposed: ProposedToolServer) -> str:
        """Keep a tool server that an agent proposes. It is not started, and has no variables.

        Returns a sentence for the agent. Raises `Invalid` for a name or program that is not valid, `Conflict` if there
        is one of this name, and `Refused` for a command that agents may not propose, and if too many exist or wait for
        a person.
        """
        name = rules.check_name(proposed.name)
        now = self._clock.now()
        proposal = ToolProposal(agent=proposed.agent, reason=proposed.reason, at=now)
        server = ToolServer(name=name, owner=proposed.owner, looked_at=now, problem=NOT_STARTED, proposal=proposal)
        kept = await self._started(Stored(server=server), proposed.program, proposed.arguments, {})
        if reason := await asyncio.to_thread(proposal_rules.refusal, kept.server.command, self._root):
            raise Refused(reason)
        if doubts := await asyncio.to_thread(rules.warnings, kept.server, self._root):
            raise Refused(doubts[0])
        async with self._changing:
            names = await asyncio.to_thread(self._store.names)
            if name in names:
                raise Conflict(TAKEN.format(name=name))
            if len(names) >= MOST:
                raise Refused(FULL)
            if await asyncio.to_thread(self._count_proposed, names, proposed.owner) >= MOST_PROPOSED:
                raise Refused(FULL_OF_PROPOSALS)
            await self._save(kept)
        return f"The tool server {name} is proposed. Agents can use it once a person has approved its tools."

    async def known_to(self, owner: str) -> list[KnownToolServer]:
        """Return the tool servers of a person and the shared ones, by name, as agents may know them.

        Damaged ones are left out.
        """
        views, _ = await self.find(Principal(username=owner, display_name=owner, origin="agent"))
        return [KnownToolServer(each.name, _state_of(each)) for each in views]

    async def change(self, name: str, change: ToolServerChange, principal: Principal) -> ToolServerView:
        """Change a tool server. If it is started or reached in another way, nothing of it is approved any more.

        Then it is also started or reached once, as in `add`. Raises `NotFound`, `Invalid`, `Malformed` for a damaged
        file, and `NotAllowed` outside the browser, unless the caller is its owner or an administrator, and for a header
        as in `add`.
        """
        async with self._changing:
            stored = await self._mine(name, principal)
            changed = await self._changed(stored, change, principal)
            other = not _is_same_way(changed, stored)
            replaced: dict[str, object] = {"approved": (), "found": ()} if other else {}
            if change.shared is not None:
                replaced["shared"] = change.shared
            server = msgspec.structs.replace(changed.server, **replaced)
            await self._save(msgspec.structs.replace(changed, server=server))
        return await (self.look(name, principal) if other else self.get(name, principal))

    async def look(self, name: str, principal: Principal) -> ToolServerView:
        """Start the tool server or connect to it, and keep what it offers. Waits at most 90 seconds.

        If that fails, its `problem` says why, and the tools that it offered before are kept. If it was changed
        meanwhile, the result is discarded. Raises `NotFound`, `Malformed` for a damaged file, `NotAllowed` outside the
        browser and unless the caller is its owner or an administrator, and `Refused` if what it offers is too large to
        be kept.
        """
        asked = await self._mine(name, principal)
        found = await self._inspection.of(asked)
        async with self._changing:
            stored = await self._mine(name, principal)
            if _is_same_way(stored, asked):
                tools = stored.server.found if found.problem else found.tools
                server = msgspec.structs.replace(
                    stored.server, found=tools, problem=found.problem, looked_at=self._clock.now()
                )
                await self._save(msgspec.structs.replace(stored, server=server))
        return await self.get(name, principal)

    async def approve(self, name: str, approval: ToolApproval, principal: Principal) -> ToolServerView:
        """Let agents use exactly these tools, as the person has seen them. Other tools lose their approval.

        Raises `NotFound`; `NotAllowed` outside the browser and unless the caller is its owner or an administrator;
        `Conflict` if something has changed since `approval.hash`; `Invalid` for a tool that it does not offer;
        `Malformed` for a damaged file.
        """
        async with self._changing:
            stored = await self._mine(name, principal)
            if rules.hash_of(stored.server) != approval.hash:
                raise Conflict(CHANGED)
            offered = {tool.name: tool for tool in stored.server.found}
            for tool in approval.tools:
                if tool not in offered:
                    raise Invalid(NO_TOOL.format(name=tool[:100]), field="tools")
            approved = tuple(offered[tool] for tool in dict.fromkeys(approval.tools))
            replaced: dict[str, object] = {"approved": approved}
            if stored.server.proposal:
                replaced |= {"proposal": None, "shared_login": principal.shared_token}
            server = msgspec.structs.replace(stored.server, **replaced)
            await self._save(msgspec.structs.replace(stored, server=server))
        return await self.get(name, principal)

    async def remove(self, name: str, principal: Principal) -> None:
        """Delete a tool server and its secrets. Agents that list it are not changed.

        Raises `NotFound`, and `NotAllowed` outside the browser and unless the caller is its owner or an administrator.
        A damaged one can be deleted by an administrator or with the server's shared login; for others it is `NotFound`.
        """
        async with self._changing:
            try:
                server = (await self._mine(name, principal)).server
            except Malformed:  # nobody knows whose it is
                if not _looks_after_all(principal):
                    raise NotFound(NO_SUCH.format(name=name)) from None
                server = None
            await asyncio.to_thread(self._store.remove, name)
        self._tell(name, server)

    async def _started(
        self, stored: Stored, program: str, arguments: tuple[str, ...], environment: Mapping[str, str]
    ) -> Stored:
        """Return what is stored of a tool server that a program starts. Raises `Invalid`."""
        command = await asyncio.to_thread(rules.command, program, arguments, self._inspection.search_path)
        values = rules.environment(environment)
        server = msgspec.structs.replace(stored.server, command=command, variables=tuple(values))
        return msgspec.structs.replace(stored, server=server, environment=values)

    async def _changed(self, stored: Stored, change: ToolServerChange, principal: Principal) -> Stored:
        """Return what is stored after a change of how it is started or reached. Raises `Invalid`."""
        before = stored.server
        starts = (change.program, change.arguments, change.environment) != (None, None, None)
        if before.address:
            if starts:
                raise Invalid(EITHER, field="program")
            address = before.address if change.address is None else change.address
            values = _merged(stored.headers, change.headers, "headers")
            is_other = address != before.address or change.headers is not None
            return _reached(stored, address, values, principal) if is_other else stored
        if change.address is not None or change.headers is not None:
            raise Invalid(EITHER, field="address")
        if not starts:
            return stored
        program, *arguments = before.command
        return await self._started(
            stored,
            program if change.program is None else change.program,
            tuple(arguments) if change.arguments is None else change.arguments,
            _merged(stored.environment, change.environment, "environment"),
        )

    async def _load(self, name: str, principal: Principal) -> Stored:
        stored = await asyncio.to_thread(self._store.load, rules.known_name(name))
        if stored is None or not _may_see(principal, stored.server):
            raise NotFound(NO_SUCH.format(name=name))
        return stored

    async def _mine(self, name: str, principal: Principal) -> Stored:
        """Return a tool server that the person may change. Raises `NotFound`, `NotAllowed`."""
        _require_person(principal)
        stored = await self._load(name, principal)
        if not owns(principal, stored.server.owner):
            raise NotAllowed(f"The tool server {name} belongs to {stored.server.owner}. Only they can change it.")
        return stored

    async def _save(self, stored: Stored) -> None:
        await asyncio.to_thread(self._store.save, stored)
        self._tell(stored.server.name, stored.server)

    def _tell(self, name: str, server: ToolServer | None) -> None:
        """Announce a change to whoever may see the tool server. None: it could not be read."""
        is_public = server is None or server.shared
        scope = Scope(owner=server.owner if server else "", visibility="server" if is_public else "private")
        self._bus.publish(ToolServersChanged(name=name, at=self._clock.now()), scope)

    async def _agents(self, principal: Principal) -> Mapping[str, tuple[str, ...]]:
        """Return the agents that list each tool server, of those that the person may see."""
        found: dict[str, tuple[str, ...]] = {}
        for entry in await self._roster.find(principal):
            for name in dict.fromkeys(entry.files.persona.tool_servers if entry.files.persona else ()):
                found[name] = (*found.get(name, ()), entry.slug)
        return found

    def _view(self, stored: Stored, agents: Mapping[str, tuple[str, ...]], principal: Principal) -> ToolServerView:
        server = stored.server
        mine = owns(principal, server.owner)
        redactor = header_redactor(stored.headers)
        return ToolServerView(
            name=server.name,
            owner=server.owner,
            mine=mine,
            shared=server.shared,
            command=server.command if mine else server.command[:1],
            variables=server.variables if mine else (),
            address=server.address if mine or not server.address else remote.shortened(server.address),
            headers=server.headers if mine else (),
            tools=tuple(_without_secrets(tool, redactor, mine=mine) for tool in rules.compared(server)),
            agents=agents.get(server.name, ()),
            problem=server.problem if mine or not server.problem else OF_OTHERS.format(owner=server.owner),
            warnings=rules.warnings(server, self._root) if mine else (),
            looked_at=server.looked_at,
            hash=rules.hash_of(server),
            proposal=server.proposal if mine else None,
        )

    def _count_proposed(self, names: list[str], owner: str) -> int:
        """Return how many proposals wait for a person. Blocks."""
        count = 0
        for name in names:
            with contextlib.suppress(Malformed):
                stored = self._store.load(name)
                server = stored.server if stored is not None else None
                count += server is not None and server.proposal is not None and server.owner == owner
        return count


def _state_of(view: ToolServerView) -> str:
    """Return what an agent may know about a tool server, as a sentence."""
    approved = sum(tool.state == "approved" for tool in view.tools)
    return f"{approved} of its tools are approved." if approved else "Nobody has approved a tool of it."


def _require_person(principal: Principal) -> None:
    if not principal.in_browser:
        raise NotAllowed(ONLY_PEOPLE)


def _looks_after_all(principal: Principal) -> bool:
    return principal.shared_token or principal.administrator


def _may_see(principal: Principal, server: ToolServer) -> bool:
    return server.shared or owns(principal, server.owner)


def _is_same_way(one: Stored, other: Stored) -> bool:
    """Return whether both are started or reached in the same way."""
    ways = [(each.server.command, each.environment, each.server.address, each.headers) for each in (one, other)]
    return ways[0] == ways[1]


def _without_secrets(tool: ToolView, redactor: Redactor, *, mine: bool) -> ToolView:
    """Return a tool that does not repeat a header: a remote tool server gets it, and writes the descriptions."""
    return msgspec.structs.replace(
        tool,
        name=tool.name if mine else redactor.redact(tool.name),
        description=redactor.redact(tool.description),
        schema=redacted(tool.schema, redactor),
        before=redactor.redact(tool.before),
        schema_before=redacted(tool.schema_before, redactor),
    )


def _reached(stored: Stored, address: str, headers: Mapping[str, str], principal: Principal) -> Stored:
    """Return what is stored of a remote tool server. Raises `Invalid`, `NotAllowed`."""
    values = remote.headers(headers)
    if remote.names_variables(values) and not _looks_after_all(principal):
        raise NotAllowed(NO_VARIABLES)
    server = msgspec.structs.replace(stored.server, address=remote.address(address), headers=tuple(values))
    return msgspec.structs.replace(stored, server=server, headers=values)


def _merged(before: Mapping[str, str], change: Mapping[str, str | None] | None, field: str) -> dict[str, str]:
    """Return the secret values after a change. Raises `Invalid` for a kept value that does not exist."""
    if change is None:
        return dict(before)
    missing = [name for name, value in change.items() if value is None and name not in before]
    if missing:
        raise Invalid(f"{missing[0][:100]} has no value yet. Enter one.", field=field)
    return {name: before[name] if value is None else value for name, value in change.items()}
