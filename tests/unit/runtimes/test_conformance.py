"""The runtimes of this package keep the promises of the port."""

from __future__ import annotations

from pathlib import Path

from jupyter_cabinet.runtimes.acp.runtime import AcpAgent, configured
from jupyter_cabinet.runtimes.claude.runtime import Claude
from jupyter_cabinet.runtimes.codex.runtime import Codex
from jupyter_cabinet.runtimes.demo.runtime import Demo
from jupyter_cabinet.runtimes.gemini.runtime import Gemini
from jupyter_cabinet.runtimes.openclaw.runtime import Openclaw
from jupyter_cabinet.runtimes.opencode.runtime import Opencode
from jupyter_cabinet.runtimes.pi.runtime import Pi
from jupyter_cabinet.testing.runtimes import RuntimeConformance

CLAUDE = Path(__file__).parents[2] / "fixtures" / "cli" / "claude"


class TestClaude(RuntimeConformance):
    recordings = tuple([("stdout", path.read_bytes())] for path in sorted(CLAUDE.glob("*stream*.jsonl")))

    def make(self) -> Claude:
        return Claude()


class TestCodex(RuntimeConformance):
    recordings = tuple(
        [("stdout", path.read_bytes())]
        for path in sorted((CLAUDE.parent / "codex").glob("*.jsonl"))
        if not path.name.startswith("rollout")
    )

    def make(self) -> Codex:
        return Codex()


class TestGemini(RuntimeConformance):
    recordings = tuple(
        [("stdout", path.read_bytes())]
        for path in sorted((CLAUDE.parent / "gemini").glob("*.jsonl"))
        if not path.name.startswith("session")
    )

    def make(self) -> Gemini:
        return Gemini()


class TestPi(RuntimeConformance):
    recordings = tuple(
        [("stdout", path.read_bytes())]
        for path in sorted((CLAUDE.parent / "pi").glob("*.jsonl"))
        if not path.name.startswith(("session-0", "rpc"))  # the transcript, and another protocol
    )

    def make(self) -> Pi:
        return Pi()


class TestOpencode(RuntimeConformance):
    recordings = tuple([("stdout", path.read_bytes())] for path in sorted((CLAUDE.parent / "opencode").glob("*.jsonl")))

    def make(self) -> Opencode:
        return Opencode()


class TestOpenclaw(RuntimeConformance):
    recordings = tuple([("stdout", path.read_bytes())] for path in sorted((CLAUDE.parent / "openclaw").glob("*.json")))

    def make(self) -> Openclaw:
        return Openclaw()


class TestAcp(RuntimeConformance):
    recordings = (
        [
            ("stdout", b'{"id":0,"result":{"protocolVersion":1}}\n{"id":1,"result":{"sessionId":"a1"}}\n'),
            ("stderr", b"a word\n"),
        ],
    )

    def make(self) -> AcpAgent:
        return configured("mine", ("/opt/agent",))


class TestDemo(RuntimeConformance):
    recordings = ([("stdout", (CLAUDE.parent / "demo" / "edit.jsonl").read_bytes())],)

    def make(self) -> Demo:
        return Demo()
