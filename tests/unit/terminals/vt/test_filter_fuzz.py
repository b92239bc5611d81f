"""Queries taken out, modes followed: compared with what xterm.js itself does, for any output.

Needs Node and the frontend's packages. `CABINET_FUZZ_EXAMPLES=10000` looks at more, and at others each time.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import pairwise

import pytest
from harness.emulator import Emulator, Step, write
from harness.examples import examples
from harness.outputs import outputs, pieces
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jupyter_cabinet.terminals.screens.backlog import Backlog
from jupyter_cabinet.terminals.vt.blanks import blanked
from jupyter_cabinet.terminals.vt.sieve import Sieve

EXAMPLES = int(os.environ.get("CABINET_FUZZ_EXAMPLES", "0"))
fuzz = settings(
    max_examples=EXAMPLES or examples(60),
    derandomize=not EXAMPLES,
    database=None,
    suppress_health_check=list(HealthCheck),
)


@pytest.fixture(scope="module")
def emulator() -> Iterator[Emulator]:
    it = Emulator()
    yield it
    it.close()


def sieved(data: bytes, cuts: list[int]) -> bytes:
    sieve = Sieve()
    places = sorted({0, len(data), *(cut % (len(data) + 1) for cut in cuts)})
    kept = [sieve.feed(data[start:end])[0] for start, end in pairwise(places)]
    return b"".join([*kept, sieve.rest()])


@fuzz
@given(data=outputs, cuts=st.lists(st.integers(0, 10_000), max_size=6))
def test_a_replay_draws_the_same_screen_as_the_output_and_provokes_no_answer(emulator, data, cuts):
    data += b"\x18"  # what is left open at the end of all is left out
    replayed = blanked(sieved(data, cuts))[0]
    plain, replay = emulator.run(write(data)), emulator.run(write(replayed))
    assert replay["answers"] == []
    assert replay["screen"] == plain["screen"]
    assert replay["modes"] == plain["modes"]


@fuzz
@given(
    output=st.lists(st.one_of(pieces, pieces, pieces, st.tuples(st.integers(20, 60), st.integers(4, 14))), max_size=40),
    capacity=st.sampled_from([16, 64, 256]),
    size=st.integers(1, 256),
)
def test_what_goes_before_a_part_sets_what_the_whole_would_have_set(emulator, output, capacity, size):
    backlog, sieve = Backlog(capacity, first=0, rows=10), Sieve()
    steps: list[tuple[int, Step]] = []
    for each in output:
        if isinstance(each, bytes):
            kept = sieve.feed(each)[0]
            steps.append((backlog.ring.end, write(kept)))
            backlog.append(kept)
        else:
            steps.append((backlog.ring.end, ("resize", *each)))
            backlog.resize(each[1])
    whole = emulator.run(*(step for _, step in steps))
    beginning = backlog.beginning(size)
    ring = backlog.ring
    # Every step is whole, so that a part begins with a step or within a write.
    first = ("write", ring.slice(beginning.offset, ring.end))
    sizes = [step[1:] for offset, step in steps if step[0] == "resize" and offset <= beginning.offset]
    later = [(offset, step) for offset, step in steps if step[0] == "resize" and offset > beginning.offset]
    part: list[Step] = []
    place = beginning.offset
    for offset, step in later:
        part += [write(first[1][place - beginning.offset : offset - beginning.offset]), step]
        place = offset
    part.append(write(first[1][place - beginning.offset :]))
    cols, rows = sizes[-1] if sizes else (40, 10)
    shown = emulator.run(write(beginning.prelude.encode()), *part, cols=cols, rows=rows)
    whole["modes"]["title"] = "".join(each for each in whole["modes"]["title"] if each.isprintable())
    assert shown["modes"] == whole["modes"]
