"""What a sandbox costs: an isolated run against the same run without a sandbox, and the egress proxy against none."""

from __future__ import annotations

import asyncio
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from jupyter_cabinet.sandboxes.egress.host_rules import Egress
from jupyter_cabinet.sandboxes.egress.proxy import EgressProxy

from .agents import through_the_product
from .figures import Figure, interleave
from .servers import serving

MIB = 2**20
PIECE = bytes(MIB)
DOWNLOAD_BYTES = 256 * MIB
CONNECTIONS = 50
STALLED_SECONDS, LOOK_SECONDS = 60, 0.5
PIECE_BYTES = 65536
START_AIM_SECONDS, DOWNLOAD_AIM, MEMORY_AIM_MIB = 0.03, 5, 50

Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


def measure(rounds: int) -> list[Figure]:
    return [_start(rounds * 4), _download(rounds), _memory()]


def _start(rounds: int) -> Figure:
    """The CLI is the demo agent, which needs as good as no time itself."""
    with serving() as server, server.client("ada") as client:

        def run(isolate: bool) -> float:
            fields = {"runtime": "demo", "instruction": "hello", "mode": "headless", "isolate": isolate}
            return through_the_product(client, **fields)

        parts = {"ours": lambda: run(True), "peer": lambda: run(False)}
        interleave(1, parts)  # once without counting: the probe, and everything comes from the disk
        found = interleave(rounds, parts)
    return Figure(
        what="a headless run of the demo agent, isolated",
        unit="s",
        **found,
        peer_is="the same run, not isolated",
        measure="difference",
        aim=START_AIM_SECONDS,
    )


def _download(rounds: int) -> Figure:
    parts = {"ours": lambda: asyncio.run(_transfer(through_proxy=True)), "peer": lambda: asyncio.run(_transfer())}
    return Figure(
        what=f"a download of {DOWNLOAD_BYTES // MIB} MiB through the egress proxy",
        unit="s",
        **interleave(rounds, parts),
        peer_is="the same client and server, directly",
        measure="ratio",
        aim=DOWNLOAD_AIM,
    )


async def _send(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.readline()
    for _ in range(DOWNLOAD_BYTES // len(PIECE)):
        writer.write(PIECE)
        await writer.drain()
    writer.close()


async def _transfer(*, through_proxy: bool = False) -> float:
    async with _proxied(_send) as (address, path):
        began = time.monotonic()
        if through_proxy:
            reader, writer = await asyncio.open_unix_connection(str(path))
            writer.write(_connect(address))
            await reader.readuntil(b"\r\n\r\n")
        else:
            host, _, port = address.partition(":")
            reader, writer = await asyncio.open_connection(host, int(port))
        writer.write(b"go\n")
        received = 0
        while piece := await reader.read(MIB):
            received += len(piece)
        seconds = time.monotonic() - began
        writer.close()
    assert received == DOWNLOAD_BYTES
    return seconds


@asynccontextmanager
async def _proxied(serve: Serve) -> AsyncIterator[tuple[str, Path]]:
    """Open a server, and a proxy that may reach it. Yield the server's address and the proxy's socket."""
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    address = "{}:{}".format(*server.sockets[0].getsockname())
    with tempfile.TemporaryDirectory() as folder:
        proxy = EgressProxy(Egress(mode="hosts", local=(address,)), on_refused=lambda *_: None)
        await proxy.listen(Path(folder) / "proxy")
        yield address, Path(folder) / "proxy"
        await proxy.close()
    server.close()


def _connect(address: str) -> bytes:
    return f"CONNECT {address} HTTP/1.1\r\nHost: {address}\r\n\r\n".encode()


def _memory() -> Figure:
    """In a process that did nothing before: its peak with all connections, against the peak without one."""
    return Figure(
        what=f"memory of {CONNECTIONS} connections whose clients do not read, through the egress proxy",
        unit="MiB",
        ours=(_peak(CONNECTIONS),),
        peer=(_peak(0),),
        peer_is="the same process, without a connection",
        measure="difference",
        aim=MEMORY_AIM_MIB,
    )


def _peak(count: int) -> float:
    program = f"from benchmarks.sandbox import hold; hold({count})"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return float(done.stdout)


def hold(count: int) -> None:
    """Keep so many stalled downloads for a while, and print this process's peak memory in MiB."""
    asyncio.run(_hold(count))
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


async def _hold(count: int) -> None:
    sent, served = 0, 0

    async def send(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal sent, served
        await reader.readline()
        served += 1
        while True:
            writer.write(PIECE[:PIECE_BYTES])
            await writer.drain()
            sent += PIECE_BYTES

    async with _proxied(send) as (address, path):
        clients = [await asyncio.open_unix_connection(str(path), limit=1024) for _ in range(count)]
        for _, writer in clients:
            writer.write(_connect(address) + b"go\n")
        before = -1
        async with asyncio.timeout(STALLED_SECONDS):
            while served < count or sent != before:  # until nobody takes any more
                before = sent
                await asyncio.sleep(LOOK_SECONDS)
