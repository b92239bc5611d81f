from pathlib import Path

import pytest
from harness.agent_files import NOW, doer_in, put_agents

from jupyter_cabinet.agents.directives.effects.doer import DirectiveDoer
from jupyter_cabinet.agents.directives.effects.model import Origin


@pytest.fixture
def agents(tmp_path: Path) -> Path:
    """The `.agents` folder of the root."""
    put_agents(tmp_path)
    return tmp_path / ".agents"


@pytest.fixture
def doer(tmp_path: Path, agents: Path) -> DirectiveDoer:
    return doer_in(tmp_path)


@pytest.fixture
def origin() -> Origin:
    return Origin(run_id="01kxyz", agent="ada", at=NOW)
