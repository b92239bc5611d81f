"""The runner `dask`: starts programs on workers of a Dask cluster. The only file that talks to `distributed`.

Each run is one task that holds one unit of the resource `cabinet` on its worker until its program has ended. The server
chooses the worker, because Dask would let a run wait for a busy one. When the task has begun, the server opens a
connection to that worker, which carries everything else (`link.py`). The upper half of this file runs in the workers,
the lower half in the server.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import itertools
import logging
import socket
import threading
import uuid
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import msgspec

from ..core.errors import Unavailable
from ..core.plain_text import one_line
from ..core.version import VERSION
from ..sandboxes.local import LocalSandbox
from ..sandboxes.view import SandboxView
from .directory_copy import SOCKET
from .link import Message
from .port import NOT_ISOLATED, Placement, RunnerState, Where
from .program_host import ProgramHost
from .remote_process import RemoteProcess
from .slots import KEYS, RESOURCE, free_worker
from .worker_folders import give_folders

if TYPE_CHECKING:
    from distributed import Client, Future, Worker
    from distributed.comm import Comm

log = logging.getLogger(__name__)

OPERATION: Final = "jupyter_cabinet_program"  # of a worker's connections
JOIN_SECONDS: Final = 30.0  # for the server to connect to the worker that its run was given
CONNECT_SECONDS: Final = 10.0
MOST_MOVED: Final = 1000
LONGEST_NAME: Final = 100  # characters
LOOK_SECONDS: Final = 1.0  # between two looks for a free slot: Dask does not report that
SCHEDULER_SECONDS: Final = 1.0  # until the next attempt, while a scheduler that was there does not answer

INSTALL: Final = "Install it with: pip install 'jupyter_cabinet[dask]'"
WAITING: Final = "Waiting for a worker of the cluster."


class CommStream:
    """A connection of Dask, as `link.py` uses it."""

    def __init__(self, comm: Comm) -> None:
        self._comm = comm

    async def read(self) -> Message:
        message: Message = await self._comm.read()
        return message

    async def write(self, message: Message) -> None:
        await self._comm.write(message)

    def abort(self) -> None:
        self._comm.abort()


# --- in the worker -----------------------------------------------------------------------------------


class Seat:
    """A slot of this worker that a run holds, until its program has ended."""

    def __init__(self) -> None:
        self.taken = threading.Event()
        self.left = threading.Event()


SEATS: Final[dict[str, Seat]] = {}  # of this worker, by the key of the task


def occupy(key: str, version: str, topic: str) -> dict[str, str]:
    """Hold a slot of this worker until the program of a run has ended; `JOIN_SECONDS` if the server does not connect.

    It is a task of Dask. `version`: of the server's `jupyter_cabinet`. `topic`: where the server hears which worker it
    was given. Returns a sentence as `refused` if the versions differ, otherwise an empty dictionary.
    """
    from distributed import get_worker, secede

    worker: Worker = get_worker()
    if version != VERSION:
        return {
            "refused": f"The worker {worker.name} has Jupyter Cabinet {VERSION}, and this server has {version}."
            " Install the same version on both."
        }
    seat = SEATS[key] = Seat()
    try:
        worker.handlers.setdefault(OPERATION, serve)
        secede()  # it only waits from now on: the worker's threads are for tasks that compute
        where = {"name": str(worker.name), "address": worker.address, "machine": socket.gethostname()}
        worker.log_event(topic, {"key": key, **where})
        if seat.taken.wait(JOIN_SECONDS):
            seat.left.wait()
    finally:
        del SEATS[key]
    return {}


async def serve(comm: Comm, key: str) -> Any:
    """Run the program of a run on this worker, until it has ended. It answers an operation of Dask's connections.

    A connection for an unknown run, or for one that is served already, is closed.
    """
    from distributed.core import Status

    seat = SEATS.get(key)
    if seat is None or seat.taken.is_set():
        comm.abort()
        return Status.dont_reply
    seat.taken.set()
    try:
        await ProgramHost(CommStream(comm), LocalSandbox()).serve()
    finally:
        seat.left.set()
    return Status.dont_reply


# --- in the server -----------------------------------------------------------------------------------


class Arrival(msgspec.Struct, frozen=True, kw_only=True):
    """The worker that a run was given, as the worker describes itself."""

    key: str
    name: str
    address: str
    machine: str


class DaskCluster:
    """The connection to a scheduler. It is opened when it is first needed, and again when it was lost."""

    def __init__(self, scheduler: str) -> None:
        """`scheduler`: its address, or the path of the file in which it has written it."""
        self.image: str | None = None
        self._scheduler = scheduler
        self._topic = f"jupyter-cabinet-{uuid.uuid4().hex}"
        self._arrivals: dict[str, asyncio.Future[Arrival]] = {}  # by the key of the task
        self._given: dict[
            str, str
        ] = {}  # the worker of each run that was sent to a certain one, by the key of its task
        self._moved: deque[str] = deque(maxlen=MOST_MOVED)  # keys of tasks that were cancelled, which may have begun
        self._turning_away: set[asyncio.Task[None]] = set()
        self._tickets = itertools.count()
        self._waiting: set[int] = set()  # the tickets of runs that no free slot was found for: the smallest is next
        self._choosing = asyncio.Lock()
        self._client: Client | None = None
        self._connecting = asyncio.Lock()

    def with_image(self, image: str) -> DaskCluster:
        return self

    async def state(self) -> RunnerState:
        try:
            client = await self._connected()
            known = await asyncio.wait_for(client.scheduler.identity(n_workers=-1), CONNECT_SECONDS)
        except Unavailable as error:
            return RunnerState(works=False, reason=error.message, remedy=error.detail.get("remedy", ""))
        except (OSError, TimeoutError):
            return RunnerState(works=False, reason=self._no_answer(), remedy=_REMEDY)
        if sum(_slots(known).values()) >= 1:
            return RunnerState(works=True)
        return RunnerState(
            works=True,
            reason="No worker of the cluster offers a slot for runs at the moment.",
            remedy=f"If the cluster does not start workers by itself, start some with --resources {RESOURCE}=4.",
        )

    def sandbox(self, placement: Placement) -> DaskSandbox:
        return DaskSandbox(self, placement)

    async def close(self) -> None:
        if self._client is not None:
            await self._client.close()
            self._client = None

    async def place(self, placement: Placement) -> tuple[RemoteProcess, Where]:
        """Wait for a worker, without a limit, and return a process on it that is not prepared yet.

        `placement.waits` is called while it waits. Raises `Unavailable` if the first connection to the scheduler fails,
        if the worker refuses the run, or if this server cannot reach the worker. If the caller is cancelled, the slot
        is freed.
        """
        placement.waits(WAITING)
        await self._connected()
        ticket = next(self._tickets)
        try:
            while True:
                key = f"{KEYS}{placement.run_id}-{uuid.uuid4().hex[:8]}"
                client, worker = await self._choice(placement, key, ticket)
                task = self._submit(client, key, worker)
                try:
                    arrival = await self._arrival(client, task, key, ticket)
                    if isinstance(arrival, Arrival):
                        joined = await self._join(client, task, arrival, placement)
                        if joined is not None:
                            return joined
                        arrival = "elsewhere"
                    if arrival == "elsewhere":
                        self._moved.append(key)
                        await _cancel(client, task)
                except BaseException:
                    self._given.pop(key, None)
                    await _cancel(client, task)
                    raise
                self._given.pop(key, None)
                if arrival == "forgotten":  # the scheduler is gone, and with it all that waited there
                    await self._wait_for_scheduler(placement)
        finally:
            self._waiting.discard(ticket)

    async def _choice(self, placement: Placement, key: str, ticket: int) -> tuple[Client, str | None]:
        """Wait until a worker has a free slot and no earlier run waits for one.

        Returns the worker; None if no worker offers a slot at all: then the task waits at the scheduler, so that an
        adaptive cluster starts workers for it. Otherwise it must not wait there, because Dask would bind it to a worker
        that may be busy for hours, or give a slot to a run that came later.
        """
        self._waiting.add(ticket)
        while True:
            async with self._choosing:
                if min(self._waiting) == ticket:
                    try:
                        client = await self._connected()
                        slots, worker = await self._look(client, key)
                    except (OSError, TimeoutError, Unavailable):
                        await self._wait_for_scheduler(placement)
                        continue
                    if worker is not None:
                        self._given[key] = worker
                        self._waiting.discard(ticket)
                    if worker is not None or sum(slots.values()) < 1:
                        return client, worker
            await asyncio.sleep(LOOK_SECONDS)

    async def _look(self, client: Client, key: str) -> tuple[dict[str, float], str | None]:
        """Return the slots of all workers, and the worker with a free one. Raises `OSError`, `TimeoutError`."""
        async with asyncio.timeout(CONNECT_SECONDS):
            slots = await self._workers(client)
            return slots, free_worker(slots, await client.processing(), self._given, key)

    async def _workers(self, client: Client) -> dict[str, float]:
        """Return how many slots each worker offers, by its address. Raises `OSError`."""
        return _slots(await client.scheduler.identity(n_workers=-1))

    def _submit(self, client: Client, key: str, worker: str | None) -> Future:
        client.subscribe_topic(self._topic, self._hear)
        self._arrivals[key] = asyncio.get_running_loop().create_future()
        return client.submit(
            occupy, key, VERSION, self._topic, key=key, resources={RESOURCE: 1}, retries=0, workers=worker
        )

    async def _arrival(
        self, client: Client, task: Future, key: str, ticket: int
    ) -> Arrival | Literal["elsewhere", "forgotten"]:
        """Return the worker that a task was given.

        `elsewhere`: another worker has a free slot. `forgotten`: the scheduler does not know the task any more. Raises
        `Unavailable` if the worker refuses it.
        """
        arrival = self._arrivals[key]
        ended = asyncio.create_task(_result(task))
        either: list[asyncio.Future[Any]] = [arrival, ended]
        try:
            while not (await asyncio.wait(either, timeout=LOOK_SECONDS, return_when=asyncio.FIRST_COMPLETED))[0]:
                self._waiting.add(ticket)
                is_next = min(self._waiting) == ticket
                # Both may be done meanwhile.
                if is_next and await self._is_elsewhere(client, key) and not (arrival.done() or ended.done()):
                    return "elsewhere"
            if arrival.done():
                return arrival.result()
            result = ended.result()
            if result is None:
                return "forgotten"
            raise Unavailable(result.get("refused") or "The worker gave up waiting for this server.")
        finally:
            ended.cancel()
            del self._arrivals[key]

    async def _is_elsewhere(self, client: Client, key: str) -> bool:
        """Return whether a worker has a free slot that is not the one to which the scheduler has bound a run."""
        try:
            return (await self._look(client, key))[1] is not None
        except (OSError, TimeoutError):
            return False

    async def _join(
        self, client: Client, task: Future, arrival: Arrival, placement: Placement
    ) -> tuple[RemoteProcess, Where] | None:
        """Return the process on a worker; None if the worker is gone. Raises `Unavailable` if it cannot be reached."""
        try:
            comm = await self._comm(arrival)
        except (OSError, ValueError):
            if arrival.address not in await self._workers(client):
                return None
            raise Unavailable(
                f"This server cannot reach the worker {arrival.name} at {arrival.address}."
                " Servers need direct connections to workers."
            ) from None
        directory = placement.run_directory
        process = RemoteProcess(CommStream(comm), arrival.name, directory / SOCKET if directory is not None else None)
        process.linked.add_done_callback(lambda _: (task.release(), self._given.pop(arrival.key, None)))
        return process, Where(runner="dask", worker=arrival.name, machine=arrival.machine)

    def _hear(self, event: tuple[float, Any]) -> None:
        try:
            arrival = msgspec.convert(event[1], Arrival)
        except msgspec.ValidationError:
            return  # of another program that uses the cluster
        arrival = msgspec.structs.replace(
            arrival,
            name=one_line(arrival.name, most=LONGEST_NAME),
            machine=one_line(arrival.machine, most=LONGEST_NAME),
        )
        waiting = self._arrivals.get(arrival.key)
        if waiting is not None and not waiting.done():
            waiting.set_result(arrival)
        elif arrival.key in self._moved:
            leaving = asyncio.create_task(self._turn_away(arrival))
            self._turning_away.add(leaving)
            leaving.add_done_callback(self._turning_away.discard)

    async def _turn_away(self, arrival: Arrival) -> None:
        """Free the slot of a task that began while it was being cancelled: Dask does not interrupt tasks."""
        try:
            (await self._comm(arrival)).abort()
        except (OSError, ValueError) as error:
            log.info("The worker %s keeps a slot for %s s: %s", arrival.name, JOIN_SECONDS, error)

    async def _comm(self, arrival: Arrival) -> Comm:
        """Open the connection of a run to its worker. Raises `OSError`, and `ValueError` for a wrong address."""
        from distributed.comm import connect

        assert self._client is not None
        comm = await connect(arrival.address, timeout=CONNECT_SECONDS, **self._client.connection_args)
        await comm.write({"op": OPERATION, "key": arrival.key, "reply": False})
        return comm

    # --- the connection --------------------------------------------------------------------------

    async def _connected(self) -> Client:
        """Return the open connection, or open it. Raises `Unavailable` with a `remedy` in its detail."""
        async with self._connecting:
            if self._client is None or self._client.status != "running":
                if self._client is not None:
                    await self._client.close()
                self._client = None
                self._client = await self._connect()
            return self._client

    async def _wait_for_scheduler(self, placement: Placement) -> None:
        placement.waits(f"{WAITING} Its scheduler does not answer at the moment.")
        while True:
            await asyncio.sleep(SCHEDULER_SECONDS)
            with suppress(Unavailable):
                await self._connected()
                break
        placement.waits(WAITING)

    async def _connect(self) -> Client:
        try:
            distributed = await asyncio.to_thread(_imported)
        except ImportError:
            raise Unavailable("The package distributed is not installed.", remedy=INSTALL) from None
        address: dict[str, str] = {"address": self._scheduler}
        if _is_file(self._scheduler):
            if not await asyncio.to_thread(Path(self._scheduler).is_file):
                raise Unavailable(
                    f"The file {self._scheduler}, which names the scheduler of the cluster, does not exist.",
                    remedy="Start the scheduler with --scheduler-file, or correct CabinetApp.cluster.",
                )
            address = {"scheduler_file": self._scheduler}
        client: Client = distributed.Client(
            **address, asynchronous=True, set_as_default=False, timeout=CONNECT_SECONDS, name="jupyter-cabinet"
        )
        try:
            return await client
        except Exception as error:
            log.info("The scheduler %s does not answer: %s", self._scheduler, error)
            await client.close()
            raise Unavailable(self._no_answer(), remedy=_REMEDY) from None

    def _no_answer(self) -> str:
        return f"The scheduler of the cluster does not answer at {self._scheduler}."


_REMEDY = "Start it, or correct CabinetApp.cluster. A cluster with TLS needs Dask's own TLS settings on this server."


class DaskSandbox:
    """Starts one program of a run on a worker. Made by `DaskCluster.sandbox`."""

    def __init__(self, cluster: DaskCluster, placement: Placement) -> None:
        self._cluster = cluster
        self._placement = placement

    async def start(
        self, argv: Sequence[str], *, cwd: str, environment: Mapping[str, str], view: SandboxView | None = None
    ) -> RemoteProcess:
        if view is not None:
            raise Unavailable(NOT_ISOLATED)
        process, where = await self._cluster.place(self._placement)
        try:
            uses_directory = await give_folders(process, self._placement, where.worker)
            self._placement.placed(where, uses_directory)
            await process.prepare(argv, cwd=cwd, environment=environment)
        except BaseException:
            process.give_up()
            raise
        return process


def _imported() -> Any:
    """Import Dask. It also configures the loggers of Tornado, which belong to the server: they stay as they are.

    Raises `ImportError`.
    """
    loggers = [logging.getLogger(name) for name in ("tornado", "tornado.application")]
    before = [(each.level, each.propagate, list(each.handlers)) for each in loggers]
    try:
        import distributed
    finally:
        for logger, (level, propagate, handlers) in zip(loggers, before, strict=True):
            logger.setLevel(level)
            logger.propagate, logger.handlers = propagate, handlers
    return distributed


def _slots(known: Mapping[str, Any]) -> dict[str, float]:
    """Return how many slots each worker offers, from what the scheduler knows."""
    return {address: worker.get("resources", {}).get(RESOURCE, 0) for address, worker in known["workers"].items()}


def _is_file(scheduler: str) -> bool:
    return "://" not in scheduler and ("/" in scheduler or scheduler.endswith(".json"))


async def _result(task: Future) -> dict[str, str] | None:
    """Wait for the end of a task, and return its result; None if the scheduler has forgotten it.

    Raises `Unavailable` if the task has failed.
    """
    try:
        result: dict[str, str] = await task
    except concurrent.futures.CancelledError:
        return None
    except ImportError:
        raise Unavailable(
            f"The worker does not have Jupyter Cabinet {VERSION}. Install the same version there."
        ) from None
    except Exception as error:
        raise Unavailable(f"The worker could not start the run: {error}") from None
    return result


async def _cancel(client: Client, task: Future) -> None:
    try:
        await asyncio.wait_for(client.cancel([task]), CONNECT_SECONDS)
    except Exception as error:
        log.info("A task of the cluster could not be cancelled: %s", error)
