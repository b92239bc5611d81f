"""The checked-in description of the API is what the code makes; a kernel can read the values without a server."""

import subprocess
import sys
from pathlib import Path

import pytest
from openapi_spec_validator import validate

from jupyter_cabinet.web.openapi import DOCUMENT, document, encoded


def test_the_description_is_fresh() -> None:
    assert DOCUMENT.read_bytes() == encoded(), "run: python -m jupyter_cabinet.web.openapi"


@pytest.mark.long(reason="a validator that takes seconds")
def test_the_description_is_valid() -> None:
    validate(document())


def test_each_parameter_of_a_path_has_its_own_name() -> None:
    for path, item in document()["paths"].items():
        names = [each["name"] for each in item.get("parameters", ())]
        assert len(set(names)) == len(names), path
    assert "/cabinet/api/plans/{id}/steps/{step_id}/run" in document()["paths"]


@pytest.mark.slow(reason="Node generates and formats the types")
def test_the_frontends_types_are_fresh(tmp_path: Path) -> None:
    folder, made = DOCUMENT.parents[2], tmp_path / "schema.ts"
    tools = folder / "node_modules" / ".bin"
    subprocess.run(
        [tools / "openapi-typescript", DOCUMENT, "--output", made], cwd=folder, check=True, capture_output=True
    )
    formatted = subprocess.run(
        [tools / "prettier", "--stdin-filepath", "src/api/schema.ts"],
        cwd=folder,
        input=made.read_bytes(),
        check=True,
        capture_output=True,
    )
    assert (folder / "src/api/schema.ts").read_bytes() == formatted.stdout, "run: npm run generate"


def test_values_import_without_a_server() -> None:
    rooms = Path(__file__).parents[3] / "jupyter_cabinet"
    models = [".".join(path.relative_to(rooms.parent).with_suffix("").parts) for path in rooms.rglob("model.py")]
    heavy = ["tornado", "jupyter_server", "sqlalchemy", "terminado", "traitlets", "alembic"]
    code = f"import sys, importlib\nfor name in {[*models, 'jupyter_cabinet']!r}: importlib.import_module(name)\n"
    code += f"print(sorted(set({heavy!r}) & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("[]\n", "")
