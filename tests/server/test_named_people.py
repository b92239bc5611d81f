"""The page of the docs about named people, followed: its configuration makes what it promises."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import pytest
from harness.how_to import files_of, shells_of
from harness.server import Server, plain_client

PAGE = Path(__file__).parents[2] / "docs/how-to/give-people-names.md"
NAMES = ("ada", "ben", "rea")


@pytest.mark.slow(reason="a server of its own")
def test_the_configuration_of_the_docs_tells_people_apart(tmp_path: Path) -> None:
    source = files_of(PAGE)["jupyter_server_config.py"]
    for name in NAMES:
        source = source.replace(f"hash-of-{name}s-token", hashlib.sha256(f"token-of-{name}".encode()).hexdigest())
    server = Server(tmp_path, arguments=("--CabinetApp.trust=always",))
    (tmp_path / "config").mkdir(exist_ok=True)
    (tmp_path / "config/jupyter_server_config.py").write_text(source)
    server.start(ready="cabinet/api/health?token=token-of-ada")
    try:
        clients = {
            name: plain_client(f"{server.url}cabinet/api/", headers={"Authorization": f"token token-of-{name}"})
            for name in NAMES
        }
        you = {name: client.get("health").json()["you"] for name, client in clients.items()}
        assert [each["username"] for each in you.values()] == list(NAMES)
        assert [each["may_run"] for each in you.values()] == [True, True, False]
        assert [each["may_pause_all"] for each in you.values()] == [True, False, False]
        made = clients["ben"].post("runs", json={"instruction": "hello", "runtime": "demo"})
        assert made.status_code == 201
        seen = {name: client.get(f"runs/{made.json()['id']}").status_code for name, client in clients.items()}
        assert seen == {"ada": 200, "ben": 200, "rea": 404}
        assert clients["rea"].post("runs", json={"instruction": "hello", "runtime": "demo"}).status_code == 403
        with plain_client(f"{server.url}cabinet/api/", headers={"Authorization": "token token-of-eve"}) as stranger:
            assert stranger.get("health").status_code == 401
        for client in clients.values():
            client.close()
    finally:
        server.stop()


def test_its_command_prints_a_token_and_its_hash(capsys: pytest.CaptureFixture[str]) -> None:
    [command] = shells_of(PAGE)
    source = re.fullmatch(r'python -c "(.*)"', command)
    assert source
    exec(source[1])
    token, digest = capsys.readouterr().out.split()
    assert hashlib.sha256(token.encode()).hexdigest() == digest
