"""What the real CLIs hand to their hooks when they ask in a terminal: recorded in `tests/fixtures/cli/questions`.

With JUPYTER_CABINET_UPDATE_GOLDEN set each question is written there; the unit tests read what it asks for.
"""

from __future__ import annotations

import json
import os

import pytest
from harness.golden import UPDATE
from harness.questions import FOLDER, HERE

from jupyter_cabinet.runtimes.claude.runtime import Claude
from jupyter_cabinet.runtimes.codex.runtime import Codex
from jupyter_cabinet.runtimes.model import QuestionAsked
from jupyter_cabinet.runtimes.opencode.runtime import Opencode
from jupyter_cabinet.runtimes.pi.runtime import Pi
from jupyter_cabinet.testing.model_script import Answer, ToolUse

from .conftest import opening

pytestmark = pytest.mark.realcli

PATCH = "*** Begin Patch\n*** Add File: made.txt\n+hello\n*** Update File: old.txt\n@@\n-one\n+two\n*** End Patch\n"
EDITS = [{"oldText": "one", "newText": "two"}]
ESCALATED = {"sandbox_permissions": "require_escalated", "justification": "It needs a file"}
CASES = {
    "claude": (
        Claude,
        "desk",
        {
            "command": ToolUse(name="Bash", arguments={"command": "touch made.txt", "description": "It needs a file"}),
            "write": ToolUse(name="Write", arguments={"path": "made.txt", "content": "hello\n"}),
            "fetch": ToolUse(name="WebFetch", arguments={"url": "https://example.org/a", "prompt": "What is it?"}),
        },
    ),
    "codex": (
        Codex,
        "codex_desk",
        {
            "command": ToolUse(name="exec_command", arguments={"cmd": "touch ../made.txt", **ESCALATED}),
            "patch": ToolUse(name="exec_command", arguments={"cmd": f"apply_patch <<'EOF'\n{PATCH}EOF"}),
        },
    ),
    "opencode": (
        Opencode,
        "opencode_desk",
        {
            "command": ToolUse(name="bash", arguments={"command": "touch made.txt", "description": "It needs a file"}),
            "write": ToolUse(name="write", arguments={"path": "made.txt", "content": "hello\n"}),
            "fetch": ToolUse(name="webfetch", arguments={"url": "https://example.org/a", "format": "text"}),
            "outside": ToolUse(name="read", arguments={"path": "/etc/hostname"}),
        },
    ),
    "pi": (
        Pi,
        "pi_desk",
        {
            "command": ToolUse(name="bash", arguments={"command": "touch made.txt"}),
            "write": ToolUse(name="write", arguments={"path": "made.txt", "content": "hello\n"}),
            "edit": ToolUse(
                name="edit", arguments={"path": "old.txt", "edits": [{"oldText": "one", "newText": "two"}]}
            ),
        },
    ),
}


def told_by_hooks(monkeypatch, adapter):
    """The list that what hooks tell to an adapter's conversations goes into."""
    heard = []
    conversation = adapter.conversation

    def listening(self, request):
        listened = conversation(self, request)
        feed = listened.feed

        def also_heard(source, data):
            heard.extend([data] if source == "hook" else [])
            return feed(source, data)

        monkeypatch.setattr(listened, "feed", also_heard)
        return listened

    monkeypatch.setattr(adapter, "conversation", listening)
    return heard


@pytest.mark.parametrize(("cli", "case"), [(cli, case) for cli, (_, _, uses) in CASES.items() for case in uses])
def test_a_question_is_as_it_was_recorded(request, monkeypatch, model, cli, case):
    adapter, fixture, uses = CASES[cli]
    heard = told_by_hooks(monkeypatch, adapter)
    runtime, desk = adapter(), request.getfixturevalue(fixture)
    if cli == "claude":
        desk.seed()
    (desk.folder / "old.txt").write_text("one\n")
    model.script = [Answer(text="I do it.", tools=(uses[case],)), Answer(text="Done.")]
    with opening(runtime, desk) as open_cli:
        opened = open_cli("Do it.", permission_mode="ask")
        # before its hook has reported a box, a slow machine may report it by the screen
        opened.until(lambda: any(each.options for each in opened.of(QuestionAsked)), seconds=90)
    asked = next(each for each in opened.of(QuestionAsked) if each.options)
    payload = next(json.loads(each) for each in reversed(heard) if b'"PermissionRequest"' in each)
    place = FOLDER / f"{cli}-{case}-{runtime.about.tested}.json"
    if os.environ.get(UPDATE):
        place.parent.mkdir(exist_ok=True)
        text = json.dumps(payload, indent=1, ensure_ascii=False).replace(str(desk.home), "/home/ada")
        here = str(desk.folder).removeprefix("/")
        for spelled, instead in ((here, HERE), (here.replace("/", "-").replace("_", "-"), HERE)):
            text = text.replace(spelled, instead)
        place.write_text(text + "\n")
    assert asked.tool == json.loads(place.read_text()).get("tool_name", asked.tool)
