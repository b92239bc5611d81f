"""What is said of a CLI that ended without its answer."""

from __future__ import annotations

import pytest

from jupyter_cabinet.runtimes.shared.exit_failures import last_words

NODE = """node:fs:1410
  const result = binding.mkdir(
Error: EACCES: permission denied, mkdir '/home/ada/.pi'
    at mkdirSync (node:fs:1410:26) {
  errno: -13,
}

Node.js v24.21.0
"""
BUN = """EACCES: permission denied, mkdir '/home/ada/.local'
   path: "/home/ada/.local",
   code: "EACCES"

Bun v1.3.14 (Linux x64 baseline)
"""


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ""),
        ("first\nsecond\n\n", "second"),
        (NODE, "Error: EACCES: permission denied, mkdir '/home/ada/.pi'"),
        (BUN, "EACCES: permission denied, mkdir '/home/ada/.local'"),
        ("Error: " + "x " * 400, ("Error: " + "x " * 400)[:300]),
        ("Error:" + "nospaces" * 20, ""),  # of a screen
    ],
)
def test_its_own_last_words_are_those_that_name_an_error(text, words):
    assert last_words(text) == words
