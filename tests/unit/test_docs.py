"""The documentation is compared with the code: routes, settings, events, links."""

from __future__ import annotations

import importlib.util
import json
import re
from pathlib import Path
from typing import get_args

import msgspec
import pytest
from harness import failures

from jupyter_cabinet.app import CabinetApp
from jupyter_cabinet.runtimes.model import AnyAgentEvent, FailureKind
from jupyter_cabinet.runtimes.port import Capabilities
from jupyter_cabinet.runtimes.registry import Runtimes
from jupyter_cabinet.web.events import AnyEvent
from jupyter_cabinet.web.openapi import operations
from jupyter_cabinet.web.routes import ROUTES

ROOT = Path(__file__).parents[2]
API = (ROOT / "docs/reference/api.md").read_text()
PAGES = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), ROOT / "benchmarks" / "README.md"]


def test_every_route_and_its_rights_stand_in_the_reference() -> None:
    assert re.findall(r"^### `(.+)`$", API, re.MULTILINE) == [path for path, _ in ROUTES]
    for path, handler in ROUTES:
        section = API.split(f"### `{path}`\n")[1].split("\n##")[0]
        for method, mark in operations(handler).items():
            what = "WebSocket" if mark.socket else method.upper()
            assert f"**{what}** (`{handler.auth_resource}`, {mark.action}): {mark.summary}" in section


def test_every_event_stands_in_the_reference() -> None:
    tags = {str(kind.__struct_config__.tag) for kind in get_args(AnyEvent)}
    assert set(re.findall(r"^\| `(\w+)` \|", API, re.MULTILINE)) == tags
    for kind in get_args(AnyAgentEvent):
        assert str(kind.__struct_config__.tag) in API
    for kind in get_args(FailureKind):
        assert kind in API


def test_every_setting_stands_in_the_reference_with_its_default() -> None:
    text = (ROOT / "docs/reference/settings.md").read_text()
    rows = dict(re.findall(r"^\| `(\w+)` \| (.*?) \|", text, re.MULTILINE))
    own = {name: trait for name, trait in CabinetApp.class_own_traits(config=True).items()}
    assert set(rows) == set(own)
    for name, trait in own.items():
        default = trait.default()
        shown = "unset" if default in ("", None) else f"`{default:g}`" if isinstance(default, float) else f"`{default}`"
        assert rows[name] == shown, name


def test_the_page_of_settings_is_named_as_jupyterlab_names_it() -> None:
    text = (ROOT / "docs/reference/settings.md").read_text()
    schema = json.loads((ROOT / "labextension/schema/plugin.json").read_text())
    assert f"*Settings → Settings Editor → {schema['title']}*" in text
    assert [one["title"] for one in schema["properties"].values() if f"*{one['title']}*" not in text] == []


def test_every_runtime_has_a_heading() -> None:
    text = (ROOT / "docs/reference/runtimes.md").read_text()
    names = {"acp" if name.startswith("acp-") else name for name in Runtimes(set(), {}, {}).names()}
    assert set(re.findall(r"^## (\w+)$", text, re.MULTILINE)) == names


def test_the_table_of_capabilities_is_what_the_code_says() -> None:
    """`python scripts/runtime_tables.py` writes it anew."""
    spec = importlib.util.spec_from_file_location("runtime_tables", ROOT / "scripts" / "runtime_tables.py")
    assert spec is not None and spec.loader is not None
    tables = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tables)
    page = tables.PAGE.read_text()
    assert tables.written(page) == page
    switches = {field.name for field in msgspec.structs.fields(Capabilities) if field.type is bool}
    assert set(tables.ROWS) == switches


def test_the_table_of_failures_is_what_the_tests_of_the_clis_expect() -> None:
    """`python tests/harness/failures.py` writes it anew."""
    page = failures.PAGE.read_text()
    assert failures.written(page) == page
    kinds = {kind for named in failures.FAILURES.values() for kind in named.values()} - {failures.MENDED}
    assert kinds <= set(get_args(FailureKind))


@pytest.mark.parametrize("page", PAGES, ids=[str(page.relative_to(ROOT)) for page in PAGES])
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
        assert (page.parent / target).exists(), target
