"""A text that people share in real time, and an agent that writes its file meanwhile."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from harness.lab import Lab
from harness.server import Server, until

OpenLab = Callable[..., Lab]


@pytest.mark.long(reason="shared rooms are tested without a browser")
def test_what_somebody_types_in_a_shared_text_stays_while_an_agents_change_comes(
    rtc_server: Server, open_lab: OpenLab
) -> None:
    page = rtc_server.root / "typed-on.md"
    page.write_text("# Page\n\nfirst\n")
    lab = open_lab(rtc_server, page.name)
    lab.expect_document("first")
    with rtc_server.client("ada") as client:
        values = {"kind": "editor", "path": page.name, "runtime": "demo", "mode": "headless"}
        run = rtc_server.run(client, "wait for the file typed-on", wait=0, **values)
        until(lambda: client.get(f"runs/{run['id']}").json()["state"] == "running", what="the run to work")
        lab.page.locator(".jp-Document:not(.lm-mod-hidden) .cm-content").first.click()
        lab.page.keyboard.press("Control+End")
        words = [f"word{number}" for number in range(60)]
        for number, word in enumerate(words):
            if number == 20:  # as an agent's program does: the file as it is, with its own change
                page.write_text(page.read_text().replace("# Page", "# Page by the agent"))
            lab.page.keyboard.type(f"{word} ", delay=10)
        (rtc_server.root / "typed-on").touch()
        until(lambda: client.get(f"runs/{run['id']}").json()["finished_at"], what="its end")

    def whole(text: str) -> bool:
        return "# Page by the agent" in text and all(word in text.split() for word in words)

    until(lambda: whole(page.read_text()), what="both changes in the file")
    assert whole(lab.document_text), lab.document_text
    lab.page.keyboard.type("afterwards")  # the document can be used as before
    until(lambda: "afterwards" in page.read_text() and whole(page.read_text()), what="the next save")
