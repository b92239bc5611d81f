"""Behind a real JupyterHub: a person in the browser confirms and answers, what has a token alone does not."""

from __future__ import annotations

import os
import re
import shutil
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from harness.hub import PASSWORD, Hub
from harness.lab import Lab
from harness.server import until
from playwright.sync_api import Page, expect, sync_playwright

from jupyter_cabinet import Cabinet
from jupyter_cabinet.client import RequestRefused, server_of_kernel
from jupyter_cabinet.web.sockets import RIGHTS_CHECKED_EVERY_SECONDS

from .homes import installed, search_path

pytest.importorskip("jupyterhub")
pytestmark = [pytest.mark.browser, pytest.mark.slow(reason="a Hub, a server behind it and Chromium start")]
CHECKS = 3.5  # of who is at the other end of a connection, while it is open
SCREENSHOTS = Path(__file__).parents[2] / "test-results" / "screenshots"


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hub]:
    proxy = installed("configurable-http-proxy")
    place = tmp_path_factory.mktemp("hub")
    hub = Hub(place, proxy=proxy, search_path=os.pathsep.join([str(proxy.parent), search_path()])).start()
    yield hub
    hub.stop()


@pytest.fixture
def page() -> Iterator[Page]:
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    with sync_playwright() as playwright:
        flags = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking"]
        browser = playwright.chromium.launch(executable_path=path, args=flags)
        yield browser.new_page(viewport={"width": 1440, "height": 900})
        browser.close()


def log_in(hub: Hub, page: Page, username: str, document: str) -> Lab:
    """Log in, start a server, open a document."""
    lab = Lab(page, hub, screenshots=SCREENSHOTS)  # type: ignore[arg-type]
    lab.write_settings()
    (hub.root(username) / document).write_text("# Page\n")
    page.goto(f"{hub.origin}/hub/login?next=/hub/spawn/{username}?next=/user/{username}/lab/tree/{document}")
    page.get_by_label("Username").fill(username)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(re.compile(f"/user/{username}/lab"), timeout=60_000)
    lab.wait_ready()
    return lab


def program(hub: Hub, username: str, **headers: str) -> httpx.Client:
    """What a kernel or a script has: the server's token."""
    named = {"Authorization": f"token {hub.token_of_the_server(username)}", **headers}
    return httpx.Client(base_url=f"{hub.url(username)}cabinet/api/", headers=named, timeout=30)


def test_a_person_behind_a_hub_confirms_the_folder_and_answers_and_no_program_does(hub: Hub, page: Page) -> None:
    opened: Counter[str] = Counter()
    page.on("websocket", lambda socket: opened.update([urlsplit(socket.url).path]))
    lab = log_in(hub, page, "ada", "asks.md")
    seen_at = time.monotonic()
    with program(hub, "ada") as kernel, program(hub, "ada", Origin=hub.origin) as imitator:
        confirmation = {"hash": kernel.get("trust").json()["hash"]}
        for each in (kernel, imitator):
            assert not each.get("health").json()["you"]["in_browser"]
            assert _refused(each.post("trust", json=confirmation))
        lab.open_editor()
        lab.panel.get_by_role("combobox", name="Permission mode").select_option(label="Ask first")
        lab.run("append: written behind a hub")
        lab.button("Trust this folder").click()
        lab.expect_state("Waiting for you", seconds=60)
        asked = until(lambda: kernel.get("approvals", params={"state": "waiting"}).json()["items"], what="its question")
        assert [item["may_answer"] for item in asked] == [False]
        for each in (kernel, imitator):
            assert _refused(each.post(f"approvals/{asked[0]['approval']['id']}", json={"option": "allow"}))
        allow = lab.panel.get_by_role("button", name="Allow once")
        expect(allow).to_have_attribute("aria-disabled", "false")
        allow.click()
        lab.expect_state("Succeeded", seconds=60)
        lab.expect_document("written behind a hub")
        run = kernel.get("runs").json()["items"][0]
        assert (run["owner"], run["trigger"]["username"], run["state"]) == ("ada", "ada", "succeeded")
    assert lab.errors == []
    # nothing but time tells that the checks of an open connection were made
    page.wait_for_timeout(max(0, seen_at + CHECKS * RIGHTS_CHECKED_EVERY_SECONDS - time.monotonic()) * 1000)
    warned = Counter(re.findall(r"Skipping XSRF check for insecure request GET (\S*/cabinet/api/\S*)", hub.log))
    assert warned["/user/ada/cabinet/api/events"] and warned <= opened, (warned, opened)


def test_a_kernel_behind_a_hub_finds_its_own_server(hub: Hub, page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    log_in(hub, page, "ben", "page.md")
    environment = hub.environment_of_kernels("ben")
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", environment["JUPYTER_RUNTIME_DIR"])
    by_its_file = server_of_kernel(environment)
    by_variables = server_of_kernel({name: value for name, value in environment.items() if name != "JPY_PARENT_PID"})
    assert by_its_file.url == by_variables.url and by_its_file.url.endswith("/user/ben/")
    assert by_its_file.token == by_variables.token == environment["JUPYTERHUB_API_TOKEN"]
    for name in ("JPY_PARENT_PID", *(each for each in environment if each.startswith("JUPYTERHUB_"))):
        monkeypatch.setenv(name, environment[name])
    with Cabinet() as cabinet:
        assert Path(cabinet.root) == hub.root("ben") and not cabinet.status().trusted
        with pytest.raises(RequestRefused, match="confirm the folder") as refused:
            cabinet.run("hello").accepted()  # Playwright has an event loop on this thread
        assert refused.value.kind == "not_trusted"


def _refused(reply: Any) -> bool:
    return (reply.status_code, reply.json()["error"]["kind"]) == (403, "not_allowed")
