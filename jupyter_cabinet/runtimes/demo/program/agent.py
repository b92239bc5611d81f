"""The demo agent: a program that behaves like an agent CLI and has no model, no network and no key.

Run as `jupyter-cabinet-demo-agent` or `python -m …runtimes.demo.program.agent`. It imports only its own folder of the
package, so it starts at once.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import uuid
from collections.abc import Sequence
from pathlib import Path

from .instructions import LIST
from .session import ID_PATTERN, Session, folder

VERSION = "1.0.0"
ABOUT = (
    "A demonstration of an agent CLI, for trying out Jupyter Cabinet. It has no model: it understands the "
    "following lines and edits the document that the prompt names (“You are editing PATH.”), only below the "
    "working directory."
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program until it has answered or the person leaves.

    Return the exit code: 0, or 1 with a message on stderr. `arguments`: None: those of the process. Exits itself for
    invalid ones.
    """
    options = _parser().parse_args(arguments)
    session_id = options.resume or options.session_id or str(uuid.uuid4())
    if not ID_PATTERN.fullmatch(session_id):
        return _refuse(f"{session_id!r} is not a usable session ID.")
    session = Session(session_id, folder(os.environ, Path.home()))
    if options.session_id and not options.resume and session.exists:
        return _refuse(f"Session ID {session_id} is already in use.")
    gone = bool(options.resume) and not session.exists
    may = None if options.tools is None else frozenset(filter(None, options.tools.split(",")))
    asks = options.permission_mode == "manual"
    if options.print:
        return _headless(session, gone, may, asks, is_stream=options.input_format == "stream-json")
    if gone:
        return _refuse(f"No conversation found with session ID: {session_id}")
    return _open(options, session, may, asks)


def _headless(session: Session, gone: bool, may: frozenset[str] | None, asks: bool, *, is_stream: bool) -> int:
    from . import stream
    from .control import Control

    if gone:
        return stream.session_gone(session)
    control = Control(sys.stdin.buffer) if is_stream else None
    prompt = control.prompt() if control else sys.stdin.buffer.read().decode(errors="replace")
    if not prompt.strip():
        return _refuse("The prompt on stdin is empty.")
    return stream.run(prompt, Path.cwd(), session, stream.Stream(session, may, asks, control))


def _open(options: argparse.Namespace, session: Session, may: frozenset[str] | None, asks: bool) -> int:
    from .dialogue import Dialogue
    from .hooks import Hooks
    from .keys import raw_mode

    if not (os.isatty(0) and os.isatty(1)):
        return _refuse("This needs a terminal. With --print it reads the prompt from stdin.")
    prompt = options.prompt_file.read_text(encoding="utf-8") if options.prompt_file else options.prompt
    hooks = Hooks(json.loads(options.hook), session, Path.cwd())
    dialogue = Dialogue(0, Path.cwd(), session, hooks, asks)
    dialogue.may = may
    with raw_mode(0):
        return dialogue.run(prompt, "resume" if options.resume else "startup")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="jupyter-cabinet-demo-agent",
        description=ABOUT,
        epilog=LIST,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("prompt", nargs="?", default="", help="the first instruction (in a terminal)")
    parser.add_argument("--prompt-file", type=Path, help="read the first instruction from this file")
    parser.add_argument("-p", "--print", action="store_true", help="prompt on stdin, stream-json on stdout")
    parser.add_argument("--input-format", choices=("text", "stream-json"), help="with --print: what stdin is")
    parser.add_argument("--session-id", help="the id of a new session")
    parser.add_argument("--resume", help="the id of the session to continue")
    parser.add_argument("--permission-mode", choices=("manual", "acceptEdits", "bypassPermissions"))
    parser.add_argument("--tools", help="the tools it may use, separated by commas; empty for none")
    parser.add_argument("--hook", default="[]", help="argv, as JSON, of a program that receives each event")
    parser.add_argument("--version", action="version", version=f"{VERSION} (demo agent)")
    return parser


def _refuse(message: str) -> int:
    print(message, file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
