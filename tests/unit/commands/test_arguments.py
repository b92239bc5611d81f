"""The commands and their arguments."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from importlib import import_module

from jupyter_cabinet.cli import parser


def commands(of: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    """Every command below a parser, and the commands in it."""
    for action in of._actions:
        if isinstance(action, argparse._SubParsersAction):
            for inner in action.choices.values():
                yield inner
                yield from commands(inner)


def test_every_command_names_a_function_that_exists() -> None:
    named = {work for each in commands(parser()) if (work := each.get_default("work")) is not None}
    assert {"agents.listed", "without_server.doctor.examined", "without_server.database.copied"} <= named
    for work in named:
        file, _, name = work.rpartition(".")
        assert callable(getattr(import_module(f"jupyter_cabinet.commands.{file}"), name)), work
