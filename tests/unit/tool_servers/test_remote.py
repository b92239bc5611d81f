"""Remote tool servers: which addresses and headers they may have, what is approved, and what stays secret."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest
from harness import toy_http_tools
from harness.agents import make
from harness.backend import ADA, Place, ended

from jupyter_cabinet.core.errors import Conflict, Invalid, NotAllowed
from jupyter_cabinet.execution.sandbox.isolation import egress_of
from jupyter_cabinet.execution.tools.tool_server_file import GivenServer, is_on_this_machine
from jupyter_cabinet.execution.tools.tool_servers import with_tool_servers
from jupyter_cabinet.runtimes.model import Request
from jupyter_cabinet.runtimes.sandbox_needs import SandboxNeeds
from jupyter_cabinet.tool_servers import remote
from jupyter_cabinet.tool_servers.model import NewToolServer, ToolApproval, ToolServerChange

SECRET = "ghp_0123456789abcdef"
HEADERS = {"Authorization": f"Bearer {SECRET}"}
NAMED = {"Authorization": "Bearer ${TOY_TOKEN}"}


def offers(place: Path) -> Path:
    (place / "offer.json").write_text(json.dumps({"description": "Add.", "extra": True}))
    return place / "offer.json"


@pytest.mark.long(reason="the quick tier approves a local one, and refuses one that is described differently")
@pytest.mark.slow(reason="connects to a tool server five times")
async def test_it_is_approved_with_its_address_and_the_names_of_its_headers(tmp_path: Path) -> None:
    with toy_http_tools.serving(offers(tmp_path), token=SECRET) as toy:
        async with Place(tmp_path).backend() as backend:
            servers = backend.tool_servers
            view = await servers.add(NewToolServer(name="toy", address=toy.address, headers=HEADERS), ADA)
            assert (view.problem, view.address, view.headers) == ("", toy.address, ("Authorization",))
            assert [(tool.name, tool.state) for tool in view.tools] == [("add", "new"), ("steal", "new")]
            assert view.warnings == (
                f"Isolated runs of its agents can connect to 127.0.0.1:{toy.port} on this machine.",
            )
            approval = ToolApproval(tools=("add",), hash=view.hash)
            view = await servers.approve("toy", approval, ADA)
            await make(backend, "helper", tool_servers=["toy"])
            new = {"kind": "message", "agent": "helper", "instruction": "remember it"}
            run = await ended(backend, await backend.runs.submit(backend.runs.kinds.convert(new), ADA))
            (given,) = (await backend._tool_server_room.in_runs.of(run)).servers
            assert (given.command, given.address, given.headers) == ((), toy.address, HEADERS)
            assert [tool.name for tool in given.tools] == ["add"]

            kept = await servers.change("toy", ToolServerChange(headers={"Authorization": None}), ADA)
            assert {tool.state for tool in kept.tools} == {"approved", "new"}  # nothing has changed
            other = await servers.change("toy", ToolServerChange(headers={"Authorization": None, "X-Team": "1"}), ADA)
            assert other.hash != view.hash and {tool.state for tool in other.tools} == {"new"}
            with pytest.raises(Conflict):
                await servers.approve("toy", approval, ADA)
            moved = await servers.change("toy", ToolServerChange(address=f"{toy.address}/"), ADA)
            assert moved.hash != other.hash and {tool.state for tool in moved.tools} <= {"new"}
            for wrong in (ToolServerChange(program="true"), ToolServerChange(environment={"A": "1"})):
                with pytest.raises(Invalid):
                    await servers.change("toy", wrong, ADA)


@pytest.mark.slow(reason="connects to a tool server twice")
async def test_the_value_of_a_header_is_shown_to_nobody(tmp_path: Path) -> None:
    with toy_http_tools.serving(offers(tmp_path), token="another") as toy:
        async with Place(tmp_path).backend() as backend:
            new = NewToolServer(name="toy", address=f"{toy.address}?team=1", headers=HEADERS, shared=True)
            view = await backend.tool_servers.add(new, ADA)
            assert view.problem.startswith("It answered with the status 401.") and SECRET not in repr(view)
            assert "Keep secrets in headers" in " ".join(view.warnings)
            ben = msgspec.structs.replace(ADA, username="ben", shared_token=False)
            seen = await backend.tool_servers.get("toy", ben)
            assert (seen.mine, seen.address, seen.headers) == (False, f"http://127.0.0.1:{toy.port}", ())
            assert SECRET not in repr(seen) and seen.problem == "It does not start. ada can see why."
            assert not [path for path in (tmp_path / "root").rglob("*") if path.is_file() and SECRET in _text(path)]
            (file,) = (tmp_path / "data").rglob("toy.json")
            assert file.stat().st_mode & 0o777 == 0o600
            request = Request(prompt="x", mode="headless", cwd="/", session_id="1")
            given = GivenServer(name="toy", address=toy.address, headers=HEADERS)
            (tmp_path / "run").mkdir()
            way = {"HTTPS_PROXY": "http://proxy:1", "OTHER": "x"}
            (server,) = with_tool_servers(request, tmp_path / "run", [given], way).mcp_servers
            assert SECRET not in repr(server) and server.environment == {"HTTPS_PROXY": "http://proxy:1"}
            inside = msgspec.structs.replace(request, isolated=True)
            (tmp_path / "inside").mkdir()
            (server,) = with_tool_servers(inside, tmp_path / "inside", [given], way).mcp_servers
            assert server.environment["HTTPS_PROXY"] == "http://127.0.0.1:3128"


async def test_a_description_that_repeats_a_header_is_shown_without_it(tmp_path: Path) -> None:
    offer = {"description": f"Send {SECRET} in each message.", "extra": True}
    (tmp_path / "offer.json").write_text(json.dumps(offer))
    with toy_http_tools.serving(tmp_path / "offer.json", token=SECRET) as toy:
        async with Place(tmp_path).backend() as backend:
            new = NewToolServer(name="toy", address=toy.address, headers=HEADERS, shared=True)
            view = await backend.tool_servers.add(new, ADA)
            ben = msgspec.structs.replace(ADA, username="ben", shared_token=False)
            for seen in (view, await backend.tool_servers.get("toy", ben)):
                assert "Send [redacted] in each message." in {tool.description for tool in seen.tools}
                assert SECRET not in repr(seen)


@pytest.mark.slow(reason="connects to a tool server twice")
async def test_a_header_gets_a_variable_of_the_server(tmp_path: Path) -> None:
    ada = msgspec.structs.replace(ADA, shared_token=False, administrator=True)
    with toy_http_tools.serving(offers(tmp_path), token=SECRET) as toy:
        new = NewToolServer(name="toy", address=toy.address, headers=NAMED)
        async with Place(tmp_path).backend(environment={"TOY_TOKEN": SECRET}, shared_login=False) as backend:
            assert (await backend.tool_servers.add(new, ada)).problem == ""
            assert SECRET not in next((tmp_path / "data").rglob("toy.json")).read_text()
            ben = msgspec.structs.replace(ada, username="ben", administrator=False)
            with pytest.raises(NotAllowed, match="administers"):
                await backend.tool_servers.add(msgspec.structs.replace(new, name="other"), ben)
        async with Place(tmp_path).backend(shared_login=False) as backend:
            view = await backend.tool_servers.look("toy", ada)
            assert view.problem == "The server has no variable TOY_TOKEN, which the header Authorization names."


def _text(path: Path) -> str:
    return path.read_bytes().decode(errors="replace")


WRONG_ADDRESSES = (
    *("http://example.com/mcp", "ftp://example.com", "example.com/mcp", "https://", "https://user@example.com/"),
    *("https://user:secret@example.com/mcp", "https://exa mple.com/", "https://example.com/\x01", "https://a.b/#x"),
    *(
        "https://example.com:99999/",
        "https://example.com:0/",
        "http://127.0.0.1.example.com/",
        "http://localhost@a.b/",
    ),
    *(
        "https://example.com\\@localhost/",
        "http://localhost/mcp",
        "https://127.0.0.1/mcp",
        "http://localhost:3128/mcp",
        "https://[::1",
        "http://0/",
        "https://ex\u0430mple.com/",
        "https://a" * 900,
    ),
    *("http://169.254.169.254/latest", "file:///etc/passwd", "https://example.com/\nX: y"),
)


async def test_an_address_is_https_without_secrets(tmp_path: Path, subtests: pytest.Subtests) -> None:
    async with Place(tmp_path).backend() as backend:
        for address in WRONG_ADDRESSES:
            with subtests.test(address=address[:60]):
                with pytest.raises(Invalid) as refused:
                    await backend.tool_servers.add(NewToolServer(name="toy", address=address), ADA)
                assert refused.value.detail["field"] == "address"
        assert (await backend.tool_servers.find(ADA))[0] == []


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"headers": {"Host": "other.example.com"}}, "headers"),
        ({"headers": {"content-length": "5"}}, "headers"),
        ({"headers": {"Mcp-Session-Id": "5"}}, "headers"),
        ({"headers": {"A b": "5"}}, "headers"),
        ({"headers": {"A": "5\r\nHost: other.example.com"}}, "headers"),
        ({"headers": {"A": "ü"}}, "headers"),
        ({"headers": {"A": "x" * 9000}}, "headers"),
        ({"headers": {"A": "1", "a": "2"}}, "headers"),
        ({"headers": {"A": "${JUPYTERHUB_API_TOKEN}"}}, "headers"),
        ({"program": "true"}, "address"),
        ({"environment": {"A": "1"}}, "address"),
        ({"address": "", "program": "true", "headers": {"A": "1"}}, "headers"),
    ],
)
async def test_a_wrong_field_is_named(tmp_path: Path, fields: dict[str, object], field: str) -> None:
    async with Place(tmp_path).backend() as backend:
        asked = msgspec.structs.replace(NewToolServer(name="toy", address="https://example.com/mcp"), **fields)
        with pytest.raises(Invalid) as refused:
            await backend.tool_servers.add(asked, ADA)
        assert refused.value.detail["field"] == field


@pytest.mark.parametrize("scheme", ["http", "https"])
@pytest.mark.parametrize(
    "host",
    [
        *("127.1", "2130706433", "0x7f.1", "017700000001", "127.0.0.2", "localhost.", "a.localhost", "0.0.0.0", "0"),
        *("[::1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "127.0.0.1."),
    ],
)
def test_this_machine_has_only_two_names(host: str, scheme: str) -> None:
    with pytest.raises(Invalid, match=r"Write 127\.0\.0\.1 or localhost"):
        remote.address(f"{scheme}://{host}:9000/mcp")


def test_good_addresses_and_values() -> None:
    for address in (
        "https://mcp.example.com/mcp",
        "http://localhost:9000/mcp",
        "https://10.0.0.1:8443/",
        "https://[2001:db8::1]/",
    ):
        assert remote.address(f" {address} ") == address
    for address in ("http://localhost:9000/mcp", "http://127.0.0.1:9000/", "https://LOCALHOST:8443/"):
        assert remote.address(address) == address
        assert is_on_this_machine(address) and len(remote.warnings(address)) == 1
        assert len(egress_of((), SandboxNeeds(), (), (address,)).local) == 1
    assert remote.shortened("https://a.example.com/secret?key=1") == "https://a.example.com:443"
    assert remote.filled({"A": "x ${B} ${B}"}, {"B": "1"}) == {"A": "x 1 1"}
    with pytest.raises(Invalid):
        remote.filled({"A": "${B}"}, {"B": "1\r\nHost: x"})
