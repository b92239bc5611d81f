"""The wheel and the sdist, built from a copy of the tree without Node, and a fresh environment with the wheel in it."""

from __future__ import annotations

import shutil
import site
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
STATIC = REPOSITORY / "jupyter_cabinet" / "labextension" / "static"
# What a checkout has. Tests, benchmarks and samples come along, so that it shows if they got in.
PARTS = (
    "jupyter_cabinet", "labextension", "jupyter-config", "docs", "tests", "scripts", "notebooks", "benchmarks",
    "pyproject.toml", "README.md", "LICENSE", ".gitignore",
)  # fmt: skip
LEFT_OUT = shutil.ignore_patterns("lib", "__pycache__", "*.tsbuildinfo", ".ipynb_checkpoints")


class Built:
    """Where everything lies. `files`: the content of the wheel and of the sdist, by name."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.wheel = next((place / "dist").glob("*.whl"))
        self.sdist = next((place / "dist").glob("*.tar.gz"))

    def in_wheel(self) -> dict[str, bytes]:
        with zipfile.ZipFile(self.wheel) as archive:
            return {name: archive.read(name) for name in archive.namelist()}

    def in_sdist(self) -> dict[str, bytes]:
        """Names without the folder that holds them all."""
        with tarfile.open(self.sdist) as archive:
            files = {member.name: archive.extractfile(member) for member in archive if member.isfile()}
            return {name.partition("/")[2]: file.read() for name, file in files.items() if file is not None}


@pytest.fixture(scope="module")
def without_node(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A PATH on which there is nothing at all."""
    return str(tmp_path_factory.mktemp("empty-path"))


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory, without_node: str) -> Built:
    """The wheel is built from the sdist, as an installer does it that finds no wheel."""
    assert (STATIC / "style.js").exists(), "The frontend was not built: make install"
    assert not any(STATIC.glob("*.map")), "The frontend is a development build: npm run build:prod in labextension"
    place = tmp_path_factory.mktemp("built")
    _copy(place / "tree")
    _python("-m", "build", "--no-isolation", "--outdir", str(place / "dist"), str(place / "tree"), path=without_node)
    return Built(place)


@pytest.fixture(scope="module")
def fresh(built: Built, without_node: str) -> Path:
    """The interpreter of a new environment: our wheel, and the other packages of this one beside it."""
    place = built.place / "environment"
    _python("-m", "venv", "--without-pip", str(place), path=without_node)
    interpreter = place / "bin" / "python"
    _python(
        "-m", "pip", "--python", str(interpreter), "install", "--quiet", "--no-index", "--no-deps", str(built.wheel),
        path=without_node,
    )  # fmt: skip
    # By a line in a .pth file only the folder is added: this environment's own link to the checkout is not followed.
    packages = Path(sysconfig.get_path("purelib", vars={"base": str(place), "platbase": str(place)}))
    (packages / "others.pth").write_text("\n".join(site.getsitepackages()))
    return interpreter


def _copy(tree: Path) -> None:
    tree.mkdir()
    for name in PARTS:
        source = REPOSITORY / name
        if source.is_dir():
            shutil.copytree(source, tree / name, ignore=_ignored)
        else:
            shutil.copy(source, tree / name)
    # as in a checkout in which somebody works
    (tree / "labextension" / "node_modules" / "left-pad").mkdir(parents=True)
    (tree / "labextension" / "node_modules" / "left-pad" / "index.js").write_text("module.exports = 0\n")


def _ignored(folder: str, names: list[str]) -> set[str]:
    found = LEFT_OUT(folder, names)
    return found | {"node_modules"} if folder == str(REPOSITORY / "labextension") else found


def _python(*arguments: str, path: str) -> None:
    done = subprocess.run([sys.executable, *arguments], env={"PATH": path}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
