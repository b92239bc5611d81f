"""What only maintainers run: the site of the docs, Binder, the conda recipe, the release."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement

from .conftest import REPOSITORY

PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())
WORKFLOWS = sorted((REPOSITORY / ".github" / "workflows").glob("*.yml"))
CONDA_NAMES = {"jupyter-events": "jupyter_events", "jupyter-server": "jupyter_server"}


def loaded(path: Path) -> Any:
    return yaml.safe_load(path.read_text())


@pytest.mark.slow(reason="builds the site")
def test_the_docs_build_into_a_site_without_a_warning(tmp_path: Path) -> None:
    config = loaded(REPOSITORY / ".readthedocs.yaml")["mkdocs"]
    assert config["fail_on_warning"]
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "-f", REPOSITORY / config["configuration"]]
    done = subprocess.run([*command, "-d", tmp_path], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    home = (tmp_path / "index.html").read_text()
    assert not re.findall(r'(?:src|<link[^>]*stylesheet[^>]*href)="https?:', home)  # nothing comes from elsewhere
    assert 'href="tutorials/first-edit/"' in home and 'src="images/' in home
    assert 'href="../../changelog/"' in (tmp_path / "how-to/extend-from-another-extension/index.html").read_text()
    found = json.loads((tmp_path / "search" / "search_index.json").read_text())["docs"]
    assert {"index.html", "reference/settings/", "changelog/"} <= {
        (one["location"].partition("#")[0] or "index.html") for one in found
    }


def test_the_site_is_built_with_what_the_tests_build_it_with() -> None:
    wanted = (REPOSITORY / ".site" / "requirements.txt").read_text().split()
    assert set(wanted) <= set(PROJECT["project"]["optional-dependencies"]["dev"])


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_has_jobs_with_steps_and_names_programs_that_are_there(path: Path) -> None:
    workflow = loaded(path)
    assert workflow[True], "when it runs"  # YAML 1.1 reads `on` so
    for job in workflow["jobs"].values():
        assert job["runs-on"] and job["steps"]
        for step in job["steps"]:
            assert ("uses" in step) != ("run" in step)
            assert re.fullmatch(r"[\w./-]+@v\d+", step.get("uses", "a@v1"))
            assert "${{" not in step.get("run", ""), "what comes from outside reaches a shell by its environment"
            if step.get("run", "").startswith("."):
                assert (REPOSITORY / step["run"].split()[0]).is_file()
    assert "permissions" in workflow or all("permissions" in job for job in workflow["jobs"].values())


def test_the_conda_recipe_has_the_version_and_the_dependencies_of_the_package() -> None:
    recipe = loaded(REPOSITORY / ".conda" / "recipe.yaml")
    assert recipe["context"]["version"] == PROJECT["project"]["version"]
    ours = {"python": PROJECT["project"]["requires-python"]}
    for text in PROJECT["project"]["dependencies"]:
        wanted = Requirement(text)
        ours[CONDA_NAMES.get(wanted.name, wanted.name)] = str(wanted.specifier)
    theirs = dict(line.split(" ", 1) for line in recipe["requirements"]["run"])
    assert {name: set(limits.split(",")) for name, limits in theirs.items()} == {
        name: set(limits.split(",")) for name, limits in ours.items()
    }
    host = {line.split(" ")[0] for line in recipe["requirements"]["host"]}
    assert {Requirement(text).name for text in PROJECT["build-system"]["requires"]} <= host


def test_binder_builds_the_package_with_a_node_that_can() -> None:
    build = REPOSITORY / ".binder" / "postBuild"
    assert build.stat().st_mode & 0o111
    subprocess.run(["bash", "-n", build], check=True)
    needed = dict(
        one.split("=") for one in loaded(REPOSITORY / ".binder" / "environment.yml")["dependencies"] if "=" in one
    )
    engines = json.loads((REPOSITORY / "labextension" / "package.json").read_text())["engines"]["node"]
    assert f">={needed['nodejs']}." in engines
    assert tuple(map(int, needed["python"].split("."))) >= (3, 11)


def test_a_release_changes_every_place_that_has_the_version() -> None:
    tool, version = PROJECT["tool"], PROJECT["project"]["version"]
    assert tool["tbump"]["version"]["current"] == version
    for file in tool["tbump"]["file"]:
        text = (REPOSITORY / file["src"]).read_text()
        assert text.count(file["search"].format(current_version=version)) == 1, file["src"]
    lock = json.loads((REPOSITORY / "labextension" / "package-lock.json").read_text())
    assert lock["version"] == lock["packages"][""]["version"] == version
    changelog = (REPOSITORY / "CHANGELOG.md").read_text()
    assert changelog.index("<START NEW CHANGELOG ENTRY>") < changelog.index("<END NEW CHANGELOG ENTRY>")
