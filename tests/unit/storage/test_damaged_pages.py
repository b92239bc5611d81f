"""Pages of lists in which a row is damaged: a page that is not full is the last one to whoever reads it."""

from __future__ import annotations

from harness.values import NOW, example_approval, example_run
from sqlalchemy import Connection, Table, update

from jupyter_cabinet.approvals import store as approval_store
from jupyter_cabinet.approvals.model import ApprovalFilter
from jupyter_cabinet.approvals.tables import approvals
from jupyter_cabinet.channels import store as channel_store
from jupyter_cabinet.channels.model import ChannelMessage
from jupyter_cabinet.channels.tables import channel_messages
from jupyter_cabinet.core.people import Principal
from jupyter_cabinet.runs import store as run_store
from jupyter_cabinet.runs.model import NewManualRun, RunFilter
from jupyter_cabinet.runs.tables import runs

ADA = Principal(username="ada", display_name="Ada")


def damage(connection: Connection, table: Table, *ids: str) -> None:
    changed = connection.execute(update(table).where(table.c.id.in_(ids)).values(body="{"))
    assert changed.rowcount == len(ids)


def put_messages(connection: Connection, count: int) -> list[str]:
    """Messages of one chat; return their ids, newest first."""
    ids = [f"{number:04}" for number in range(count)]
    for id in ids:
        message = ChannelMessage(
            id=id, channel_id="c", direction="in", key=id, state="answered", chat="ada", text="Hello", at=NOW
        )
        assert channel_store.insert_message(connection, message)
    return ids[::-1]


def test_a_page_of_a_channel_is_full(connection: Connection) -> None:
    ids = put_messages(connection, 10)
    damage(connection, channel_messages, ids[1], *ids[3:6])
    first = channel_store.list_messages(connection, "c", limit=3)
    assert [each.id for each in first] == [ids[0], ids[2], ids[6]]
    rest = channel_store.list_messages(connection, "c", before=first[-1].number, limit=3)
    assert [each.id for each in rest] == ids[7:]
    assert channel_store.list_messages(connection, "c", limit=0) == []


def test_the_history_of_a_chat_continues_behind_a_damaged_message(connection: Connection) -> None:
    ids = put_messages(connection, 450)
    damage(connection, channel_messages, ids[10], *ids[150:160])
    found, before = [], None
    while len(found) % 200 == 0:
        page = channel_store.list_of_chat(connection, "c", "ada", states=("answered",), before=before, limit=200)
        found += [each.id for each in page]
        before = page[-1].number
    assert found == [id for id in ids if id not in (ids[10], *ids[150:160])]


def test_a_page_of_runs_is_full(connection: Connection) -> None:
    for id in ("1", "2", "3", "4"):
        run_store.insert_run(connection, example_run(id=id), NewManualRun(instruction="x"), "h")
    damage(connection, runs, "3")
    first = run_store.list_runs(connection, RunFilter(limit=2), ADA)
    assert [each.id for each in first] == ["4", "2"]
    assert [each.id for each in run_store.list_runs(connection, RunFilter(limit=2, cursor="2"), ADA)] == ["1"]


def test_a_page_of_approvals_is_full(connection: Connection) -> None:
    for id in ("1", "2", "3"):
        approval_store.insert_approval(connection, example_approval(id=id))
    damage(connection, approvals, "3")
    found = approval_store.list_approvals(connection, ApprovalFilter(limit=2), ADA)
    assert [each.id for each in found] == ["2", "1"]
