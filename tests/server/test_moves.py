"""A document that is renamed or moved in Jupyter takes its sessions and its unfinished runs along."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from harness.server import Server, until

pytestmark = pytest.mark.slow(reason="starts real agents")

GO = "go-{}"


def rename(server: Server, client: httpx.Client, old: str, new: str) -> None:
    """As JupyterLab does it."""
    reply = client.patch(f"{server.url}api/contents/{old}", json={"path": new})
    assert reply.status_code == 200, reply.text


def at(client: httpx.Client, run: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = client.get(f"runs/{run['id']}").json()
    return found


def begin(server: Server, client: httpx.Client, path: str, *lines: str, **fields: Any) -> dict[str, Any]:
    """A run that works, and continues with the lines when the file `go-…` is there."""
    (server.root / path).parent.mkdir(exist_ok=True)
    (server.root / path).write_text("# Page\n")
    wait = f"wait for the file {GO.format(path.replace('/', '-'))}"
    run = server.run(client, "\n".join((wait, *lines)), kind="editor", path=path, wait=0, **fields)
    until(lambda: at(client, run)["state"] == "running", what="the run to work")
    return run


def go(server: Server, client: httpx.Client, path: str, run: dict[str, Any]) -> dict[str, Any]:
    (server.root / GO.format(path.replace("/", "-"))).write_text("")
    until(lambda: at(client, run)["finished_at"], what="the end")
    return at(client, run)


def sessions(client: httpx.Client, path: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = client.get("editor/sessions", params={"path": path}).json()["items"]
    return found


@pytest.mark.parametrize("mode", ["terminal", "headless"])
def test_a_document_that_is_renamed_in_mid_run_keeps_its_session_and_the_run_says_so(
    shared_server: Server, mode: str
) -> None:
    old, new = f"old-{mode}.md", f"new-{mode}.md"
    with shared_server.browser_client("ada") as client:
        run = begin(shared_server, client, old, mode=mode)
        rename(shared_server, client, old, new)
        # what the panel asks for when the document's name has changed, at once
        assert [row["session"]["id"] for row in sessions(client, new)] == [run["session_id"]]
        assert sessions(client, old) == []
        working = at(client, run)
        assert working["path"] == new
        assert working["warnings"] == [f"{old} became {new} while the agent worked on it."]
        ended = go(shared_server, client, old, run)
        assert (ended["state"], ended["path"]) == ("succeeded", new)
        assert ended["warnings"] == working["warnings"]
        # the next ten minutes: the next instruction reaches the renamed document, in the same session
        values = {"kind": "editor", "path": new, "mode": mode}
        following = shared_server.run(client, "append: after the renaming", **values)
        assert (following["state"], following["session_id"]) == ("succeeded", run["session_id"])
        if mode == "terminal":
            assert following["terminal_id"] == run["terminal_id"] or run["terminal_id"] is None
        prompt = next(shared_server.root.glob(f".cabinet/runs/**/{following['id']}/prompt.md")).read_text()
        assert prompt.startswith(f"You are editing {new}.\nThe document was renamed: it was {old} before.\n")
        client.post(f"editor/sessions/{run['session_id']}/close", json={})
    assert (shared_server.root / new).read_text().endswith("after the renaming\n")
    assert not (shared_server.root / old).exists()


def test_what_an_agent_writes_under_the_old_name_comes_into_the_renamed_document(shared_server: Server) -> None:
    old, new = shared_server.root / "first.md", shared_server.root / "second.md"
    with shared_server.browser_client("ada") as client:
        run = begin(shared_server, client, "first.md", "append: written by the agent")
        rename(shared_server, client, "first.md", "second.md")
        ended = go(shared_server, client, "first.md", run)
        assert ended["path"] == "second.md"
        assert ended["warnings"][-1] == (
            "The agent wrote to first.md, which was renamed to second.md. Its text was moved to second.md."
        )
        assert new.read_text() == "# Page\n\nwritten by the agent\n" and not old.exists()
        # it can be reviewed and reverted as every other change of the run
        changes = client.get(f"runs/{run['id']}/changes").json()
        found = {file["path"]: file["kind"] for file in changes["files"]}
        assert {path: kind for path, kind in found.items() if path in ("first.md", "second.md")} == {
            "second.md": "changed"
        }
        client.post(f"runs/{run['id']}/changes", json={"decision": "revert", "paths": ["second.md"]})
        assert new.read_text() == "# Page\n" and not old.exists()
        client.post(f"runs/{run['id']}/changes", json={"decision": "undo", "paths": ["second.md"]})
        assert new.read_text() == "# Page\n\nwritten by the agent\n"


def test_both_files_stay_if_a_person_has_saved_the_renamed_document_meanwhile(shared_server: Server) -> None:
    old, new = shared_server.root / "third.md", shared_server.root / "fourth.md"
    with shared_server.browser_client("ada") as client:
        run = begin(shared_server, client, "third.md", "append: written by the agent")
        rename(shared_server, client, "third.md", "fourth.md")
        model = {"type": "file", "format": "text", "content": "# Page of a person\n"}
        assert client.put(f"{shared_server.url}api/contents/fourth.md", json=model).status_code == 200
        ended = go(shared_server, client, "third.md", run)
    assert ended["warnings"][-1] == (
        "The agent wrote to third.md, which was renamed to fourth.md. Both files were kept: third.md contains the "
        "agent's text."
    )
    assert old.read_text() == "written by the agent\n" and new.read_text() == "# Page of a person\n"


def test_another_file_that_a_person_creates_under_the_old_name_is_left_alone(shared_server: Server) -> None:
    with shared_server.browser_client("ada") as client:
        run = begin(shared_server, client, "fifth.md")
        rename(shared_server, client, "fifth.md", "sixth.md")
        model = {"type": "file", "format": "text", "content": "# Another page\n"}
        assert client.put(f"{shared_server.url}api/contents/fifth.md", json=model).status_code == 201
        ended = go(shared_server, client, "fifth.md", run)
    assert ended["warnings"] == ["fifth.md became sixth.md while the agent worked on it."]
    assert (shared_server.root / "fifth.md").read_text() == "# Another page\n"
    assert (shared_server.root / "sixth.md").read_text() == "# Page\n"


def test_a_document_that_is_gone_at_the_end_is_reported(shared_server: Server) -> None:
    with shared_server.browser_client("ada") as client:
        run = begin(shared_server, client, "gone.md")
        (shared_server.root / "gone.md").unlink()
        ended = go(shared_server, client, "gone.md", run)
    assert ended["warnings"] == ["There is no file gone.md any more. It was renamed or deleted while the agent worked."]


def test_a_folder_takes_all_its_documents_along_and_no_neighbour(shared_server: Server) -> None:
    with shared_server.browser_client("ada") as client:
        inside = begin(shared_server, client, "dir_x/page.md")
        others = [begin(shared_server, client, path) for path in ("dir_xy/page.md", "DIR_X/page.md", "dirax/page.md")]
        rename(shared_server, client, "dir_x", "moved")
        until(lambda: at(client, inside)["path"] == "moved/page.md", what="the run to be told")
        assert [at(client, run)["path"] for run in others] == ["dir_xy/page.md", "DIR_X/page.md", "dirax/page.md"]
        assert len(sessions(client, "moved/page.md")) == 1
        for run in others:
            assert [row["session"]["id"] for row in sessions(client, run["path"])] == [run["session_id"]]
        for run in (inside, *others):
            go(shared_server, client, run["path"], run)


def test_what_waits_in_the_queue_works_on_the_renamed_document(shared_server: Server) -> None:
    with shared_server.browser_client("ada") as client:
        first = begin(shared_server, client, "queue.md")
        second = shared_server.run(client, "append: second", kind="editor", path="queue.md", wait=0)
        assert at(client, second)["state"] == "queued"
        rename(shared_server, client, "queue.md", "queued.md")
        until(lambda: at(client, second)["path"] == "queued.md", what="the run to be told")
        go(shared_server, client, "queue.md", first)
        until(lambda: at(client, second)["finished_at"], what="the second run's end")
        ended = at(client, second)
    assert (ended["state"], ended["path"], ended["warnings"]) == ("succeeded", "queued.md", [])
    assert (shared_server.root / "queued.md").read_text().endswith("second\n")
