"""The database tables of plans."""

from __future__ import annotations

from sqlalchemy import Boolean, Column, Float, Index, Integer, String, Table, Text, false

from ..storage.tables import NUMBERED, Number, metadata

plans = Table(
    "plans",
    metadata,
    Column("id", String(26), primary_key=True),
    Column("number", Number, nullable=False, server_default="0", info=NUMBERED),  # number of the last change
    Column("state", String(16), nullable=False),
    Column("owner", Text, nullable=False),
    Column("visibility", String(8), nullable=False),
    Column("archived", Boolean, nullable=False, server_default=false()),
    Column("body", Text, nullable=False),  # JSON of `model.Plan`, without its steps
    Index("plans_by_number", "number"),
    Index("plans_by_state", "state"),
)

plan_steps = Table(
    "plan_steps",
    metadata,
    Column("id", String(26), primary_key=True),
    Column("plan_id", String(26), nullable=False),
    Column("position", Integer, nullable=False),
    Column("state", String(16), nullable=False),
    Column("folder", Text, nullable=False),  # the working directory, as `rules.waiting.folder_of` writes it
    Column("title", Text, nullable=False),
    Column("run_id", String(26)),
    Column("body", Text, nullable=False),  # JSON of `model.Step`
    Index("plan_steps_by_plan", "plan_id", "position"),
    Index("plan_steps_by_state", "state"),
)

plan_artifacts = Table(
    "plan_artifacts",
    metadata,
    Column("id", String(26), primary_key=True),
    Column("plan_id", String(26), nullable=False),
    Column("step_id", String(26), nullable=False),
    Column("kind", String(16), nullable=False),
    Column("at", Float, nullable=False),  # seconds since 1970
    Column("body", Text, nullable=False),  # JSON of `model.Artifact`
    Index("plan_artifacts_by_step", "step_id", "kind", "at"),
    Index("plan_artifacts_by_plan", "plan_id"),
)
