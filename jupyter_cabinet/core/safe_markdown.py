"""Makes foreign Markdown safe for places that we do not render ourselves. Pure.

A saved notebook is rendered by any program that opens it: JupyterLab trusts the Markdown of outputs that were made
here, nbconvert and nbviewer use raw HTML unchanged. So only harmless text leaves this module: no raw HTML, no image
that is loaded by itself, only links to http(s) and to files. Renderers differ in what they take for code, so code is
kept unchanged only where all of them agree.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .plain_text import plain

_FENCE = re.compile(r"(?P<indent> {0,12})(?P<mark>`{3,}|~{3,})(?P<about>[^`\n]*)")
_TICKS = re.compile(r"`+")
_TICKED = re.compile(r"(`+)")  # splits into text, ticks, code, ticks, text, …
_FENCE_OF_MORE = re.compile(r"`{3,}|~{3,}")  # in a line where more follows that it could take
_IMAGE = re.compile(r"(?<!!)!+\[")
_TARGET = r"(?P<target>(?:[^()\s]|\([^()\s]*\))*)\)"  # without a title: mathematics in it would end the attribute
_LINK = re.compile(rf"\]\((?:(?={_TARGET}))?")  # looked ahead: a target may contain the next link
_WHOLE_LINK = re.compile(rf"\]\({_TARGET}")
_OPEN = re.compile(r"\]\(|\$|\\[\[(]|~~~")  # a link with a title or over lines, mathematics, a fence
_ADDRESS = re.compile(r"(?:://|www\.)\S*", re.IGNORECASE)
_DISPLAYED = re.compile(r"\$\$|\\\\\[|\\begin\b")  # mathematics that may continue over empty lines
_HARMLESS_TARGET = re.compile(r"https?://[\w./~%#?=,;+@&:()-]+|(?!//)[\w./~-]+|#[\w.-]*", re.ASCII)
_MACRO = re.compile(r"\\(?=(?:href|url|style|class|cssId|require|data|html|include|unicode|mmlToken|csname)\b)")
_BACKSLASH = "&bsol;"  # two of them before a bracket start mathematics in JupyterLab
_LANGUAGE = re.compile(r"[\w+#.-]*", re.ASCII)
_DRAWN = frozenset({"mermaid"})  # languages that JupyterLab draws instead of showing them


def safe_markdown(text: str) -> str:
    """Return Markdown that contains only text, emphasis, lists, tables, code, and links that a person can see.

    Invisible characters are written out as `plain` does. Never raises; the length is not limited.
    """
    shown = plain(text)
    return "\n".join(_blocks(shown.split("\n"), keeps_code=not _DISPLAYED.search(shown)))


def escaped(text: str) -> str:
    """Return our text and other people's names as Markdown that shows all of it as plain text.

    Line breaks and invisible characters are kept: use `one_line` before.
    """
    marked = "".join(f"\\{each}" if each in "`*_[]|#~$" else each for each in text.replace("\\", _BACKSLASH))
    return marked.replace("<", "&lt;")


def fenced(text: str, language: str = "") -> str:
    r"""Return text as a code block, with a fence that is longer than any in the text, made safe by `safe_markdown`.

    Text that JupyterLab could take for mathematics over several lines (`$$`, `\begin`) is escaped inside, too.
    """
    longest = max((len(ticks) for ticks in _TICKS.findall(text)), default=0)
    mark = "`" * max(3, longest + 1)
    return safe_markdown(f"{mark}{language}\n{text}\n{mark}")


def _blocks(lines: list[str], *, keeps_code: bool) -> Iterator[str]:
    at, clear = 0, True  # clear: nothing that an earlier line of the paragraph has opened continues in this one
    while at < len(lines):
        line = lines[at]
        opened = _FENCE.fullmatch(line)
        if opened is not None:
            end = _end_of_fence(lines, at, opened["mark"])
            code = [each.removeprefix(opened["indent"]) for each in lines[at + 1 : end]]
            yield from _code(code if keeps_code else [_harmless(each) for each in code], opened["about"])
            at, clear = end + 1, True
            continue
        clear = not line.strip() or (clear and _is_balanced(line) and _is_settled(line))
        yield _text(line, keeps_code=keeps_code and clear and "|" not in line)
        at += 1


def _end_of_fence(lines: list[str], start: int, mark: str) -> int:
    """Return the line that closes it, or the one after the last."""
    for at in range(start + 1, len(lines)):
        closing = lines[at].strip()
        if set(closing) == {mark[0]} and len(closing) >= len(mark):
            return at
    return len(lines)


def _code(lines: list[str], about: str) -> Iterator[str]:
    """A block that starts at the margin after an empty line is one for every renderer, wherever it was."""
    longest = max((len(ticks) for line in lines for ticks in _TICKS.findall(line)), default=0)
    mark = "`" * max(3, longest + 1)
    found = _LANGUAGE.match(about.strip())
    language = found[0] if found else ""
    yield ""
    yield f"{mark}{'' if language in _DRAWN else language}"
    yield from lines
    yield mark
    yield ""


def _is_balanced(line: str) -> bool:
    """Return whether each run of backticks has its partner in this line, and none is escaped."""
    runs = [len(ticks) for ticks in _TICKS.findall(line)]
    pairs = zip(runs[::2], runs[1::2], strict=False)
    return len(runs) % 2 == 0 and all(one == other for one, other in pairs) and "\\`" not in line


def _is_settled(line: str) -> bool:
    """Return whether nothing before a backtick could take it: an open link, an address, mathematics."""
    outside = [_WHOLE_LINK.sub(_without_harmless, part) for part in _TICKED.split(line)[::4]]
    return not any(_OPEN.search(part) for part in outside) and not any(_takes_backtick(part) for part in outside[:-1])


def _takes_backtick(before: str) -> bool:
    """Return whether an address or a tilde at the end of a text takes the backtick that follows."""
    if not before or before[-1].isspace():
        return False
    return before.endswith("~") or _ADDRESS.search(before.rsplit(maxsplit=1)[-1]) is not None


def _text(line: str, *, keeps_code: bool) -> str:
    if not keeps_code:
        return _harmless(line)
    parts = _TICKED.split(line)
    return "".join(part if at % 4 else _harmless(part) for at, part in enumerate(parts))


def _harmless(text: str) -> str:
    """A backslash before a Markdown character makes it text, and is invisible itself."""
    text = _ADDRESS.sub(_address, text.replace("<", "&lt;"))
    end = max(text.rfind("$"), text.rfind("\\"), 0)
    text = _FENCE_OF_MORE.sub(lambda found: "".join(f"\\{each}" for each in found[0]), text[:end]) + text[end:]
    text = _IMAGE.sub("[", text).replace("]:", r"]\:")
    return _LINK.sub(_link, _MACRO.sub(r"\\ ", text))


def _address(found: re.Match[str]) -> str:
    """JupyterLab inserts mathematics into the finished page unchanged, also into an attribute.

    Here that of a link, in `_FENCE_OF_MORE` that of a language.
    """
    return found[0].replace("$", "%24").replace("\\", "%5C")


def _without_harmless(found: re.Match[str]) -> str:
    return "" if _HARMLESS_TARGET.fullmatch(found["target"]) else found[0]


def _link(found: re.Match[str]) -> str:
    return found[0] if _HARMLESS_TARGET.fullmatch(found["target"] or "") else r"]\("
