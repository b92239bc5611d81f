"""The runtimes of this package keep the promises of the port."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

from jupyter_cabinet.runtimes.acp.runtime import AcpAgent, configured
from jupyter_cabinet.runtimes.claude.runtime import Claude
from jupyter_cabinet.runtimes.codex.runtime import Codex
from jupyter_cabinet.runtimes.demo.arguments import MODES
from jupyter_cabinet.runtimes.demo.runtime import Demo
from jupyter_cabinet.runtimes.gemini.runtime import Gemini
from jupyter_cabinet.runtimes.model import Launch
from jupyter_cabinet.runtimes.openclaw.runtime import Openclaw
from jupyter_cabinet.runtimes.opencode.runtime import Opencode
from jupyter_cabinet.runtimes.pi.arguments import SETTINGS
from jupyter_cabinet.runtimes.pi.runtime import Pi
from jupyter_cabinet.testing.runtimes import RuntimeConformance

READERS = {"read", "grep", "find", "ls"}  # as pi's extension has them
CLAUDE = Path(__file__).parents[2] / "fixtures" / "cli" / "claude"


class TestClaude(RuntimeConformance):
    recordings = tuple([("stdout", path.read_bytes())] for path in sorted(CLAUDE.glob("*stream*.jsonl")))

    risky_tools = frozenset(("Edit", "Write", "NotebookEdit", "Bash"))

    def make(self) -> Claude:
        return Claude()

    def granted(self, launch: Launch) -> frozenset[str]:
        return frozenset(each.partition("=")[2] for each in launch.argv if each.startswith("--allowedTools="))


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

    risky_tools = frozenset(("replace", "write_file", "run_shell_command"))

    def make(self) -> Gemini:
        return Gemini()

    def granted(self, launch: Launch) -> frozenset[str]:
        policy = next(file.content for file in launch.files if file.path.endswith("tools.toml"))
        rules = tomllib.loads(policy.decode())["rule"]
        return frozenset(tool for rule in rules if rule["decision"] == "allow" for tool in rule["toolName"])


class TestPi(RuntimeConformance):
    recordings = tuple(
        [("stdout", path.read_bytes())]
        for path in sorted((CLAUDE.parent / "pi").glob("*.jsonl"))
        if not path.name.startswith(("session-0", "rpc"))  # the transcript, and another protocol
    )

    risky_tools = frozenset(("edit", "write", "bash"))

    def make(self) -> Pi:
        return Pi()

    def granted(self, launch: Launch) -> frozenset[str]:
        """The extension asks for every tool that does not only read, in the mode `ask` alone."""
        asks = json.loads(launch.environment[SETTINGS])["mode"] == "ask"
        listed = launch.argv[launch.argv.index("--tools") + 1].split(",")
        return frozenset(listed) & READERS if asks else frozenset(listed)


class TestOpencode(RuntimeConformance):
    recordings = tuple([("stdout", path.read_bytes())] for path in sorted((CLAUDE.parent / "opencode").glob("*.jsonl")))

    risky_tools = frozenset(("edit", "bash"))

    def make(self) -> Opencode:
        return Opencode()

    def granted(self, launch: Launch) -> frozenset[str]:
        (_, told), *_ = json.loads(launch.environment["OPENCODE_CONFIG_CONTENT"])["plugin"]
        return frozenset(tool for tool, rule in told["rules"].items() if rule == "allow")


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

    risky_tools = frozenset(("Edit", "Write", "NotebookEdit", "Bash"))

    def make(self) -> Demo:
        return Demo()

    def granted(self, launch: Launch) -> frozenset[str]:
        """It asks for every change in the mode `ask`, and in no other one."""
        asks = launch.argv[launch.argv.index("--permission-mode") + 1] == MODES["ask"]
        tools = next(each.partition("=")[2] for each in launch.argv if each.startswith("--tools="))
        return frozenset() if asks else frozenset(tools.split(","))
