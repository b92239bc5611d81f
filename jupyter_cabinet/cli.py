"""`jupyter cabinet …`: calls a command of `commands/`, prints what it returns, and determines the exit status.

Exit status: 0 success, 1 failure (the server refused, a run did not succeed, `doctor` found a problem), 2 wrong usage.
The options for settings are here, named as in Jupyter's own commands, which answer before they know any extension.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence

from .client.errors import CabinetError
from .commands.arguments import add_commands
from .commands.printing import Printed, as_json
from .core.plain_text import one_line

FAILED = 1


def main(arguments: Sequence[str] | None = None) -> int:
    """The console script `jupyter-cabinet`, which `jupyter cabinet` calls."""
    given = parser().parse_args(arguments)
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")  # a terminal without emoji
    try:
        printed = _carried_out(given)
    except CabinetError as failed:
        return _told(failed)
    except KeyboardInterrupt:
        sys.stderr.write("\nStopped. Runs that were started continue: `jupyter cabinet runs` lists them.\n")
        return FAILED
    return _written(printed, json=getattr(given, "json", False))


def _carried_out(given: argparse.Namespace) -> Printed:
    from importlib import import_module

    file, _, name = given.work.rpartition(".")
    command: Callable[..., Printed] = getattr(import_module(f".commands.{file}", __package__), name)
    if not given.needs_server:
        return command(given)

    from .client.api import Api
    from .client.connection.server_address import find_server

    with Api(find_server(getattr(given, "url", None), getattr(given, "token", None))) as api:
        return command(api, given)


def _told(failed: CabinetError) -> int:
    sentences = (failed.message, failed.hint)
    sys.stderr.write("\n".join(one_line(sentence) for sentence in sentences if sentence) + "\n")
    return FAILED


def _written(printed: Printed, *, json: bool) -> int:
    try:
        sys.stdout.write((as_json(printed.value) if json else "\n".join(printed.lines)) + "\n")
        sys.stdout.flush()
    except BrokenPipeError:  # such as `… | head`; otherwise the interpreter would complain again at its end
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return printed.status


def parser() -> argparse.ArgumentParser:
    """Return the parser of every command with its options."""
    made = argparse.ArgumentParser(prog="jupyter cabinet", description="Jupyter Cabinet, from the command line.")
    made.add_argument("--version", action=_ShowVersion, nargs=0, help="show the version and exit")
    made.add_argument("--help-all", action=_ListSettings, nargs=0, help="list the settings, with their defaults")
    made.add_argument(
        "--generate-config",
        action=_WriteSettings,
        nargs=0,
        help=("write a configuration file with all of them, commented out"),
    )
    add_commands(made.add_subparsers(dest="command", required=True, metavar="COMMAND"))
    return made


class _ShowVersion(argparse.Action):
    """argparse's own would have to know the version, which takes longer to find than all arguments to read."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from .core.version import VERSION

        sys.stdout.write(f"{VERSION}\n")
        parser.exit()


class _ListSettings(argparse.Action):
    """Like `--version`: print and exit."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from .app import CabinetApp

        CabinetApp.class_print_help()
        parser.exit()


class _WriteSettings(argparse.Action):
    """Like Jupyter's own: ask before overwriting a file."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from .app import CabinetApp

        CabinetApp().write_default_config()
        parser.exit()


if __name__ == "__main__":
    sys.exit(main())
