"""What the form in JupyterLab asks for is what each platform needs."""

from __future__ import annotations

import json
import re
from pathlib import Path
from textwrap import dedent
from typing import get_args

import yaml

from jupyter_cabinet.channels.model import Platform
from jupyter_cabinet.channels.platforms import PLATFORMS, TOKEN

REPOSITORY = Path(__file__).parents[3]
FORM = REPOSITORY / "labextension/src/channels/stores/platforms.ts"


def test_the_form_has_a_field_for_each_secret_of_each_platform() -> None:
    table = re.search(r"export const SECRETS = \{(.*?)\} as const", FORM.read_text(), re.DOTALL)
    assert table is not None
    fields = {name: re.findall(r"'(\w+)'", each) for name, each in re.findall(r"(\w+): \[(.*?)\]", table[1])}
    on_server = {name: [re.sub("([A-Z])", r"_\1", each).lower() for each in found] for name, found in fields.items()}
    needed = {name: () if info.own_secret else info.secrets for name, info in PLATFORMS.items()}
    assert on_server == {name: [secret.name for secret in secrets] for name, secrets in needed.items()}


def test_the_form_creates_the_app_of_the_documentation() -> None:
    page = (REPOSITORY / "docs/how-to/talk-over-slack.md").read_text()
    manifest = re.search(r"```yaml\n(.*?)\n *```", page, re.DOTALL)
    assert manifest is not None
    in_form = json.loads(FORM.with_name("slackManifest.json").read_text())
    assert yaml.safe_load(dedent(manifest[1])) == in_form


def test_each_platform_is_described_and_needs_a_token_first_unless_people_are_logged_in() -> None:
    assert set(PLATFORMS) == set(get_args(Platform))
    for info in PLATFORMS.values():
        assert [secret.name for secret in info.secrets[:1]] == ([] if info.by_login else [TOKEN])
        assert not any(secret.fits("") or secret.fits("../../secret") for secret in info.secrets)
