"""What is said to an ACP agent, and which of its questions are as the protocol says."""

from __future__ import annotations

from jupyter_cabinet.runtimes.acp import messages
from jupyter_cabinet.runtimes.model import McpServer

SERVER = McpServer(name="cab", command=("/bin/x", "y"), environment={"A": "1"})


def test_the_extra_is_there_or_is_not(monkeypatch):
    assert messages.is_installed()
    monkeypatch.setattr(messages, "PACKAGE", "no_such_package_anywhere")
    assert not messages.is_installed()


def test_a_reply_names_the_option_or_says_that_nobody_answers():
    assert messages.answered("once") == {"outcome": {"outcome": "selected", "optionId": "once"}}
    assert messages.answered(None) == {"outcome": {"outcome": "cancelled"}}


def test_a_session_gets_the_folder_and_the_tool_servers():
    servers = [{"name": "cab", "command": "/bin/x", "args": ["y"], "env": [{"name": "A", "value": "1"}]}]
    assert messages.new_session("/w", (SERVER,)) == {"cwd": "/w", "mcpServers": servers}
    assert messages.load_session("a1", "/w", ()) == {"sessionId": "a1", "cwd": "/w", "mcpServers": []}


def test_a_mode_an_option_and_a_prompt_name_their_session():
    assert messages.set_mode("a1", "yolo") == {"sessionId": "a1", "modeId": "yolo"}
    option = messages.set_option("a1", "model", "big")
    assert (option["sessionId"], option["configId"], option["value"]) == ("a1", "model", "big")
    said = messages.prompt("a1", "Hi.")
    assert said == {"sessionId": "a1", "prompt": [{"type": "text", "text": "Hi."}]}


def test_we_offer_no_files_and_no_terminals():
    said = messages.initialize("1.0")
    assert said["protocolVersion"] == messages.PROTOCOL_VERSION
    assert said["clientInfo"]["version"] == "1.0"
    assert said["clientCapabilities"]["terminal"] is False


def test_a_question_has_its_answers_only_where_it_is_as_the_protocol_says():
    options = [{"optionId": "once", "name": "Yes", "kind": "allow_once"}]
    asked = {"sessionId": "a1", "toolCall": {"toolCallId": "c1"}, "options": options}
    assert messages.permission(asked) == [("once", "Yes", "allow_once")]
    assert messages.permission({**asked, "options": "all"}) is None
    assert messages.permission(None) is None
