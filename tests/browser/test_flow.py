"""The whole flow with the demo agent: a person types an instruction beside a document and sees the document change."""

from __future__ import annotations

from collections.abc import Callable

from harness.lab import Lab
from harness.server import Server
from playwright.sync_api import expect

OpenLab = Callable[..., Lab]


def test_an_instruction_changes_the_open_document(lab_server: Server, open_lab: OpenLab) -> None:
    (lab_server.root / "flow.md").write_text("# Flow\n\nFirst line.\n")
    lab = open_lab(lab_server, "flow.md")
    lab.open_editor()
    expect(lab.panel).to_contain_text("flow.md")
    lab.run("append: Written by the agent")
    lab.expect_state("Succeeded")
    lab.expect_document("First line.", "Written by the agent")
    lab.expect_screen("Written by the agent")
    assert (lab_server.root / "flow.md").read_text().endswith("Written by the agent\n")
    lab.run("append: And again")
    lab.expect_document("And again")
    lab.expect_state("Succeeded")
    expect(lab.panel).to_contain_text("2 of 2")
    assert lab.foreign_requests == []
