"""A campaign: the server is killed at random moments of much work. Afterwards every run has an end or continues, and
every document takes a further instruction.

`CABINET_CRASHES=40` for the whole of it; it prints the figures.
"""

from __future__ import annotations

import os
import random
import re
import sqlite3
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx
import psutil
import pytest
from harness.server import Server, lives, until

CRASHES = int(os.environ.get("CABINET_CRASHES", "2"))
SEED = int(os.environ.get("CABINET_CRASH_SEED", "1"))
NEW_DOCUMENTS = 4  # a round: their first run may be hit
PEOPLE = 4
WORK_SECONDS = (0.3, 4.0)  # until the kill
FINAL_SECONDS = 120.0
MODES = ("headless", "terminal")
FINAL = {"succeeded", "failed", "cancelled", "interrupted", "timed_out", "skipped"}
LONG = "sleep 30"
# Why a run may have failed that we ourselves had asked for: its terminal is gone, its question was answered with no.
OUR_DOING = ("no such terminal any more", "terminal was closed", "said no", "was not allowed")
INSTRUCTIONS = (
    "append: a line",
    "remember the word heron",
    "sleep 0.4\nappend: later",
    LONG,
    "flood 1 MiB",
    "what did I tell you",
)


class Campaign:
    """What was asked of the servers, one after the other, and the results."""

    def __init__(self, server: Server, chance: random.Random) -> None:
        self.server = server
        self.chance = chance
        self.documents: list[str] = []
        self.accepted: list[str] = []  # runs since the last kill
        self.went_on: set[str] = set()
        self.states: Counter[str] = Counter()
        self.refused: Counter[str] = Counter()
        self.further = 0

    # --- work --------------------------------------------------------------------------------

    @contextmanager
    def at_work(self, documents: list[str]) -> Iterator[None]:
        """People instruct, open terminals and answer questions until the end of the block, and never wait."""
        over = threading.Event()
        jobs: list[Callable[[random.Random, httpx.Client], None]] = [
            lambda chance, client: self._instruct(chance, client, documents)
        ] * (PEOPLE - 1) + [self._use_terminals]
        seeds = [self.chance.random() for _ in (*jobs, None)]

        def work(number: int) -> None:
            chance = random.Random(seeds[number])
            with self.server.client("ada") as client, suppress(httpx.TransportError):
                while not over.wait(chance.uniform(0.05, 0.3)):
                    jobs[number](chance, client)

        def answer() -> None:
            chance = random.Random(seeds[-1])
            with suppress(httpx.TransportError, KeyError), self.server.browser_client("ada") as client:
                while not over.wait(chance.uniform(0.1, 0.5)):
                    self._answer(chance, client)

        with ThreadPoolExecutor(len(jobs) + 1) as pool:
            done = [pool.submit(work, number) for number in range(len(jobs))] + [pool.submit(answer)]
            try:
                yield
            finally:
                over.set()
            for each in done:
                each.result()

    def _instruct(self, chance: random.Random, client: httpx.Client, documents: list[str]) -> None:
        run = {
            "kind": "editor",
            "runtime": "demo",
            "path": chance.choice(documents),
            "instruction": chance.choice(INSTRUCTIONS),
            "mode": chance.choice(MODES),
            "permission_mode": chance.choice(("edit", "edit", "ask")),
        }
        self._accepted(client.post("runs", json=run))

    def _accepted(self, reply: httpx.Response) -> None:
        if reply.status_code == 201:
            self.accepted.append(reply.json()["id"])
        else:
            self.refused[reply.text[:200]] += 1

    def _use_terminals(self, chance: random.Random, client: httpx.Client) -> None:
        program = chance.choice(({"program": "demo"}, {"command": ["cat"]}, {}))
        place = f"terminals/{client.post('terminals', json=program).raise_for_status().json()['id']}"
        if "program" not in program:
            agent = chance.choice(({"runtime": "demo", "instruction": LONG}, {"command": ["sleep", "20"]}))
            self._accepted(client.post(f"{place}/agent", json=agent))
        elif chance.random() < 0.5:
            client.post(f"{place}/pause", json={})
        if chance.random() < 0.3:
            client.delete(place)

    def _answer(self, chance: random.Random, client: httpx.Client) -> None:
        for item in client.get("approvals?state=waiting").json()["items"]:
            if chance.random() < 0.5:
                option = chance.choice(item["approval"]["options"])["id"]
                client.post(f"approvals/{item['approval']['id']}", json={"option": option})

    # --- after a kill --------------------------------------------------------------------------

    def put_to_the_test(self, documents: list[str]) -> None:
        """Everything that was accepted ends or continues, and every document can be worked on."""
        with self.server.client("ada") as client:
            until(lambda: self._at_rest(client), seconds=FINAL_SECONDS, what="every run to end or to go on")
            for run_id in self.accepted:
                run = client.get(f"runs/{run_id}").raise_for_status().json()
                self.states["went on" if run_id in self.went_on else run["state"]] += 1
                assert run["reason"] and run["finished_at"], run
                assert run["state"] != "failed" or any(words in run["reason"] for words in OUR_DOING), run
            self.accepted.clear()
            until(lambda: not client.get("approvals?state=waiting").json()["items"], what="no question to be open")
            for number, path in enumerate(documents):
                self.works(client, path, MODES[number % len(MODES)])
            terminal = client.post("terminals", json={}).raise_for_status().json()
            client.delete(f"terminals/{terminal['id']}").raise_for_status()

    def _at_rest(self, client: httpx.Client) -> bool:
        """What waits for a person or works for long continues, and holds a place: it is cancelled."""
        listed = [run["id"] for run in client.get("runs?limit=200").json()["items"] if run["state"] not in FINAL]
        self.accepted += [run_id for run_id in listed if run_id not in self.accepted]  # whose reply was lost
        runs = [client.get(f"runs/{run_id}").raise_for_status().json() for run_id in self.accepted]
        left = [run for run in runs if run["state"] not in FINAL]
        for run in left:
            is_long = LONG in run["instruction"] and run["state"] == "running"
            if run["state"] == "waiting" or is_long:
                self.went_on.add(run["id"])
                client.post(f"runs/{run['id']}/cancel", json={})
        return not left

    def works(self, client: httpx.Client, path: str, mode: str) -> None:
        """A further instruction succeeds, and really changes the document."""
        word = f"further-{self.further}"
        run = self.server.run(client, f"append: {word}", kind="editor", path=path, mode=mode, wait=60)
        assert (run["state"], run["reason"]) == ("succeeded", "Finished."), run
        assert word in (self.server.root / path).read_text()
        self.further += 1


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    it = Server(tmp_path, arguments=("--CabinetApp.trust=always", "--CabinetApp.max_concurrent_runs=4")).start()
    yield it
    it.stop()


@pytest.mark.long(reason="kills a server again and again, and looks at all that it had accepted")
@pytest.mark.timeout(120 + 60 * CRASHES)
def test_after_kills_at_random_moments_every_run_ends_and_every_document_can_be_worked_on(server: Server) -> None:
    campaign, chance = Campaign(server, random.Random(SEED)), random.Random(SEED)
    accepted = 0
    for crash in range(CRASHES):
        new = [f"{crash}-{number}.md" for number in range(NEW_DOCUMENTS)]
        for path in new:
            (server.root / path).write_text("# A\n")
        documents = new + chance.sample(campaign.documents, min(2, len(campaign.documents)))
        with campaign.at_work(documents):
            time.sleep(chance.uniform(*WORK_SECONDS))  # the moment is what is random
            children = psutil.Process(server.pid).children(recursive=True)
            server.kill()
        accepted += len(campaign.accepted)
        until(lambda children=children: not [each for each in children if lives(each)], what="every process to end")
        with sqlite3.connect(server.root / ".cabinet/cabinet.db") as raw:
            assert raw.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        server.start()
        campaign.put_to_the_test(documents)
        campaign.documents += new
    with server.client("ada") as client:
        for number, path in enumerate(campaign.documents):
            campaign.works(client, path, MODES[number % len(MODES)])
    assert server.stop() == 0
    print(f"{CRASHES} kills, {accepted} runs accepted: {dict(campaign.states)}; refused: {dict(campaign.refused)}")
    print(f"{campaign.further} further instructions succeeded")
    assert accepted
    assert not re.search(r'File ".*jupyter_cabinet/', server.log)  # no traceback of ours
