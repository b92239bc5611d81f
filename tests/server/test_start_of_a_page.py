"""What a page of JupyterLab gets of us at its start, opened or not: settings, its configuration, JavaScript."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest
from harness.server import LabServer, Server

SETTINGS_BYTES = 12 * 1024  # the schema goes out twice, plain and parsed
CONFIGURATION_BYTES = 1024
SCRIPTS = Path(__file__).parents[2] / "labextension" / "scripts"


@pytest.mark.slow(reason="starts JupyterLab")
def test_settings_and_configuration_of_a_page_keep_to_their_budget(tmp_path: Path) -> None:
    server = LabServer(tmp_path).start()
    try:
        with server.client("ada") as client:
            found = client.get(f"{server.url}lab/api/settings").json()["settings"]
            page = client.get(f"{server.url}lab").text
    finally:
        server.stop()
    ours = [setting for setting in found if setting["id"].startswith("jupyter-cabinet:")]
    assert [setting["id"] for setting in ours] == ["jupyter-cabinet:plugin"]
    assert len(json.dumps(ours)) < SETTINGS_BYTES
    embedded = re.search(r'id="jupyter-config-data" type="application/json">(.*?)</script>', page, re.DOTALL)
    assert embedded is not None
    extensions = json.loads(embedded[1])["federated_extensions"]
    assert len(json.dumps([one for one in extensions if one["name"] == "jupyter-cabinet"])) < CONFIGURATION_BYTES


@pytest.mark.parametrize("username", ["root", "ada", "rea"])
def test_a_page_is_told_beforehand_who_may_pause_all(people_server: Server, username: str) -> None:
    with people_server.browser_client(username) as client:
        may = client.get("health").json()["you"]["may_pause_all"]
        answered = client.post("switch", json={"paused": False})
    assert may == (username == "root")
    assert answered.status_code == (200 if may else 403)


@pytest.mark.parametrize("username", ["root", "ada", "rea"])
def test_a_page_is_told_beforehand_what_it_may_change(people_server: Server, username: str) -> None:
    routes = {"may_change_agents": "skills", "may_use_channels": "channels", "may_trust": "trust"}
    with people_server.browser_client(username) as client:
        you = client.get("health").json()["you"]
        answers = {right: client.post(route, json={}).status_code for right, route in routes.items()}
    assert {right: you[right] for right in routes} == {right: status != 403 for right, status in answers.items()}


def test_a_program_is_told_that_it_may_not_trust_the_folder(people_server: Server) -> None:
    with people_server.client("root") as client:
        assert client.get("health").json()["you"]["may_trust"] is False


@pytest.mark.slow(reason="starts Node")
def test_the_javascript_of_the_start_keeps_to_its_budget() -> None:
    done = subprocess.run(["node", SCRIPTS / "size.mjs"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
