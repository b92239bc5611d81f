"""A plan as one YAML file that people can write by hand. Pure.

title: Tidy the data
steps:
  - key: load
    title: Load the tables
  - title: Check them
    depends_on: [load]
    verify: [python, check.py]
"""

from __future__ import annotations

from typing import Any

import msgspec
import yaml

from ..agents.files import yaml_values
from ..core.errors import Invalid
from ..core.json_input import converted
from .model import NewPlan, Plan, PlanFields, Step, StepFields

MAX_FILE = 2_000_000  # characters


def plan_of(text: str) -> NewPlan:
    """Return the request for the plan in a YAML text. Raises `Invalid` with the line or the field.

    Only the form is checked: dependencies, titles and limits are not.
    """
    if len(text) > MAX_FILE:
        raise Invalid(f"The file is longer than {MAX_FILE // 1_000_000} MB.", field="text")
    try:
        fields = yaml_values.read_mapping(text)
    except yaml_values.NotReadable as problem:
        raise Invalid(f"Line {problem.line + 1} cannot be read: {problem.problem}.", field="text") from None
    return converted(fields, NewPlan)


def text_of(plan: Plan) -> str:
    """Return a plan as a YAML text that `plan_of` reads. Its keys are short.

    States, runs, default values and the steps that are tasks of a checklist are left out, also as dependencies.
    """
    own = [step for step in plan.steps if step.task is None]
    keys = {step.id: f"s{position}" for position, step in enumerate(own, start=1)}
    fields = _without_defaults(plan, PlanFields)
    steps = [{"key": keys[step.id], **_step_fields(step, keys)} for step in own]
    return yaml.dump(fields | {"steps": steps}, Dumper=_Writer, sort_keys=False, allow_unicode=True, width=100)


class _Writer(yaml.SafeDumper):
    """Also quotes texts that are numbers only in YAML 1.2, which `plan_of` reads, such as `1e3`."""


def _represent_text(writer: yaml.SafeDumper, text: str) -> yaml.Node:
    return writer.represent_scalar("tag:yaml.org,2002:str", text, style=None if yaml_values.is_text(text) else "'")


_Writer.add_representer(str, _represent_text)


def _step_fields(step: Step, keys: dict[str, str]) -> dict[str, Any]:
    fields = _without_defaults(step, StepFields)
    depends_on = [keys[id] for id in step.depends_on if id in keys]
    fields.pop("depends_on", None)
    return fields | ({"depends_on": depends_on} if depends_on else {})


def _without_defaults(value: msgspec.Struct, kind: type[msgspec.Struct]) -> dict[str, Any]:
    builtins: dict[str, Any] = {}
    for field in msgspec.structs.fields(kind):
        found = getattr(value, field.name)
        if field.default is msgspec.NODEFAULT or found != field.default:
            builtins[field.name] = msgspec.to_builtins(found)
    return builtins
