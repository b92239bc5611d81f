"""Which runs are isolated, and what they see."""

from __future__ import annotations

import asyncio
import errno
import os
import shutil
import socket
from pathlib import Path
from typing import Any

import msgspec
import pytest
from harness.agents import heartbeat, make
from harness.backend import ADA, Place, ended, submit_in_terminal
from harness.bubblewrap import NEEDS_BUBBLEWRAP

from jupyter_cabinet.agents.files.persona import Persona
from jupyter_cabinet.agents.run_kinds.agent_runs import _is_within
from jupyter_cabinet.backend import Backend
from jupyter_cabinet.core.clock import SystemClock
from jupyter_cabinet.core.errors import Invalid, NotFound
from jupyter_cabinet.core.redaction import Redactor
from jupyter_cabinet.execution.sandbox import sandbox_record
from jupyter_cabinet.execution.sandbox.isolation import (
    IsolatedOrder,
    Isolation,
    egress_of,
    installation,
    needs_of,
    obstacle,
    recorded,
    view_of,
)
from jupyter_cabinet.execution.sandbox.sandbox_record import load
from jupyter_cabinet.execution.settings import Surroundings
from jupyter_cabinet.runs.model import Run, Trigger
from jupyter_cabinet.runs.settings import RunSettings
from jupyter_cabinet.runtimes.claude.runtime import Claude
from jupyter_cabinet.runtimes.sandbox_needs import SandboxNeeds
from jupyter_cabinet.sandboxes import probe
from jupyter_cabinet.sandboxes.egress.host_rules import AllowedHost, Egress, address_allowed, decide
from jupyter_cabinet.sandboxes.view import PLACE_NAMES, SandboxView

pytestmark = NEEDS_BUBBLEWRAP
ALWAYS = RunSettings(sandbox="always", default_permission_mode="edit")


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


async def unattended_run(backend: Backend) -> Run:
    """A run as a changed file would start it."""
    new = {"instruction": "Add a line.", "runtime": "demo", "kind": "editor", "path": "a.md"}
    trigger = Trigger(kind="event", username="ada", display_name="Ada")
    return await ended(backend, await backend.runs.submit(backend.runs.kinds.convert(new), ADA, trigger=trigger))


async def test_an_isolated_run_changes_its_document_and_says_that_it_is_isolated(place: Place) -> None:
    async with place.backend(runs=ALWAYS) as backend:
        run = await ended(backend, await submit_in_terminal(backend, "Add a line."))
    assert (run.state, run.isolated) == ("succeeded", True), run
    assert run.warnings == ()
    assert place.document.read_text() != "# A\n"
    assert sorted(path.name for path in place.root.iterdir() if path.name != ".cabinet") == [".agents", "a.md"]


async def test_only_runs_that_no_person_has_started_are_isolated_by_default(place: Place) -> None:
    async with place.backend() as backend:
        mine = await ended(backend, await submit_in_terminal(backend, "Add a line."))
        new = backend.runs.kinds.convert(
            {"instruction": "Add a line.", "runtime": "demo", "kind": "editor", "path": "a.md"}
        )
        trigger = Trigger(kind="event", username="ada", display_name="Ada")
        unattended = await ended(backend, await backend.runs.submit(new, ADA, trigger=trigger))
    assert (mine.isolated, unattended.isolated) == (False, True)
    assert unattended.state == "succeeded", unattended.reason


async def test_a_person_chooses_whether_a_run_is_isolated_where_the_setting_leaves_that_open(place: Place) -> None:
    async with place.backend() as backend:
        isolated = await ended(backend, await submit_in_terminal(backend, "Add a line.", isolate=True))
        assert (isolated.isolate, isolated.isolated, isolated.state) == (True, True, "succeeded"), isolated
        open_one = await ended(backend, await submit_in_terminal(backend, "Add a line.", isolate=False))
        assert (open_one.isolated, open_one.state) == (False, "succeeded")
    for setting, choice in (("always", False), ("never", True)):
        async with place.backend(runs=RunSettings(sandbox=setting)) as backend:
            with pytest.raises(Invalid, match=r"CabinetApp\.sandbox") as refusal:
                await submit_in_terminal(backend, "Add a line.", isolate=choice)
            assert refusal.value.detail["field"] == "isolate"
            assert (
                await ended(backend, await submit_in_terminal(backend, "Add a line.", isolate=not choice))
            ).isolated != choice


async def test_an_agent_that_works_only_isolated_does_so_whoever_starts_it(place: Place) -> None:
    async with place.backend() as backend:
        await make(backend, "ada", isolate=True)
        assert (await heartbeat(backend, "ada")).isolated
        new = {"kind": "message", "agent": "ada", "instruction": "hello"}
        run = await ended(backend, await backend.runs.submit(backend.runs.kinds.convert(new), ADA))
        assert (run.state, run.isolated) == ("succeeded", True), run.reason
        with pytest.raises(Invalid, match="may only work isolated"):
            await backend.runs.submit(backend.runs.kinds.convert({**new, "isolate": False}), ADA)
    async with place.backend(runs=RunSettings(sandbox="never")) as backend:
        with pytest.raises(Invalid, match="No run is isolated on this server"):
            await backend.runs.submit(backend.runs.kinds.convert(new), ADA)


async def test_a_run_queued_before_its_agent_had_to_be_isolated_is_not_within_its_powers_any_more() -> None:
    run = Run(
        id="r",
        kind="heartbeat",
        state="queued",
        instruction="x",
        runtime="demo",
        runtime_title="Demo",
        permission_mode="edit",
        mode="headless",
        session_id="s",
        owner="ada",
        trigger=Trigger(kind="schedule", username="ada", display_name="Ada"),
        visibility="server",
        queued_at=SystemClock().now(),
    )
    persona = Persona(slug="ada", name="Ada", tool_preset="full")
    assert _is_within(run, persona)
    only_isolated = msgspec.structs.replace(persona, isolate=True)
    assert not _is_within(run, only_isolated)
    assert _is_within(msgspec.structs.replace(run, isolate=True), only_isolated)


async def test_a_chosen_isolation_that_is_not_possible_refuses_the_run(place: Place) -> None:
    async with place.backend(environment={"HOME": str(place.root / "home")}) as backend:
        run = await ended(backend, await submit_in_terminal(backend, "Add a line.", isolate=True))
    assert run.state == "failed" and "has to be isolated" in run.reason
    assert place.document.read_text() == "# A\n"


@pytest.mark.long(reason="waits for a second probe")
async def test_a_sandbox_that_fails_is_a_warning_and_is_tried_again_later(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fails() -> probe.SandboxState:
        return probe.SandboxState(works=False, reason="The disk is full.")

    async with place.backend() as backend:
        with monkeypatch.context() as patch:
            patch.setattr(backend.executor.sandbox_check, "_probe", fails)
            run = await unattended_run(backend)
        assert (run.isolated, run.warnings) == (False, ("This run was not isolated. The disk is full.",))
        assert not (await unattended_run(backend)).isolated, "not with each run"
        monkeypatch.setattr(probe, "PROBE_AGAIN_SECONDS", 0)
        again = await unattended_run(backend)
        assert again.isolated, again.warnings


async def test_a_link_in_place_of_a_working_folder_does_not_get_a_run_out_of_its_sandbox(place: Place) -> None:
    """An agent that works in a folder above could create it."""
    (place.root / ".agents" / "bob").mkdir(parents=True)
    (place.root / "sub").symlink_to(place.root / ".agents" / "bob")
    async with place.backend() as backend:
        new = backend.runs.kinds.convert({"instruction": "Add a line.", "runtime": "demo", "cwd": "sub"})
        trigger = Trigger(kind="event", username="ada", display_name="Ada")
        run = await ended(backend, await backend.runs.submit(new, ADA, trigger=trigger))
    assert run.state == "failed" and "sub is or contains a symbolic link" in run.reason


async def test_what_an_isolated_run_could_see_and_has_reached_is_kept(place: Place) -> None:
    async with place.backend() as backend:
        isolated = await ended(backend, await submit_in_terminal(backend, "Add a line.", isolate=True))
        record = await backend.runs.files.sandbox(isolated.id, ADA)
        assert record.folder == str(place.root) and record.changed[-1] == str(place.root)
        assert f"{place.root}/.git/hooks/" in record.fixed and "/usr" in record.read
        assert (record.every_public_host, record.reached, record.refused) == (False, {}, {})
        other = await ended(backend, await submit_in_terminal(backend, "Add a line.", isolate=False))
        with pytest.raises(NotFound, match="was not isolated"):
            await backend.runs.files.sandbox(other.id, ADA)


async def test_a_name_that_is_not_text_does_not_keep_a_run_from_being_isolated(place: Place) -> None:
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(os.fsencode(place.root) + b"/\xff-door")
        async with place.backend() as backend:
            run = await ended(backend, await submit_in_terminal(backend, "Add a line.", isolate=True))
            assert run.state == "succeeded", run.reason
            assert any("-door" in path for path in (await backend.runs.files.sandbox(run.id, ADA)).hidden)


async def test_a_record_that_cannot_be_written_does_not_fail_the_run(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, content: bytes) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(sandbox_record.files, "replace", full)
    record = sandbox_record.record_of(SandboxView(folder="/a", home="/b"), Egress(mode="none"))
    sandbox_record.save(record, place.root)
    with pytest.raises(NotFound):
        sandbox_record.load(place.root, beneath=place.root)


async def test_connections_are_counted_for_the_run_that_makes_them(tmp_path: Path) -> None:
    """A CLI that stays open in its sandbox works for several runs."""
    places = places_of(tmp_path)
    (directory := tmp_path / "d").mkdir()
    made = Isolation.prepare(
        order(places.root),
        SandboxNeeds(),
        kept_environment=(),
        run_directory=directory,
        aside=tmp_path / "aside",
        places=places,
        on_refused=lambda sentence: None,
    )
    await made.open()
    try:
        async with recorded(made, "first"):
            await refused_connection(directory)
        async with recorded(made, "second"):
            await refused_connection(directory)
            await refused_connection(directory)
    finally:
        await made.close()
    for name, count in (("first", 1), ("second", 2)):
        record = load(places.run_folder(name), beneath=places.state_folder)
        assert (record.reached, record.refused) == ({}, {"example.com:443": count})


async def refused_connection(directory: Path) -> None:
    reader, writer = await asyncio.open_unix_connection(str(directory / "proxy"))
    writer.write(b"CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n")
    assert b"403" in await reader.readline()
    writer.close()


async def test_a_run_in_the_home_folder_is_refused_or_says_that_it_was_not_isolated(place: Place) -> None:
    home = {"HOME": str(place.root / "home")}
    async with place.backend(runs=ALWAYS, environment=home) as backend:
        refused = await ended(backend, await submit_in_terminal(backend, "Add a line."))
    assert refused.state == "failed"
    assert "has to be isolated. Its folder is or contains the home folder" in refused.reason
    async with place.backend(environment=home) as backend:
        new = backend.runs.kinds.convert(
            {"instruction": "Add a line.", "runtime": "demo", "kind": "editor", "path": "a.md"}
        )
        trigger = Trigger(kind="event", username="ada", display_name="Ada")
        run = await ended(backend, await backend.runs.submit(new, ADA, trigger=trigger))
    assert (run.state, run.isolated) == ("succeeded", False), run.reason
    assert [warning for warning in run.warnings if "This run was not isolated" in warning], run.warnings


async def test_a_program_that_is_no_known_agent_is_not_isolated(place: Place) -> None:
    async with place.backend(runs=ALWAYS) as backend:
        new = {"kind": "manual", "instruction": "", "command": ["/bin/true"], "mode": "terminal"}
        run = await ended(backend, await backend.runs.submit(backend.runs.kinds.convert(new), ADA))
    assert run.state == "failed" and "not known which files and hosts it needs" in run.reason


# --- the view --------------------------------------------------------------------------------------


def places_of(tmp_path: Path, **environment: str) -> Surroundings:
    for name in ("root", "home"):
        (tmp_path / name).mkdir(exist_ok=True)
    return Surroundings(
        root=tmp_path / "root",
        state_folder=tmp_path / "root" / ".cabinet",
        run_directories=tmp_path / "d",
        environment={"HOME": str(tmp_path / "home"), "PATH": "/usr/bin", **environment},
        redactor=Redactor(()),
        clock=SystemClock(),
    )


def order(folder: Path, **fields: Any) -> IsolatedOrder:
    values = {"agent": None, "network": (), "read_only": False, "program": "/usr/bin/true"}
    return IsolatedOrder(folder=folder, **{**values, **fields})


def test_an_agent_sees_its_own_folder_and_no_other_agent(tmp_path: Path) -> None:
    places = places_of(tmp_path)
    for slug in ("ada", "bob"):
        (places.root / ".agents" / slug / "workspace").mkdir(parents=True)
    agents = places.root / ".agents"
    view = view_of(order(places.root, agent="ada"), SandboxNeeds(), tmp_path / "d", places)
    assert f"{agents}/" in view.hidden and str(agents / "ada") in view.read
    assert view.write == (str(places.root), str(agents / "ada" / "workspace"))
    others = view_of(order(places.root), SandboxNeeds(), tmp_path / "d", places)
    assert f"{agents}/" in others.fixed and f"{agents}/" not in others.hidden
    assert f"{places.root}/.playbooks/" in view.fixed


def test_a_folder_that_a_cli_could_change_only_by_asking_is_read_only(tmp_path: Path) -> None:
    places = places_of(tmp_path)
    view = view_of(order(places.root, read_only=True), SandboxNeeds(), tmp_path / "d", places)
    assert str(places.root) in view.read and view.write == ()


@pytest.mark.parametrize("read_only", [False, True])
def test_a_socket_in_the_folder_is_hidden_also_if_the_folder_is_read_only(tmp_path: Path, read_only: bool) -> None:
    places = places_of(tmp_path)
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(str(places.root / "door"))
        view = view_of(order(places.root, read_only=read_only), SandboxNeeds(), tmp_path / "d", places)
    assert str(places.root / "door") in view.hidden


def test_the_settings_of_a_linked_worktree_elsewhere_are_read_only(tmp_path: Path) -> None:
    places = places_of(tmp_path)
    tree = places.root / ".git" / "worktrees" / "elsewhere"
    tree.mkdir(parents=True)
    fixed = view_of(order(places.root), SandboxNeeds(), tmp_path / "d", places).fixed
    assert {f"{tree}/commondir", f"{tree}/config.worktree"} <= set(fixed)


async def test_where_git_takes_hooks_from_is_read_only_or_does_not_stay(tmp_path: Path) -> None:
    places = places_of(tmp_path)
    (tmp_path / "d").mkdir()
    (places.root / ".git").mkdir()
    (places.root / ".git" / "config").write_text("[core]\n\thooksPath = .githooks\n[include]\n\tpath = config\n")
    isolation = await opened(places, tmp_path / "d")
    fixed = isolation.view.fixed
    assert fixed.count(f"{places.root}/.git/config") == 1 and f"{places.root}/.githooks" not in fixed
    (places.root / ".githooks").mkdir()
    (warning,) = await isolation.close()
    assert f"The run created {places.root}/.githooks, which could act later." in warning
    assert not (places.root / ".githooks").exists()

    (places.root / ".githooks").mkdir()
    isolation = await opened(places, tmp_path / "d")
    assert f"{places.root}/.githooks" in isolation.view.fixed
    assert await isolation.close() == [] and (places.root / ".githooks").exists()


@pytest.mark.parametrize("name", ["", ".agents/ada", ".playbooks/x", "private/inner"])
def test_a_folder_in_which_isolation_would_promise_too_much_is_refused(tmp_path: Path, name: str) -> None:
    places = msgspec.structs.replace(places_of(tmp_path), private_paths=(str(tmp_path / "root" / "private"),))
    folder = places.root / name if name else tmp_path
    assert obstacle(folder, SandboxNeeds(), "Claude Code", places)
    assert not obstacle(places.root / "work", SandboxNeeds(), "Claude Code", places)
    assert not obstacle(places.root / ".agents/ada/workspace", SandboxNeeds(), "Claude Code", places)


def test_a_linked_folder_of_a_cli_is_refused_because_inside_it_would_lead_elsewhere(tmp_path: Path) -> None:
    places = places_of(tmp_path)
    (tmp_path / "dotfiles").mkdir()
    (tmp_path / "home" / ".claude").symlink_to(tmp_path / "dotfiles")
    needs = needs_of(Claude(), places.environment)
    assert "symbolic link" in obstacle(places.root, needs, "Claude Code", places)


def test_a_home_behind_a_link_is_seen_at_its_real_path(tmp_path: Path) -> None:
    places = places_of(tmp_path)
    (tmp_path / "link").symlink_to(tmp_path / "home")
    environment = {**places.environment, "HOME": str(tmp_path / "link")}
    needs = needs_of(Claude(), environment)
    assert needs is not None and needs.state == (f"{tmp_path}/home/.claude/",)


def test_the_network_of_an_agent_comes_on_top_of_its_model_service() -> None:
    needs = SandboxNeeds(hosts=("api.anthropic.com",), urls=("http://localhost:11434/v1",))
    nothing = egress_of((), needs, ())
    assert (nothing.mode, nothing.local) == ("hosts", ("localhost:11434",))
    assert "api.anthropic.com" in nothing.hosts and "pypi.org" not in nothing.hosts
    assert {"pypi.org", "example.com"} <= set(egress_of(("packages", "example.com"), needs, ()).hosts)
    assert egress_of(("open",), needs, ()).mode == "open"


def test_a_remote_tool_server_is_reached_at_exactly_its_port() -> None:
    needs = SandboxNeeds()
    egress = egress_of((), needs, (), ("https://tools.example.com/mcp", "http://localhost:9000/mcp?x=1"))
    assert egress.hosts == ("localhost:9000", "tools.example.com:443", "localhost:9000")
    assert egress.local == ("localhost:9000",)
    assert egress_of(("open",), needs, (), ("http://127.0.0.1:9000/",)).local == ("127.0.0.1:9000",)
    assert isinstance(decide(egress, "tools.example.com", 443), AllowedHost)
    assert not isinstance(decide(egress, "tools.example.com", 80), AllowedHost)
    assert not address_allowed(egress, "10.0.0.1", "tools.example.com", 443)  # not in a private network


@pytest.mark.parametrize(
    ("made", "program", "visible"),
    [
        ("npm/lib/node_modules/@openai/codex/bin/codex.js", "npm/bin/codex", {"npm/bin", "npm/lib/node_modules"}),
        (".volta/bin/volta-shim", ".volta/bin/claude", {".volta"}),
        ("env/bin/agent", "env/bin/agent", {"env"}),
        ("share/claude/versions/2.1/claude", "bin/claude", {"bin", "share/claude/versions/2.1"}),
    ],
)
def test_the_installation_of_a_cli_is_found_from_its_program(
    tmp_path: Path, made: str, program: str, visible: set[str]
) -> None:
    file, link = tmp_path / made, tmp_path / program
    for path in (file, link):
        path.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("#!/usr/bin/env -S sh\n")
    if file != link:
        link.symlink_to(file)
    if made.startswith("env/"):
        (tmp_path / "env" / "pyvenv.cfg").touch()
    found = installation(str(link), {"HOME": str(tmp_path / "home"), "PATH": "/usr/bin"})
    assert {str(tmp_path / each) for each in visible} == {path for path in found if path.startswith(str(tmp_path))}


async def opened(places: Surroundings, run_directory: Path) -> Isolation:
    isolation = Isolation.prepare(
        order(places.root),
        SandboxNeeds(),
        kept_environment=(),
        run_directory=run_directory,
        aside=places.state_folder / "aside",
        places=places,
        on_refused=lambda sentence: None,
    )
    await isolation.open()
    return isolation


async def test_what_a_run_created_where_it_could_act_later_is_moved_away(tmp_path: Path) -> None:
    places = places_of(tmp_path)
    (tmp_path / "d").mkdir()
    isolation = await opened(places, tmp_path / "d")
    (places.root / ".codex").mkdir()
    (places.root / ".codex" / "config.toml").touch()
    (places.root / ".git").mkdir()
    (places.root / ".git" / "commondir").write_text("../elsewhere")
    (places.root / ".mcp.json").write_text('{"mcpServers": {}}')
    warnings = await isolation.close()
    assert not (places.root / ".codex").exists()
    assert [*(places.state_folder / "aside").glob("*/.codex/config.toml")]
    assert [*(places.state_folder / "aside").glob("*/commondir")] and not [*(places.root / ".git").iterdir()]
    assert len(warnings) == 3 and ".mcp.json was changed from outside" in warnings[0]


async def test_a_run_that_takes_away_its_owner_rights_does_not_prevent_the_removal(tmp_path: Path) -> None:
    places = places_of(tmp_path)
    for folder in (tmp_path / "d", places.root / ".git"):
        folder.mkdir()
    isolation = await opened(places, tmp_path / "d")
    (places.root / ".envrc").touch()
    (places.root / ".codex").mkdir()
    (places.root / ".codex" / "config.toml").touch()
    (places.root / ".git" / "commondir").touch()
    for folder in (places.root / ".codex", places.root / ".git", places.root):
        folder.chmod(0)
    warnings = await isolation.close()
    assert len([warning for warning in warnings if "It was moved to" in warning]) == 3, warnings
    assert not (places.root / ".codex").exists() and not (places.root / ".envrc").exists()


async def test_what_cannot_be_moved_away_is_named_and_the_rest_is_moved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    places = places_of(tmp_path)
    (tmp_path / "d").mkdir()
    isolation = await opened(places, tmp_path / "d")
    for name in (".codex", ".envrc"):
        (places.root / name).touch()
    move = shutil.move

    def refuses_one(source: Path, target: Path) -> object:
        if source.name == ".codex":
            raise PermissionError(13, "Permission denied")
        return move(source, target)

    monkeypatch.setattr(shutil, "move", refuses_one)
    refused, moved = await isolation.close()
    assert ".codex" in refused and "Remove it" in refused and "Permission denied" in refused
    assert ".envrc" in moved and not (places.root / ".envrc").exists()


def test_what_a_sandbox_creates_in_a_working_folder_is_known_to_those_who_look_there(tmp_path: Path) -> None:
    view = view_of(order(tmp_path / "root"), SandboxNeeds(), tmp_path / "d", places_of(tmp_path))
    created = {Path(path).relative_to(view.folder).parts[0] for path in view.fixed}
    assert created - {".git"} == PLACE_NAMES


async def test_an_isolated_cli_that_stays_open_changes_only_its_document(place: Place) -> None:
    async with place.backend(runs=ALWAYS) as backend:
        run = await ended(backend, await submit_in_terminal(backend, "Add a line."))
        assert (place.root / ".mcp.json").read_bytes() == b"{}"  # it is open
        assert (run.state, run.isolated) == ("succeeded", True), run.reason
        assert run.changed is not None
        files = [change.path for change in (await backend.changes.of(run.id)).files]
    assert (files, run.warnings) == (["a.md"], ())


async def test_an_isolated_run_cannot_add_a_hook_where_git_would_find_it(place: Place) -> None:
    (place.root / ".git").mkdir()
    (place.root / ".git" / "config").write_text("[core]\n\thooksPath = .githooks\n")
    (place.root / ".githooks").mkdir()
    async with place.backend(runs=msgspec.structs.replace(ALWAYS, allow_bypass=True)) as backend:
        for file in (".githooks/pre-commit", "other.txt"):
            run = await ended(backend, await submit_in_terminal(backend, f"run touch {file}", permission_mode="bypass"))
            assert run.isolated
    assert (place.root / "other.txt").exists() and not [*(place.root / ".githooks").iterdir()]
