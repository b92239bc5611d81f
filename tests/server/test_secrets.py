"""Canaries: secrets of the server turn up in no child, log, event, database, prompt or record."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from harness.server import SHARED_TOKEN, Server, processes_below, until
from harness.sockets import frames

CANARY = "canary-7f3a9c2e51"


@pytest.mark.slow(reason="starts a server of its own")
def test_secrets_of_the_server_turn_up_nowhere(tmp_path: Path) -> None:
    environment = {
        "JUPYTERHUB_API_TOKEN": f"{CANARY}-hub",
        "JPY_API_TOKEN": f"{CANARY}-jpy",
        "DATABASE_PASSWORD": f"{CANARY}-database",
        "AWS_SECRET_ACCESS_KEY": f"{CANARY}-aws",
        "CLAUDE_CODE_MESSAGING_TOKEN": f"{CANARY}-messaging",
    }
    arguments = ("--CabinetApp.trust=always", "--ServerApp.log_level=DEBUG")
    server = Server(tmp_path, arguments=arguments, environment=environment, tables=False).start()
    (server.root / "a.md").write_text("# A\n")
    seen: dict[int, bytes] = {}

    def look() -> bool:
        for pid in processes_below(server.pid):
            try:
                seen[pid] = Path(f"/proc/{pid}/environ").read_bytes() + Path(f"/proc/{pid}/cmdline").read_bytes()
            except OSError:
                continue
        return len(seen) >= 2

    with server.client("ada") as client:
        # the token in an instruction: a person's slip must not spread through the records
        run = server.run(
            client, f"sleep 60\nappend: {SHARED_TOKEN}", kind="editor", path="a.md", wait=0, mode="terminal"
        )
        until(look, what="the agent's processes")
        client.post(f"runs/{run['id']}/cancel", json={})
        headless = server.run(client, "sleep 60", wait=0)
        until(
            lambda: look() and client.get(f"runs/{headless['id']}").json()["state"] == "running", what="a second look"
        )
        look()
        client.post(f"runs/{headless['id']}/cancel", json={})
    events = str(frames(server, "events?since=0", until_type="event"))
    server.stop()
    for pid, data in seen.items():
        assert CANARY.encode() not in data and SHARED_TOKEN.encode() not in data, f"process {pid}: {data!r}"
    assert CANARY not in events and SHARED_TOKEN not in events
    secrets = [CANARY.encode(), SHARED_TOKEN.encode()]
    records = [path for path in (server.root / ".cabinet").rglob("*") if path.is_file()]
    assert records
    # what our modules say goes through the server's log, by its level
    for level, logger, said in (("I", "storage.migrate", "database is at version"), ("D", "runs.records", "cancelled")):
        assert re.search(rf"\[{level} \d{{4}}-\d\d-\d\d [\d:.]+ jupyter_cabinet\.{logger}\] .*{said}", server.log), (
            logger
        )
    logged = [line for line in server.log.splitlines() if " ServerApp] Config changed: " not in line]  # Jupyter's own
    assert not [line for line in logged if CANARY in line or SHARED_TOKEN in line]
    for path in [*records, *(server.root / ".agents").rglob("*.jsonl")]:
        content = path.read_bytes()
        assert not [secret for secret in secrets if secret in content], path
