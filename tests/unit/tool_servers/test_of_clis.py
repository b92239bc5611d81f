"""The tool servers in the settings of the CLIs: what is listed, what stays secret, and which files are refused."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest
from harness.backend import ADA, Place
from harness.cost import cost

from jupyter_cabinet.runtimes.own_tool_servers import (
    HIDDEN,
    LONGEST,
    MOST_PARTS,
    MOST_SERVERS,
    ToolServerFile,
    at,
    entries,
    parsed,
    usual,
)
from jupyter_cabinet.tool_servers.model import ToolServerOfCli
from jupyter_cabinet.tool_servers.of_clis import MAX_FOLDER_FILE_BYTES

SECRET = "s3cret-value"
CLAUDE = {
    "numStartups": 3,
    "mcpServers": {
        "issues": {"type": "stdio", "command": "npx", "args": ["-y", "@example/issues"], "env": {"TOKEN": SECRET}},
        "broken": "not an object",
        "nothing": {"args": ["x"]},
    },
    "projects": {
        "/other": {"mcpServers": {"hidden": {"command": "x"}}},
    },
}
CODEX = f"""
[mcp_servers.docs]
url = "https://me:{SECRET}@docs.example.com/mcp?api_key={SECRET}"
bearer_token_env_var = "DOCS_TOKEN"
http_headers = {{ "X-Team" = "{SECRET}" }}
[mcp_servers.old]
command = "/usr/bin/old"
args = ["--api-key", "{SECRET}", "--port", "8000"]
env = {{ A = "{SECRET}" }}
enabled = false
"""
OPENCODE = """{
  // the tools of "this" folder
  "mcp": {
    "local": {"type": "local", "command": ["uvx", "tool//x"], "environment": {"KEY": "SECRET"}}, /* and */
    "away": {"type": "remote", "url": "https://a.example.com/mcp", "headers": {"Authorization": "Bearer SECRET"}},
  },
}""".replace("SECRET", SECRET)
GEMINI = {
    "mcpServers": {
        "sse": {"url": "https://b.example.com/sse"},
        "http": {"httpUrl": "https://b.example.com/mcp", "headers": {"A": SECRET}},
        "typed": {"url": "https://b.example.com/mcp", "type": "http"},
        "header": {"command": "npx", "args": ["mcp-remote", "https://c.example.com", "--header", f"X: {SECRET}"]},
    }
}


def put(place: Place, path: str, content: object) -> Path:
    file = place.folder / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(content if isinstance(content, str) else json.dumps(content))
    return file


async def found(place: Place) -> tuple[dict[tuple[str, str], ToolServerOfCli], list[str]]:
    async with place.backend() as backend:
        items, problems = await backend.tool_servers_of_clis.find(ADA)
    return {(each.runtime, each.name): each for each in items}, problems


async def test_they_are_listed_with_everything_but_secrets(tmp_path: Path) -> None:
    place = Place(tmp_path)
    assert await found(place) == ({}, [])
    local = {"mcpServers": {"mine": {"command": "/bin/mine", "args": [f"postgresql://me:{SECRET}@db/x"]}}}
    put(place, "home/.claude.json", {**CLAUDE, "projects": {**CLAUDE["projects"], str(place.root): local}})  # type: ignore[dict-item]
    put(place, "root/.mcp.json", {"mcpServers": {"team\u200b": {"command": "x", "env": {"A": SECRET}}}})
    put(place, "home/.codex/config.toml", CODEX)
    put(place, "home/.gemini/settings.json", GEMINI)
    put(place, "root/opencode.json", OPENCODE)
    items, problems = await found(place)
    assert problems == [] and SECRET not in repr(items)
    assert list(items) == [
        *(("claude", "issues"), ("claude", "mine"), ("claude", "team\\u{200b}"), ("codex", "docs"), ("codex", "old")),
        *(("gemini", "sse"), ("gemini", "http"), ("gemini", "typed"), ("gemini", "header")),
        *(("opencode", "local"), ("opencode", "away")),
    ]
    issues = items["claude", "issues"]
    assert (issues.title, issues.command, issues.variables) == (
        "Claude Code",
        ("npx", "-y", "@example/issues"),
        ("TOKEN",),
    )
    assert (issues.use, items["claude", "team\\u{200b}"].use) == ("yes", "if_trusted")
    assert items["claude", "mine"].command == ("/bin/mine", "postgresql://…@db/x")
    docs, old = items["codex", "docs"], items["codex", "old"]
    assert (docs.transport, docs.address) == ("http", "https://…@docs.example.com/mcp?…")
    assert docs.headers == ("Authorization", "X-Team")
    assert (old.command, old.use) == (("/usr/bin/old", "--api-key", "…", "--port", "8000"), "no")
    assert [items["gemini", name].transport for name in ("sse", "http", "typed")] == ["sse", "http", "http"]
    assert items["gemini", "header"].command[-2:] == ("--header", "…")
    assert items["opencode", "local"].command == ("uvx", "tool//x")
    assert items["opencode", "away"].headers == ("Authorization",)


async def test_a_file_that_cannot_be_read_is_named_and_hides_no_other(tmp_path: Path) -> None:
    place = Place(tmp_path)
    put(place, "home/.gemini/settings.json", GEMINI)
    damaged = put(place, "home/.codex/config.toml", "[mcp_servers")
    deep = put(place, "root/opencode.json", "[" * 200_000)
    (tmp_path / "elsewhere.json").write_text(json.dumps({"mcpServers": {"x": {"command": "x"}}}))
    (tmp_path / "root" / ".mcp.json").symlink_to(tmp_path / "elsewhere.json")
    items, problems = await found(place)
    assert {runtime for runtime, _ in items} == {"gemini"}
    assert len(problems) == 3 and any(str(damaged) in each for each in problems)
    assert any(str(deep) in each and "damaged" in each for each in problems)
    assert any(".mcp.json cannot be read" in each for each in problems)


async def test_what_is_left_out_of_a_long_file_is_said(tmp_path: Path) -> None:
    place = Place(tmp_path)
    many = {str(number): {"command": "x"} for number in range(MOST_SERVERS + 1)}
    file = put(place, "root/.mcp.json", {"mcpServers": many})
    items, problems = await found(place)
    assert len(items) == MOST_SERVERS
    assert problems == [f"{file} lists more than 100 tool servers. Only the first 100 are shown."]


async def test_only_who_administers_the_server_sees_them(tmp_path: Path) -> None:
    place = Place(tmp_path)
    put(place, "home/.gemini/settings.json", GEMINI)
    ben = msgspec.structs.replace(ADA, username="ben", shared_token=False)
    async with place.backend(shared_login=False) as backend:
        items, problems = await backend.tool_servers_of_clis.find(ben)
        assert items == [] and "Only whoever administers" in problems[0]
        admin = msgspec.structs.replace(ben, administrator=True)
        assert (await backend.tool_servers_of_clis.find(admin))[0]


@pytest.mark.parametrize(
    "content", ["[]", "1", '{"mcpServers": []}', '{"mcpServers": {"a": {"command": 1}}}', "", "null"]
)
def test_what_is_no_list_of_tool_servers_has_none(content: str) -> None:
    file = ToolServerFile(path=Path("/x.json"), servers=at("mcpServers"), read=usual)
    assert list(entries(file, parsed(file, content.encode()))) == []


@pytest.mark.parametrize("piece", ['"\\\\"', "/*", '\\\\"', ", ", "[", "{"])
def test_a_hostile_file_takes_no_time(piece: str) -> None:
    file = ToolServerFile(path=Path("/x.json"), servers=at("mcpServers"), read=usual)
    content = b'{"a": ' + piece.encode() * (MAX_FOLDER_FILE_BYTES // len(piece)) + b"\\"

    def read() -> None:
        with pytest.raises((ValueError, RecursionError)):
            parsed(file, content)

    assert cost(read) < 8_000  # a thousand at most; quadratic would take hours


LONG = "x" * (MAX_FOLDER_FILE_BYTES // 2)


@pytest.mark.parametrize(
    "argument",
    [
        f"--{'key' * 5_000}!",
        *("key" * 333 + "!", "key-" * 250, "a" * 1000, "key " * 250, "a://" * 250, "://@" * 250, "key = " * 160 + "\n"),
        *("a" + " " * 998 + "!", "-" * 1000, "a://" + "b" * 996, "?://" * 250),
    ],
)
def test_a_hostile_argument_takes_no_time(argument: str) -> None:
    command = {"command": "x", "args": [argument] * MOST_PARTS}
    assert cost(lambda: usual("x", command)) < 120  # of a file with a hundred such servers
    assert max(map(len, usual("x", command).command)) <= LONGEST + len(HIDDEN)


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        (["--api-key", SECRET, "b"], ["--api-key", "…", "b"]),
        (["-Token", "--x"], ["-Token", "--x"]),
        (["--my-api_key-x = " + SECRET], ["--my-api_key-x = …"]),
        (["mode: x, X-Auth: " + SECRET], ["mode: x, X-Auth: …"]),
        (["monkey", "key=", "a=b"], ["monkey", "key=", "a=b"]),
        ([f"see https://{SECRET}@a.b/?x={SECRET} and b?c"], ["see https://…@a.b/?… and b?c"]),
        ([f"https://me:{LONG}@a.b"], ["https://…"]),
        ([f"--password={LONG}"], ["--password=…"]),
        ([LONG], ["x" * LONGEST + "…"]),
        (["--pass", SECRET], ["--pass", "…"]),
        (["-e", f"GITHUB={SECRET}", f"-eGITHUB={SECRET}"], ["-e", "GITHUB=…", "-eGITHUB=…"]),
        ([f"--env=GITHUB={SECRET}"], ["--env=GITHUB=…"]),
        (["--config", f'{{"port": 1, "apiKey": "{SECRET}"}}'], ["--config", '{"port": 1, "apiKey": …']),
        ([f"https://a.b/x#access_token={SECRET}", "https://a.b/#"], ["https://a.b/x#…", "https://a.b/#"]),
        (["use ghp_0123456789abcdef01 here", "sk-short"], ["use … here", "sk-short"]),
        (["--mode=FAST", "level=3"], ["--mode=FAST", "level=3"]),
        (["x"] * (MOST_PARTS + 1), ["x"] * (MOST_PARTS - 1) + ["…"]),
    ],
)
def test_values_are_hidden_wherever_they_are(arguments: list[str], shown: list[str]) -> None:
    assert list(usual("x", {"command": "x", "args": arguments}).command[1:]) == shown


TOML = ToolServerFile(path=Path("/x.toml"), servers=at("mcp_servers"), read=usual)


@pytest.mark.parametrize("part", ["a", "'b'", '"\\""', " a ", "'b' \t"])
@pytest.mark.parametrize("form", ["{}=1", "x = {{ y=1,{}=1 }}", "[{}]", "[[ {} ]]"])
def test_a_hostile_key_takes_no_time(part: str, form: str) -> None:
    content = form.format(".".join([part] * 20_000)).encode()

    def read() -> None:
        with pytest.raises(ValueError):
            parsed(TOML, content)

    assert cost(read) < 1_000  # quadratic would be six thousand


def test_ordinary_toml_is_read() -> None:
    long = f"instructions = '{'All is 1.2.3 and so on. ' * 1000}'\n"
    content = parsed(TOML, f'{long}[mcp_servers."a.b".env]\nA.B = "1"\n'.encode())
    assert content["mcp_servers"] == {"a.b": {"env": {"A": {"B": "1"}}}}
