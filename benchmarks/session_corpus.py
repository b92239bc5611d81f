"""Writes transcripts of past sessions as Claude Code, Codex, Gemini CLI and pi keep them: always the same ones.

Outputs of tools are source files of this project, and what people and agents say are paragraphs of its documentation,
each with a rare word. The lines have the fields that the CLIs write, also those that no reader uses.
"""

from __future__ import annotations

import json
import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any
from uuid import UUID

ROOT = Path(__file__).parents[1]
START = datetime(2026, 1, 1, tzinfo=UTC)
OUTPUT_CHARACTERS = 6000
# of a session in bytes, with how many of 100 sessions have it: most are short, and a few are very long
SIZES = ((60_000, 45), (300_000, 35), (1_000_000, 15), (4_500_000, 5))
RUNTIMES = (("claude", 40), ("codex", 30), ("gemini", 15), ("pi", 15))  # how many of 100 sessions
Turn = tuple[str, str, str]  # what the person says, what the agent says, and what its tool prints


class SessionCorpus:
    """Transcripts below a home. `environment`: tells the readers of the CLIs where they are."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.environment = {"HOME": str(home)}
        self._outputs = [path.read_text()[:OUTPUT_CHARACTERS] for path in _sorted(ROOT / "jupyter_cabinet", "*.py")]
        pages = "\n\n".join(path.read_text() for path in _sorted(ROOT / "docs", "*.md"))
        self._paragraphs = [each for each in pages.split("\n\n") if each]
        self._projects: dict[str, str] = {}

    def write(self, sessions: int) -> None:
        """Write this many sessions, of 0.5 MB on average."""
        for number in range(sessions):
            chosen = random.Random(number)
            (runtime,) = chosen.choices(*zip(*RUNTIMES, strict=True))
            (size,) = chosen.choices(*zip(*SIZES, strict=True))
            self.write_session(str(runtime), number, size=int(size))
        place = self.home / ".gemini" / "projects.json"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(json.dumps({"projects": self._projects}))

    def write_session(self, runtime: str, number: int, *, size: int = 0, entries: int = 0) -> Path:
        """Write one session until it has this many bytes or entries. Return its file."""
        chosen = random.Random(number)
        id, cwd = str(UUID(int=number + 1)), f"/work/project-{number % 40}"
        path = self._path(runtime, id, number, cwd)
        path.parent.mkdir(parents=True, exist_ok=True)
        make = _FORMATS[runtime](id, cwd, START + timedelta(minutes=number % 100_000))
        count = 0
        with path.open("w") as file:
            for line in make.head():
                file.write(_encoded(line))
            while file.tell() < size or count < entries:
                for line in make.turn(self._turn(chosen, output=OUTPUT_CHARACTERS if size else 200)):
                    file.write(_encoded(line))
                count += 4  # an instruction, an answer, a call and its result
        return path

    def files(self) -> Iterator[Path]:
        """Yield all transcripts."""
        yield from self.home.rglob("*.jsonl")

    def _turn(self, chosen: random.Random, *, output: int) -> Turn:
        rare = f"ticket{chosen.randrange(10**6):06}"
        asked = f"{chosen.choice(self._paragraphs)[:600]} {rare}"
        said = "\n\n".join(chosen.choices(self._paragraphs, k=2))
        return asked, said, chosen.choice(self._outputs)[:output]

    def _path(self, runtime: str, id: str, number: int, cwd: str) -> Path:
        day = START + timedelta(minutes=number % 100_000)
        match runtime:
            case "claude":
                return self.home / ".claude/projects" / cwd.replace("/", "-") / f"{id}.jsonl"
            case "codex":
                name = f"rollout-{day:%Y-%m-%dT%H-%M-%S}-{id}.jsonl"
                return self.home / ".codex/sessions" / f"{day:%Y/%m/%d}" / name
            case "gemini":
                self._projects[cwd] = cwd.rpartition("/")[2]
                return (
                    self.home
                    / ".gemini/tmp"
                    / self._projects[cwd]
                    / "chats"
                    / f"session-{day:%Y-%m-%dT%H-%M}-{id}.jsonl"
                )
            case _:
                return (
                    self.home
                    / ".pi/agent/sessions"
                    / f"-{cwd.replace('/', '-')}--"
                    / f"{day:%Y-%m-%dT%H-%M}_{id}.jsonl"
                )


class _Format(ABC):
    """Lines of one session. `turn` returns those of an instruction, a call with its result, and an answer."""

    def __init__(self, id: str, cwd: str, start: datetime) -> None:
        self.id = id
        self.cwd = cwd
        self._at = start
        self._count = 0

    def head(self) -> Iterator[dict[str, Any]]:
        yield from ()

    @abstractmethod
    def turn(self, turn: Turn) -> Iterator[dict[str, Any]]: ...

    def time(self) -> str:
        self._at += timedelta(seconds=3)
        return self._at.isoformat().replace("+00:00", "Z")

    def name(self, prefix: str = "") -> str:
        """Return an id that this session has only once."""
        self._count += 1
        return f"{prefix}{self.id[-12:]}{self._count:08}"


class _Claude(_Format):
    _parent: str | None = None

    def turn(self, turn: Turn) -> Iterator[dict[str, Any]]:
        asked, said, output = turn
        answer, call = self.name("msg_"), self.name("toolu_")
        tool = {"type": "tool_use", "id": call, "name": "Bash", "input": {"command": f"cat {call}.py"}}
        result = {"type": "tool_result", "tool_use_id": call, "content": output, "is_error": False}
        yield self._line("user", {"role": "user", "content": asked})
        yield self._line("assistant", self._answer(answer, tool))
        more = {"toolUseResult": {"stdout": output, "stderr": "", "interrupted": False, "isImage": False}}
        yield self._line("user", {"role": "user", "content": [result]}, **more)
        yield self._line("assistant", self._answer(self.name("msg_"), {"type": "text", "text": said}))

    def _answer(self, id: str, block: Mapping[str, Any]) -> dict[str, Any]:
        usage = {"input_tokens": 12, "cache_creation_input_tokens": 900, "cache_read_input_tokens": 30_000}
        about = {"id": id, "type": "message", "role": "assistant", "model": "claude-opus-5-5", "stop_reason": None}
        return {**about, "content": [block], "usage": {**usage, "output_tokens": 200, "service_tier": "standard"}}

    def _line(self, kind: str, message: Mapping[str, Any], **more: Any) -> dict[str, Any]:
        parent, self._parent = self._parent, self.name("line-")
        about = {"isSidechain": False, "userType": "external", "cwd": self.cwd, "sessionId": self.id}
        shared = {"parentUuid": parent, **about, "version": "2.1.329", "gitBranch": "main", "type": kind}
        return {**shared, "message": message, "uuid": self._parent, "timestamp": self.time(), **more}


class _Codex(_Format):
    def head(self) -> Iterator[dict[str, Any]]:
        meta = {"id": self.id, "session_id": self.id, "cwd": self.cwd, "originator": "codex_cli", "source": "cli"}
        yield self._line("session_meta", meta)
        yield self._line("turn_context", {"cwd": self.cwd, "model": "gpt-5.5", "approval_policy": "never"})

    def turn(self, turn: Turn) -> Iterator[dict[str, Any]]:
        asked, said, output = turn
        call = self.name("call_")
        arguments = json.dumps({"cmd": f"cat {call}.py"})
        yield self._message("user", "input_text", asked)
        yield self._event("item_completed", item={"type": "UserMessage", "content": [{"type": "text", "text": asked}]})
        yield self._item("function_call", name="exec_command", arguments=arguments, call_id=call)
        printed = f"Chunk ID: 696bd9\nWall time: 0.1 seconds\nProcess exited with code 0\nOutput:\n{output}"
        item = {"type": "CommandExecution", "id": call, "aggregated_output": output, "exit_code": 0}
        yield self._event("item_completed", item=item)
        yield self._item("function_call_output", call_id=call, output=printed)
        yield self._message("assistant", "output_text", said)
        usage = {"input_tokens": 31_000, "cached_input_tokens": 30_000, "output_tokens": 200, "total_tokens": 31_200}
        yield self._line("token_usage_record", {"response_id": self.name("resp_"), "usage": usage})
        yield self._event("token_count", info={"total_token_usage": usage, "model_context_window": 258_400})

    def _message(self, role: str, kind: str, text: str) -> dict[str, Any]:
        return self._item("message", role=role, content=[{"type": kind, "text": text}])

    def _item(self, kind: str, **payload: Any) -> dict[str, Any]:
        return self._line("response_item", {"type": kind, "id": self.name("item_"), **payload})

    def _event(self, kind: str, **payload: Any) -> dict[str, Any]:
        return self._line("event_msg", {"type": kind, "thread_id": self.id, **payload})

    def _line(self, kind: str, payload: Mapping[str, Any]) -> dict[str, Any]:
        self._count += 1
        return {"timestamp": self.time(), "ordinal": self._count, "type": kind, "payload": payload}


class _Gemini(_Format):
    def head(self) -> Iterator[dict[str, Any]]:
        yield {"sessionId": self.id, "projectHash": "0" * 64, "startTime": self.time(), "kind": "main"}

    def turn(self, turn: Turn) -> Iterator[dict[str, Any]]:
        asked, said, output = turn
        call = self.name("run_shell_command__")
        yield self._line("user", content=[{"text": asked}])
        yield {"$set": {"lastUpdated": self.time()}}
        response = {"functionResponse": {"id": call, "name": "run_shell_command", "response": {"output": output}}}
        tool = {"id": call, "name": "run_shell_command", "args": {"command": f"cat {call}.py"}}
        ended = {**tool, "result": [response], "status": "success", "timestamp": self.time(), "resultDisplay": output}
        yield self._answer("", toolCalls=[ended])
        yield self._line("user", content=[response])
        yield self._answer(said)

    def _answer(self, text: str, **more: Any) -> dict[str, Any]:
        tokens = {"input": 31_000, "output": 200, "cached": 30_000, "thoughts": 0, "tool": 0, "total": 31_200}
        return self._line("gemini", content=text, thoughts=[], tokens=tokens, model="gemini-2.5-pro", **more)

    def _line(self, kind: str, **more: Any) -> dict[str, Any]:
        return {"id": self.name("record-"), "timestamp": self.time(), "type": kind, **more}


class _Pi(_Format):
    _parent: str | None = None

    def head(self) -> Iterator[dict[str, Any]]:
        yield {"type": "session", "version": 3, "id": self.id, "timestamp": self.time(), "cwd": self.cwd}

    def turn(self, turn: Turn) -> Iterator[dict[str, Any]]:
        asked, said, output = turn
        call = self.name("call_")
        tool = {"type": "toolCall", "id": call, "name": "bash", "arguments": {"command": f"cat {call}.py"}}
        usage = {"input": 900, "output": 200, "cacheRead": 30_000, "cacheWrite": 900, "totalTokens": 32_000}
        answer = {"role": "assistant", "model": "mock-model", "usage": usage}
        yield self._line(role="user", content=[{"type": "text", "text": asked}])
        yield self._line(**answer, content=[tool])
        printed = [{"type": "text", "text": output}]
        yield self._line(role="toolResult", toolCallId=call, toolName="bash", isError=False, content=printed)
        yield self._line(**answer, content=[{"type": "text", "text": said}])

    def _line(self, **message: Any) -> dict[str, Any]:
        parent, self._parent = self._parent, self.name("line-")
        shared = {"type": "message", "id": self._parent, "parentId": parent, "timestamp": self.time()}
        return {**shared, "message": message}


_FORMATS: Mapping[str, Callable[[str, str, datetime], _Format]] = {
    "claude": _Claude,
    "codex": _Codex,
    "gemini": _Gemini,
    "pi": _Pi,
}


def _encoded(line: Mapping[str, Any]) -> str:
    return json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n"


def _sorted(folder: Path, pattern: str) -> Iterator[Path]:
    yield from islice(sorted(folder.rglob(pattern)), 1000)
