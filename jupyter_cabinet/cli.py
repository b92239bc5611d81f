"""`jupyter cabinet …`: its arguments, and how it ends. `commands/` does the work.

Exit status: 0 it was done, 1 it was not (the server refused, a run did not succeed, `doctor` found something), 2 it was
called in a wrong way. The options for settings are here as Jupyter's own commands name them: those answer before they
know of any extension.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any

from .client.errors import CabinetError
from .commands.printing import Printed, as_json
from .core.plain_text import one_line
from .core.version import VERSION

FAILED = 1


def main(arguments: Sequence[str] | None = None) -> int:
    """The console script `jupyter-cabinet`, which `jupyter cabinet` calls."""
    given = parser().parse_args(arguments)
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")  # a terminal that has no emoji
    try:
        printed: Printed = given.work(given)
    except CabinetError as failed:
        return _told(failed)
    except KeyboardInterrupt:
        sys.stderr.write("\nStopped. A run that was started goes on: `jupyter cabinet runs` lists it.\n")
        return FAILED
    return _written(printed, json=getattr(given, "json", False))


def _told(failed: CabinetError) -> int:
    sentences = (failed.message, failed.hint)
    sys.stderr.write("\n".join(one_line(sentence) for sentence in sentences if sentence) + "\n")
    return FAILED


def _written(printed: Printed, *, json: bool) -> int:
    try:
        sys.stdout.write((as_json(printed.value) if json else "\n".join(printed.lines)) + "\n")
        sys.stdout.flush()
    except BrokenPipeError:  # such as `… | head`; the interpreter would complain once more at its end
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return printed.status


# --- arguments -------------------------------------------------------------------------------


def parser() -> argparse.ArgumentParser:
    """Every command with its options."""
    made = argparse.ArgumentParser(prog="jupyter cabinet", description="Jupyter Cabinet, from the command line.")
    made.add_argument("--version", action="version", version=VERSION)
    made.add_argument("--help-all", action=_ListSettings, nargs=0, help="list the settings, with their defaults")
    made.add_argument(
        "--generate-config", action=_WriteSettings, nargs=0, help="write a configuration file with all of them, unset"
    )
    commands = made.add_subparsers(dest="command", required=True, metavar="COMMAND")
    _add_agents(commands)
    _add_work(commands)
    _add_plays(commands)
    _add_runs(commands)
    _add_changes(commands)
    _add_record(commands)
    _add_doctor(commands)
    return made


def _add_agents(commands: Any) -> None:
    agents = _command(commands, "agents", "agents.listed", "the agents here: status, schedule, budget")
    inner = agents.add_subparsers(dest="what", metavar="WHAT")
    _slug(_command(inner, "show", "agents.shown", "one agent: what it is, may and does next"))
    _slug(_command(inner, "prompt", "agents.prompt", "what a heartbeat would be told now"))
    new = _command(inner, "new", "agents.made", "make an agent from a template")
    _slug(new)
    new.add_argument("--template", required=True, help="what to begin with, such as research")


def _add_work(commands: Any) -> None:
    run = _command(commands, "run", "agents.started", "let an agent work now: a heartbeat, or an instruction")
    _slug(run)
    run.add_argument("instruction", nargs="?", help="what it shall do, instead of a heartbeat")
    _wait(run)
    pause = _command(commands, "pause", "agents.paused", "pause an agent; without a name, all work here")
    pause.add_argument("slug", nargs="?", metavar="AGENT", type=_name)
    pause.add_argument("--now", action="store_true", help="also end what works")
    resume = _command(commands, "resume", "agents.resumed", "let an agent, or all of them, work again")
    resume.add_argument("slug", nargs="?", metavar="AGENT", type=_name)


def _add_plays(commands: Any) -> None:
    plays = _command(commands, "plays", "plays.listed", "the plays here: agent, schedule, next time")
    run = _command(plays.add_subparsers(dest="what", metavar="WHAT"), "run", "plays.started", "start a play now")
    _slug(run, "PLAY")
    run.add_argument("inputs", nargs="*", metavar="KEY=VALUE", help="an input of the play")
    _wait(run)


def _add_runs(commands: Any) -> None:
    runs = _command(commands, "runs", "runs.listed", "the runs, newest first")
    runs.add_argument("--agent", help="only those of this agent")
    runs.add_argument("--state", help="only those in this state, such as failed")
    runs.add_argument("--limit", type=int, default=20, help="at most so many; 20 where it is not given, at most 200")
    inner = runs.add_subparsers(dest="what", metavar="WHAT")
    for name, about in (("show", "how a run ended, its effects and its answer"), ("cancel", "end a run")):
        work = "runs.shown" if name == "show" else "runs.cancelled"
        _command(inner, name, work, about).add_argument("id", metavar="RUN", type=_run_id)


def _add_changes(commands: Any) -> None:
    changes = _command(commands, "changes", "changes.shown", "what a run has changed")
    changes.add_argument("id", metavar="RUN", type=_run_id)
    changes.add_argument("--patch", action="store_true", help="also the lines of every file")
    changes.add_argument("--file", metavar="PATH", help="the lines of this file only")


def _add_record(commands: Any) -> None:
    record = _command(commands, "record", "record.shown", "what agents did here: who asked, what it changed and cost")
    record.add_argument("--person", help="only what this person has asked for, by user name or display name")
    for name in ("agent", "runtime", "kind", "state"):
        record.add_argument(f"--{name}", help=f"only runs of this {name}")
    record.add_argument("--path", help="only runs about this document, or one in this folder")
    record.add_argument("--since", type=_time, metavar="TIME", help="only from then on, such as 2026-03-01T08:00")
    record.add_argument("--until", type=_time, metavar="TIME", help="only before then")
    record.add_argument("--changed", action="store_true", help="only runs that have changed files")
    record.add_argument("--asked", action="store_true", help="only runs that have asked something")
    record.add_argument("--query", dest="q", metavar="WORDS", help="only with these words in the instruction")
    record.add_argument("--limit", type=int, default=20, help="at most so many; 20 where it is not given, at most 200")
    record.add_argument(
        "--export",
        type=_export_file,
        metavar="FILE",
        help="write all of it to a new file that ends in .jsonl or .ipynb",
    )


def _time(text: str) -> Any:
    from .commands.record import point_in_time

    return point_in_time(text)


def _export_file(text: str) -> Any:
    from .commands.record import export_file

    return export_file(text)


def _add_doctor(commands: Any) -> None:
    doctor = commands.add_parser("doctor", help="what was found here, what is missing and how to get it")
    doctor.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="print it for programs")
    doctor.add_argument("--root", default=".", help="the server's folder; the current directory where it is not given")
    doctor.set_defaults(work=_examined)


def _command(commands: Any, name: str, work: str, about: str) -> Any:
    """A command that talks to a server. `work`: its file in `commands/` and its function there."""
    made = commands.add_parser(name, help=about, description=f"{about[0].upper()}{about[1:]}.")
    # without a default: an inner command's would wipe out what was given before its name
    made.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="print it for programs")
    made.add_argument("--url", default=argparse.SUPPRESS, help="address of the server, instead of the one found here")
    made.add_argument(
        "--token",
        default=argparse.SUPPRESS,
        help="its token. Better in the environment variable JUPYTER_TOKEN: others can see a command line",
    )
    made.set_defaults(work=_with_server(work))
    return made


def _slug(command: Any, metavar: str = "AGENT") -> None:
    command.add_argument("slug", metavar=metavar, type=_name)


def _wait(command: Any) -> None:
    command.add_argument("--wait", action="store_true", help="until its end, and print what came of it")


def _name(text: str) -> str:
    """It becomes part of an address."""
    from .core.slugs import is_slug

    if not is_slug(text):
        raise argparse.ArgumentTypeError("a name has lower-case letters, digits and hyphens only")
    return text


def _run_id(text: str) -> str:
    if not text or not all(each.isascii() and (each.isalnum() or each == "-") for each in text):
        raise argparse.ArgumentTypeError("this is no id of a run; `jupyter cabinet runs` lists them")
    return text


def _with_server(work: str) -> Callable[[argparse.Namespace], Printed]:
    def asked(given: argparse.Namespace) -> Printed:
        from importlib import import_module

        from .client.api import Api
        from .client.server_address import find_server

        file, _, name = work.partition(".")
        command = getattr(import_module(f".commands.{file}", __package__), name)
        with Api(find_server(getattr(given, "url", None), getattr(given, "token", None))) as api:
            printed: Printed = command(api, given)
        return printed

    return asked


def _examined(given: argparse.Namespace) -> Printed:
    from .commands.doctor import examined

    return examined(given)


class _ListSettings(argparse.Action):
    """Like `--version`: says it and ends."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from .app import CabinetApp

        CabinetApp.class_print_help()
        parser.exit()


class _WriteSettings(argparse.Action):
    """Like Jupyter's own: asks before it writes over a file."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from .app import CabinetApp

        CabinetApp().write_default_config()
        parser.exit()


if __name__ == "__main__":
    sys.exit(main())
