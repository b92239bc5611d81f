"""The checked-in description of the API is what the code makes; a kernel can read the values without a server."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import msgspec
import pytest
from harness.backend import Place
from openapi_spec_validator import validate

from jupyter_cabinet.web.handlers.runs import RunsHandler
from jupyter_cabinet.web.openapi import DOCUMENT, OMIT_DEFAULTS, document, encoded


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


def test_a_reply_contains_every_field_unless_its_struct_omits_defaults() -> None:
    schemas = document()["components"]["schemas"]
    assert set(schemas["StepReport"]["required"]) == set(schemas["StepReport"]["properties"])
    assert schemas["TimelineEntry"]["required"] == ["id", "place", "kind"]
    omitting = {struct.__name__ for struct in _structs() if struct.__struct_config__.omit_defaults}
    assert omitting & schemas.keys() == OMIT_DEFAULTS


def _structs(of: type[msgspec.Struct] = msgspec.Struct) -> Iterator[type[msgspec.Struct]]:
    for struct in of.__subclasses__():
        yield struct
        yield from _structs(struct)


def test_a_request_may_omit_what_has_a_default_although_a_reply_contains_it() -> None:
    found = document()
    schemas = found["components"]["schemas"]
    assert schemas["StepReportInput"]["required"] == ["status"]
    report = found["paths"]["/cabinet/api/plans/{id}/steps/{step_id}/report"]["post"]["requestBody"]["content"]
    assert report["application/json"]["schema"] == {"$ref": "#/components/schemas/StepReportInput"}
    assert "RoutingRuleInput" in str(schemas["NewChannel"])
    assert "RoutingRuleInput" not in str(schemas["ChannelView"])


async def test_a_request_for_a_run_may_be_of_each_kind_that_a_request_starts(tmp_path: Path) -> None:
    async with Place(tmp_path).backend() as backend:
        kinds = backend.runs.kinds._kinds.values()
        described = RunsHandler.post.operation.body
        assert set(get_args(described)) == {kind.request for kind in kinds if kind.by_request}


TOOLS = DOCUMENT.parents[2] / "node_modules" / ".bin"
TYPES = DOCUMENT.with_name("schema.ts")
# What prettier adds, leaves out or replaces.
_FORMAT = re.compile(rb"""[\s"'`,;|()]+""")


def generated(tmp_path: Path) -> bytes:
    made = tmp_path / "schema.ts"
    command = [TOOLS / "openapi-typescript", DOCUMENT, "--default-non-nullable=false", "--output", made]
    subprocess.run(command, cwd=TOOLS.parents[1], check=True, capture_output=True)
    return made.read_bytes()


@pytest.mark.slow(reason="Node generates the types")
def test_the_frontends_types_are_fresh(tmp_path: Path) -> None:
    assert _FORMAT.sub(b"", TYPES.read_bytes()) == _FORMAT.sub(b"", generated(tmp_path)), "run: npm run generate"


@pytest.mark.long(reason="formats a large file; the quick tier compares the words")
def test_the_frontends_types_are_formatted(tmp_path: Path) -> None:
    command = [TOOLS / "prettier", "--stdin-filepath", "src/api/schema.ts"]
    done = subprocess.run(command, cwd=TOOLS.parents[1], input=generated(tmp_path), check=True, capture_output=True)
    assert TYPES.read_bytes() == done.stdout, "run: npm run generate"


def test_values_import_without_a_server() -> None:
    rooms = Path(__file__).parents[3] / "jupyter_cabinet"
    models = [".".join(path.relative_to(rooms.parent).with_suffix("").parts) for path in rooms.rglob("model.py")]
    heavy = ["tornado", "jupyter_server", "sqlalchemy", "terminado", "traitlets", "alembic"]
    code = f"import sys, importlib\nfor name in {[*models, 'jupyter_cabinet']!r}: importlib.import_module(name)\n"
    code += f"print(sorted(set({heavy!r}) & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("[]\n", "")
