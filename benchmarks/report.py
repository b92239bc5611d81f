"""Keeps figures: raw ones as JSON, one file for each measurement; the table of all in `README.md`."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable, Sequence
from importlib.metadata import version
from pathlib import Path
from statistics import median

import msgspec

from .figures import Figure

HERE = Path(__file__).parent
README = HERE / "README.md"
BEGIN, END = "<!-- figures -->", "<!-- end of figures -->"
HEAD = "| what | ours | peer | peer is | aim | found |\n| --- | ---: | ---: | --- | --- | --- |"


class Kept(msgspec.Struct, frozen=True, kw_only=True):
    """One file of `results/`."""

    machine: str
    figures: tuple[Figure, ...]


def keep(name: str, figures: Sequence[Figure]) -> None:
    data = msgspec.json.encode(Kept(machine=machine(), figures=tuple(figures)))
    _path(name).parent.mkdir(exist_ok=True)
    _path(name).write_bytes(msgspec.json.format(data, indent=1) + b"\n")


def write_table(names: Iterable[str]) -> None:
    """Put what is kept of these measurements between the marks in `README.md`."""
    kept = [msgspec.json.decode(_path(name).read_bytes(), type=Kept) for name in names if _path(name).exists()]
    figures = [figure for each in kept for figure in each.figures]
    machines = sorted({each.machine for each in kept})
    before, rest = README.read_text().split(BEGIN)
    after = rest.split(END)[1]
    text = f"{BEGIN}\n{table(figures)}\n\nMeasured on: {'; '.join(machines)}.\n{END}"
    README.write_text(before + text + after)


def table(figures: Sequence[Figure]) -> str:
    return "\n".join([HEAD, *(_row(figure) for figure in figures)])


def machine() -> str:
    names = ("jupyterlab", "jupyter-server")
    versions = ", ".join(f"{name} {version(name)}" for name in names)
    return (
        f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores ({_processor()}),"
        f" Python {platform.python_version()}, {versions}"
    )


def _row(figure: Figure) -> str:
    unit = figure.unit
    bound = "≥" if figure.at_least else "≤"
    aim = {
        "ratio": f"{bound} {figure.aim:.3g} ×",
        "difference": f"{bound} {figure.aim:g} {unit} more",
        "ours": f"{bound} {figure.aim:g} {unit}",
    }[figure.measure]
    found = {
        "ratio": f"{figure.value:.3f} ×",
        "difference": f"{figure.value:+.2f} {unit}",
        "ours": f"{figure.value:.2f} {unit}",
    }[figure.measure]
    ours, peer = median(figure.ours), median(figure.peer)
    verdict = found if figure.met else f"**missed**: {found}"
    return f"| {figure.what} | {ours:.2f} {unit} | {peer:.2f} {unit} | {figure.peer_is} | {aim} | {verdict} |"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or "unknown"
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else "unknown"


def _path(name: str) -> Path:
    return HERE / "results" / f"{name}.json"
