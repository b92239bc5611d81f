"""What another extension gets from npm: the tokens and types with which the documented example compiles."""

from __future__ import annotations

import json
import re
import subprocess
import tarfile
from pathlib import Path

import pytest

from .conftest import REPOSITORY

pytestmark = pytest.mark.long(reason="packs the frontend and runs the TypeScript compiler")

FRONTEND = REPOSITORY / "labextension"
HOW_TO = REPOSITORY / "docs" / "how-to" / "extend-from-another-extension.md"
OPTIONS = {
    "compilerOptions": {
        "strict": True, "noEmit": True, "skipLibCheck": True, "target": "ES2020", "module": "esnext",
        "moduleResolution": "bundler", "lib": ["DOM", "DOM.Iterable", "ES2022"], "types": [],
    },
    "files": ["example.ts"],
}  # fmt: skip


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Our package as npm installs it, with its dependencies beside it."""
    place = tmp_path_factory.mktemp("npm")
    said = subprocess.run(
        ["npm", "pack", "--ignore-scripts", "--json", "--pack-destination", place],
        cwd=FRONTEND, check=True, capture_output=True, text=True,
    )  # fmt: skip
    modules = place / "node_modules"
    modules.mkdir()
    for name in (FRONTEND / "node_modules").iterdir():
        (modules / name.name).symlink_to(name)
    with tarfile.open(place / json.loads(said.stdout)[0]["filename"]) as archive:
        archive.extractall(place, filter="data")
    (place / "package").rename(modules / "jupyter-cabinet")
    return modules / "jupyter-cabinet"


def test_the_package_can_be_published_and_says_where_it_comes_from(package: Path) -> None:
    described = json.loads((package / "package.json").read_text())
    assert "private" not in described and described["license"] == "BSD-3-Clause"
    for address in (described["homepage"], described["bugs"]["url"], described["repository"]["url"]):
        assert "github.com/jupyter-cabinet/jupyter-cabinet" in address
    assert described["jupyterlab"]["discovery"]["server"]["base"]["name"] == "jupyter_cabinet"
    for name in (described["main"], described["types"], described["style"], described["styleModule"]):
        assert (package / name).is_file()
    for target in described["exports"]["."].values():
        assert (package / target).is_file()
    assert not [path for path in package.rglob("*") if ".spec." in path.name or "testing" in path.parts]


def test_the_documented_example_compiles_against_it(package: Path) -> None:
    (example,) = re.findall(r"```ts\n(.*?)```", HOW_TO.read_text(), re.DOTALL)
    place = package.parents[1]
    (place / "example.ts").write_text(example)
    (place / "tsconfig.json").write_text(json.dumps(OPTIONS))
    compiler = FRONTEND / "node_modules" / ".bin" / "tsc"
    done = subprocess.run([compiler, "-p", place], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    (place / "example.ts").write_text(example.replace("store.submit", "store.submits"))
    assert subprocess.run([compiler, "-p", place], capture_output=True, check=False).returncode != 0  # types are there


def test_the_documented_tokens_are_those_that_the_package_exports(package: Path) -> None:
    described = (package / "lib" / "index.d.ts").read_text()
    exports = " ".join(re.findall(r"export \{([^}]*)\}", described))
    exported = set(re.findall(r"\bI[A-Z]\w+", exports))
    rows = "\n".join(line for line in HOW_TO.read_text().splitlines() if line.startswith("| `I"))
    assert set(re.findall(r"`(I\w+)`", rows)) == exported
