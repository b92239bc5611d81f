"""Parses shell text into simple commands, and finds everything that has no certain meaning. Pure.

The grammar is tree-sitter's of bash. It accepts almost any text, and the shell of a CLI may be another one, so the
grammar by itself gives no certainty: a text is certain only if every node is one of a short list, every bare word has
plain characters, and Python's `shlex` finds the same words. Called by `rule_evaluation.py`.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Literal, NamedTuple

import msgspec
import tree_sitter_bash
from tree_sitter import Language, Node, Parser

from .shell_programs import doubt_of

# characters: some texts take the parser time with the square of their length, so this much takes a second
LONGEST_PARSED = 10_000
_BASH = Language(tree_sitter_bash.language())
# No shell gives these another meaning, at any position in a word; `=` only at its beginning, in zsh.
_BARE = re.compile(r"[A-Za-z0-9_@%+:,./-][A-Za-z0-9_@%+:,./=-]*")
# The grammar (0.25.1) gives each character to C's `isalpha`, which reads beyond its table for large ones and crashes
# the process. So each is replaced by a letter, and offsets in bytes are offsets in the text.
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")
_ACTIVE_IN_QUOTES = re.compile(r"[\\$`!]")
_WORDS = ("word", "number", "string", "raw_string", "ansi_c_string", "translated_string", "concatenation")
_BESIDE_WORDS = ("variable_assignment", "file_redirect", "herestring_redirect", "heredoc_redirect")
_CERTAIN = {
    *("program", "list", "pipeline", "subshell", "compound_statement", "redirected_statement"),
    *("command", "command_name", "word", "number", "string", "string_content", "raw_string", "concatenation"),
    *("&&", "||", ";", "|", "(", ")", "{", "}", '"', "\n"),
}
_DOUBTS = {
    "simple_expansion": "uses a variable",
    "expansion": "uses a variable",
    "command_substitution": "takes words from the output of another command",
    "process_substitution": "hands over the output of another command as a file",
    "arithmetic_expansion": "calculates a word",
    "brace_expression": "uses a brace expansion",
    "variable_assignment": "sets a variable",
    "declaration_command": "sets a variable",
    "unset_command": "changes variables or functions",
    "function_definition": "defines a function",
    "heredoc_redirect": "has a here-document",
    "herestring_redirect": "has a here-document",
    "file_redirect": "reads or writes a file by a redirection",
    "comment": "has a comment",
    "&": "runs something in the background",
    "ansi_c_string": "has a word with escapes",
}
_STREAMS = tuple("0123456789")
_REDIRECTION = re.compile(r"[<>]|&>")
_BEFORE_A_STREAM = " \t\n;|&(){}"
_UNSURE = "has a form whose meaning is not certain"
_SPECIAL = "has characters that a shell may expand"


Words = tuple[str, ...]  # a program with its arguments, without quotes; an uncertain one is the nearest guess


# The input of a command, or the use of its output: the output of the previous one, words or a file of another command.
How = Literal["", "pipe", "substitution"]


class ShellText(msgspec.Struct, frozen=True):
    """The commands in a text. Only a text without doubts runs exactly these. A doubt continues “the command …”."""

    commands: tuple[Words, ...] = ()
    inputs: tuple[str, ...] = ()  # here-documents: shell text, if a shell reads them
    doubts: tuple[str, ...] = ()
    sources: tuple[tuple[str, How], ...] = ()  # of each command, as written in the text


@lru_cache(maxsize=256)  # of one question for each rule
def read(text: str) -> ShellText:
    """Read shell lines.

    It never fails: unreadable text has doubts, and text over `LONGEST_PARSED` characters no commands. Runs nothing. The
    last results are kept in memory.
    """
    if len(text) > LONGEST_PARSED:
        return ShellText(doubts=("is too long to be read",))
    reader = _Reader(text)
    if any(not (each.isprintable() or each in "\n\t") for each in text):
        reader.doubt("has control characters or invisible ones")
    tree = Parser(_BASH).parse(_NOT_ASCII.sub("x", text).encode())
    if tree.root_node.has_error:
        reader.doubt("cannot be parsed")
    reader.walk(tree.root_node)
    if not _reads_alike(text, reader.flat):
        reader.doubt("can be read in more than one way")
    return reader.found()


def read_argv(argv: Words) -> ShellText:
    """Return a program that is started without a shell, as text with one command and no sources."""
    hidden = any(not each.isprintable() for word in argv for each in word)
    found = ("has control characters or invisible ones" if hidden else "", doubt_of(argv))
    return ShellText(commands=(argv,), doubts=tuple(doubt for doubt in found if doubt))


class _Open(NamedTuple):
    """A node that has still to be visited. `behind`: words that belong to it and come later in the text."""

    node: Node
    in_word: bool = False
    behind: Sequence[Node] = ()
    how: How = ""


class _Reader:
    """Collects the contents of a tree, in the order of the text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.doubts: dict[str, None] = {}
        self.flat: list[str] = []  # every word, whatever its role
        self._commands: list[Words] = []
        self._inputs: list[str] = []
        self._sources: list[tuple[str, How]] = []

    def doubt(self, why: str) -> None:
        self.doubts[why] = None

    def found(self) -> ShellText:
        if not self._commands:
            self.doubt("has no command")
        if len(self.doubts) > 1:
            self.doubts.pop(_UNSURE, None)  # the others contain more
        return ShellText(tuple(self._commands), tuple(self._inputs), tuple(self.doubts), tuple(self._sources))

    def walk(self, root: Node) -> None:
        """Walk without recursion: a text may be nested deeper than Python's stack."""
        open_nodes = [_Open(root)]
        while open_nodes:
            node, in_word, behind, how = open_nodes.pop()
            is_word = node.type in _WORDS
            if is_word and not in_word:
                self.flat.append(self._value(node))
            children = node.children
            if node.type == "file_descriptor":
                self.flat.append(self._said(node))
                if not self._is_number_of_a_stream(node):
                    self.doubt(_UNSURE)
            elif node.type == "file_redirect" and _is_harmless(node):
                children = node.named_children
            else:
                self._look(node, behind, how)
            behind = _words_behind(node)
            found = (_Open(each, in_word or is_word, behind, _how(node, each, how)) for each in reversed(children))
            open_nodes += found

    def _look(self, node: Node, behind: Sequence[Node], how: How) -> None:
        if node.type not in _CERTAIN:
            self.doubt(_DOUBTS.get(node.type, _UNSURE))
        if node.type == "heredoc_body":
            self._inputs.append(self._said(node))
        elif node.type == "command":
            self._take(node, behind)
            whole = node.parent if node.parent is not None and node.parent.type == "redirected_statement" else node
            self._sources.append((self._said(whole), how))

    def _take(self, command: Node, behind: Sequence[Node]) -> None:
        named = [each.named_children[0] if each.type == "command_name" else each for each in command.named_children]
        words = tuple(self._value(each) for each in (*named, *behind) if each.type not in _BESIDE_WORDS)
        self._commands.append(words)
        if why := doubt_of(words):
            self.doubt(why)

    def _value(self, node: Node) -> str:
        """Return the word as its program receives it."""
        text = self._said(node)
        match node.type:
            case "word" | "number":
                if not _BARE.fullmatch(text):
                    self.doubt(_SPECIAL)
                if text.isdigit() and _REDIRECTION.match(self._text, node.end_byte):
                    self.doubt(_UNSURE)  # the grammar takes the 0 of `drop 0>file` for a word, shells for a stream
                return re.sub(r"\\(.)", r"\1", text)
            case "raw_string":
                return text[1:-1]
            case "string":
                if _ACTIVE_IN_QUOTES.search(text):
                    self.doubt(_SPECIAL)
                return re.sub(r'\\(["\\$`])', r"\1", text[1:-1])
            case "ansi_c_string":
                return _unescaped(text[2:-1])
            case "concatenation":
                return self._joined(node.children)
        return text

    def _joined(self, pieces: list[Node]) -> str:
        kinds = [each.type for each in pieces]
        if ("raw_string", "raw_string") in pairwise(kinds):
            self.doubt(_UNSURE)  # zsh may read '' between them as a quote
        return "".join(self._value(each) for each in pieces)

    def _is_number_of_a_stream(self, descriptor: Node) -> bool:
        """The grammar takes `-i2` of `-i2>file` for a descriptor; shells take it, and some also `12`, for a word."""
        before = self._text[descriptor.start_byte - 1 : descriptor.start_byte] or "\n"
        return self._said(descriptor) in _STREAMS and before in _BEFORE_A_STREAM

    def _said(self, node: Node) -> str:
        return self._text[node.start_byte : node.end_byte]


def _how(node: Node, child: Node, how: How) -> How:
    """Return how a part of `node` is run. `how`: how the node itself is run."""
    if node.type in ("command_substitution", "process_substitution"):
        return "substitution"
    if node.type == "pipeline" and child != node.children[0]:
        return how or "pipe"
    return how


def _is_harmless(redirect: Node) -> bool:
    """Return whether a redirection joins two streams, or goes to /dev/null."""
    targets, kinds = _targets(redirect), {each.type for each in redirect.children}
    if len(targets) != 1:  # more of them are words of the command
        return False
    if ">&" in kinds:
        return _text(targets[0]) in ("1", "2")
    return _text(targets[0]) == "/dev/null" and bool({">", ">>", "<", "&>"} & kinds)


def _targets(redirect: Node) -> list[Node]:
    return [each for each in redirect.named_children if each.type != "file_descriptor"]


def _words_behind(node: Node) -> list[Node]:
    """Return words after a redirection, `rm >l -rf x`, or that the grammar takes for a part of it, `rm -rf2>log x`."""
    if node.type != "redirected_statement":
        return []
    redirects = [each for each in node.named_children if each.type == "file_redirect"]
    return [word for redirect in redirects for word in (*_odd_descriptors(redirect), *_targets(redirect)[1:])]


def _odd_descriptors(redirect: Node) -> list[Node]:
    named = redirect.named_children
    return [each for each in named if each.type == "file_descriptor" and _text(each) not in _STREAMS]


def _reads_alike(text: str, words: list[str]) -> bool:
    """Return whether another parser finds the same words."""
    lexer = shlex.shlex(text, posix=True, punctuation_chars=True)
    lexer.whitespace_split, lexer.commenters = True, ""
    try:
        return _without_operators(list(lexer)) == _without_operators(words)
    except ValueError:
        return False


def _without_operators(words: list[str]) -> list[str]:
    return [word for word in words if word not in ("{", "}") and not re.fullmatch(r"[();<>|&]+", word)]


def _unescaped(text: str) -> str:
    try:
        return text.encode("latin-1").decode("unicode_escape")
    except UnicodeError:
        return text


def _text(node: Node) -> str:
    """Return the text with a letter for each character that is not ASCII: enough to compare it with ASCII text."""
    return (node.text or b"").decode()
