"""The egress proxy's decisions on real sockets: who is reached, who is refused, and what is never dialled."""

from __future__ import annotations

import asyncio
import stat
import tempfile
from collections.abc import Sequence
from pathlib import Path

import pytest
from harness.egress import Dialled, Names, answers, local, open_proxy, server_on_loopback
from hypothesis import given
from hypothesis import strategies as st

from jupyter_cabinet.sandboxes.egress import dialer, proxy
from jupyter_cabinet.sandboxes.egress.dialer import Connection
from jupyter_cabinet.sandboxes.egress.host_rules import Egress, address_allowed

OPEN = Egress(mode="open")
PUBLIC = "93.184.216.34"
OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


def get(url: str, *headers: str, method: str = "GET") -> bytes:
    return "\r\n".join([f"{method} {url} HTTP/1.1", *headers, "", ""]).encode()


async def test_a_tunnel_carries_bytes_in_both_directions_and_is_counted(tmp_path: Path) -> None:
    async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write((await reader.readexactly(5))[::-1])

    async with server_on_loopback(echo) as pair, open_proxy(tmp_path, local(pair)) as opened:
        assert stat.S_IMODE(opened.path.stat().st_mode) == 0o600
        early = await opened.ask(f"CONNECT {pair} HTTP/1.1\r\nHost: {pair}\r\n\r\nhello".encode())
        assert early == b"HTTP/1.1 200 Connection established\r\n\r\nolleh"
        assert (opened.proxy.counts, opened.proxy.refused, opened.reports) == ({pair: 1}, {}, [])


async def test_a_plain_request_is_one_request_with_the_host_of_its_address(tmp_path: Path) -> None:
    heard: list[bytes] = []
    async with server_on_loopback(answers(OK, heard=heard)) as pair, open_proxy(tmp_path, local(pair)) as opened:
        first = get(f"http://{pair}/a?b=c", "Host: other.example", "Connection: keep-alive", "Proxy-Authorization: x")
        answer = await opened.ask(first + get(f"http://{pair}/second"))
        assert answer == b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"
        assert heard == [f"GET /a?b=c HTTP/1.1\r\nHost: {pair}\r\nConnection: close\r\n\r\n".encode()]


async def test_a_refusal_says_what_would_allow_the_host_and_is_reported_once(tmp_path: Path) -> None:
    dialled = Dialled()
    rules = Egress(mode="hosts", hosts=("example.com",))
    async with open_proxy(tmp_path, rules, connect=dialled.connect) as opened:
        sentence = "evil.net:443 was refused. Add it to the agent's `network` list to allow it."
        for _ in range(2):
            answer = await opened.ask(b"CONNECT EVIL.net.:443 HTTP/1.1\r\n\r\n")
            assert answer.startswith(b"HTTP/1.1 403 Forbidden\r\n") and answer.endswith(f"{sentence}\n".encode())
        assert b" 403 " in await opened.ask(get("http://evil.net/"))
        assert opened.proxy.refused == {"evil.net:443": 2, "evil.net:80": 1}
        assert [pair for pair, _ in opened.reports] == ["evil.net:443", "evil.net:80"]
        assert opened.reports[0] == ("evil.net:443", sentence)
        assert dialled.addresses == []


async def test_no_number_of_refused_hosts_fills_the_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proxy, "MAX_COUNTED_HOSTS", 2)
    async with open_proxy(tmp_path, Egress(mode="none")) as opened:
        for number in range(5):
            await opened.ask(get(f"http://host{number}/"))
        assert opened.proxy.refused == {"host0:80": 1, "host1:80": 1, proxy.OTHER_HOSTS: 3}
        assert [pair for pair, _ in opened.reports] == ["host0:80", "host1:80", proxy.OTHER_HOSTS]
        assert opened.reports[2][1] == "More than 2 hosts were refused. The others are not listed."


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1", "127.1", "2130706433", "0x7f.1", "0177.0.0.1", "0", "[::1]", "[::]", "[::ffff:127.0.0.1]",
        "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "169.254.169.254", "0xa9fea9fe", "[fe80::1]", "10.1.2.3", "172.20.0.1",
        "192.168.0.1", "100.64.0.1", "[fd00::1]", "224.0.0.1", "255.255.255.255", "private.example", "home.example",
        "mapped.example",
    ],
)  # fmt: skip
async def test_an_open_network_does_not_include_this_machine_or_private_ones(tmp_path: Path, host: str) -> None:
    dialled = Dialled()
    names = Names(
        private_example=["10.0.0.1", "fe80::1%2"], home_example=["127.0.0.1"], mapped_example=["::ffff:7f00:1"]
    )
    async with open_proxy(tmp_path, OPEN, connect=dialled.connect, resolve=names.resolve) as opened:
        for request in (f"CONNECT {host}:443 HTTP/1.1\r\n\r\n".encode(), get(f"http://{host}/")):
            answer = await opened.ask(request)
            assert answer.startswith(b"HTTP/1.1 403 ") and b"on this machine or in a private network" in answer
        assert dialled.addresses == [] and len(opened.reports) == 2


async def test_a_public_address_of_this_machine_is_this_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert dialer.is_on_this_machine("127.0.0.1") and not dialer.is_on_this_machine(PUBLIC)
    monkeypatch.setattr(dialer, "is_on_this_machine", lambda address: address == PUBLIC)
    dialled = Dialled()
    async with open_proxy(tmp_path, OPEN, connect=dialled.connect) as opened:
        assert b" 403 " in await opened.ask(get(f"http://{PUBLIC}/"))
        assert b" 502 " in await opened.ask(get("http://8.8.8.8/"))
        assert dialled.addresses == [("8.8.8.8", 80)]


async def test_a_name_server_that_changes_its_answer_gains_nothing(tmp_path: Path) -> None:
    dialled = Dialled()
    names = Names(evil_net=[[PUBLIC], ["127.0.0.1"]], both_net=["127.0.0.1", PUBLIC, "10.0.0.1"], none_net=[])
    async with open_proxy(tmp_path, OPEN, connect=dialled.connect, resolve=names.resolve) as opened:
        assert b" 502 " in await opened.ask(get("http://evil.net/"))
        assert names.asked == ["evil.net"]  # once: the answer that was checked is used
        assert b" 403 " in await opened.ask(get("http://evil.net/"))
        assert b" 502 " in await opened.ask(get("http://both.net:81/"))
        assert dialled.addresses == [(PUBLIC, 80), (PUBLIC, 81)]
        assert b" 502 " in await opened.ask(get("http://none.net/"))
        assert b"unknown.net:80 could not be reached: Name or" in await opened.ask(get("http://unknown.net/"))
        assert opened.proxy.counts == {}


async def test_the_next_address_is_tried_when_one_fails(tmp_path: Path) -> None:
    names = Names(model_lan=["127.0.0.2", "127.0.0.1"])

    async def connect(address: str, port: int) -> Connection:
        if address == "127.0.0.2":
            raise ConnectionRefusedError(111, "Connection refused")
        return await dialer.connected(address, port)

    async with server_on_loopback(answers(OK)) as pair:
        name = f"model.lan:{pair.partition(':')[2]}"
        async with open_proxy(tmp_path, local(name), connect=connect, resolve=names.resolve) as opened:
            assert (await opened.ask(get(f"http://{name}/"))).endswith(b"ok")


async def test_the_systems_resolver_is_used_by_default(tmp_path: Path) -> None:
    async with server_on_loopback(answers(OK)) as pair:
        name = f"localhost:{pair.partition(':')[2]}"
        async with open_proxy(tmp_path, local(name)) as opened:
            assert (await opened.ask(get(f"http://{name}/"))).endswith(b"ok")
            assert b" 403 " in await opened.ask(get(f"http://{pair}/"))  # allowed by its name only


async def test_a_redirect_is_a_new_request(tmp_path: Path) -> None:
    moved = b"HTTP/1.1 302 Found\r\nLocation: http://169.254.169.254/latest/meta-data/\r\nContent-Length: 0\r\n\r\n"
    async with server_on_loopback(answers(moved)) as pair, open_proxy(tmp_path, local(pair)) as opened:
        answer = await opened.ask(get(f"http://{pair}/"))
        location = answer.partition(b"Location: ")[2].partition(b"\r\n")[0].decode()
        assert b" 403 " in await opened.ask(get(location))


async def test_requests_that_are_not_valid(tmp_path: Path) -> None:
    dialled = Dialled()
    async with open_proxy(tmp_path, OPEN, connect=dialled.connect) as opened:
        assert (await opened.ask(b"GET / HTTP/1.1\r\n\r\n")).startswith(b"HTTP/1.1 400 Bad Request\r\n")
        assert b" 400 " in await opened.ask(b"CONNECT exa\0mple.com:443 HTTP/1.1\r\n\r\n")
        assert b" 431 " in await opened.ask(b"GET http://example.com/ HTTP/1.1\r\nX: " + b"a" * 70000)
        assert b" 431 " in await opened.ask(b"GET http://example.com/ HTTP/1.1\r\nX: " + b"a" * 70000 + b"\r\n\r\n")
        reader, writer = await opened.client(b"GET http://exam")
        writer.write_eof()
        assert b" 400 " in await reader.read()
        writer.close()
        reader, writer = await opened.client()
        writer.write_eof()
        assert await reader.read() == b""
        writer.close()
        assert dialled.addresses == []


HOSTS = st.sampled_from(
    ["example.com", "EXAMPLE.com.", "a.example.org", "example.org", "evil.net", "127.0.0.1", "[::1]", "0x7f.1", "10.1"]
)
ADDRESSES = st.lists(
    st.sampled_from([PUBLIC, "127.0.0.1", "10.0.0.1", "169.254.169.254", "::1", "2606:4700::1111"])
    | st.ip_addresses().map(str),
    max_size=4,
)


@given(
    host=HOSTS | st.text(max_size=12), port=st.sampled_from([80, 443, 22, 8443]), found=ADDRESSES, plain=st.booleans()
)
def test_nothing_outside_the_list_is_ever_dialled(host: str, port: int, found: list[str], plain: bool) -> None:
    rules = Egress(mode="hosts", hosts=("example.com", "*.example.org:8443"))
    allowed = {("example.com", 80), ("example.com", 443), ("a.example.org", 8443)}
    dialled, resolved = Dialled(), []

    async def resolve(name: str, number: int) -> Sequence[str]:
        resolved.append((name, number))
        return found

    async def trial() -> None:
        with tempfile.TemporaryDirectory() as folder:
            async with open_proxy(Path(folder), rules, connect=dialled.connect, resolve=resolve) as opened:
                target = f"GET http://{host}:{port}/" if plain else f"CONNECT {host}:{port}"
                await opened.ask(f"{target} HTTP/1.1\r\n\r\n".encode(errors="surrogatepass"))

    asyncio.run(trial())
    assert set(resolved) <= allowed
    assert all(address in found and address_allowed(OPEN, address, "x", port) for address, _ in dialled.addresses)
    assert bool(dialled.addresses) <= bool(resolved)
