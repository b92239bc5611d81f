"""What a person has said in the sessions that pi stores: words, attached files, and an interruption."""

from __future__ import annotations

from jupyter_cabinet.runtimes.shared.messages.pi_sessions import read_line


def entries(role: str, content: object, **more: object) -> list[tuple[str, str]]:
    line = {"type": "message", "id": "a", "parentId": None, "message": {"role": role, "content": content, **more}}
    return [(item.kind, item.text) for item in read_line(0, line)]


def test_files_on_the_command_line_are_attachments_and_not_words() -> None:
    image = {"type": "image", "mimeType": "image/png", "data": "AAAA"}
    text = {"type": "text", "text": '<file name="/red.png"></file>\n<file name="/a.txt">\nplums\n</file>\nCompare.'}
    assert entries("user", [text, image]) == [
        ("attachment", "/red.png"),
        ("attachment", "/a.txt"),
        ("user", "Compare."),
    ]
    assert entries("user", [{"type": "text", "text": "Look."}, image]) == [
        ("attachment", "image/png"),
        ("user", "Look."),
    ]


def test_an_interruption_is_not_an_error() -> None:
    said = [{"type": "text", "text": "One, two"}]
    assert entries("assistant", said, stopReason="aborted") == [("assistant", "One, two"), ("other", "interrupted")]
