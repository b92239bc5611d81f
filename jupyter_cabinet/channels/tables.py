"""The database tables of channels. What people have decided about them is elsewhere: see `setup/configuration.py`."""

from __future__ import annotations

from sqlalchemy import Column, Float, Index, String, Table, Text, UniqueConstraint

from ..storage.tables import NUMBERED, Number, metadata

channel_messages = Table(
    "channel_messages",
    metadata,
    Column("id", String(26), primary_key=True),
    Column("number", Number, nullable=False, server_default="0", info=NUMBERED),
    Column("channel_id", String(26), nullable=False),
    Column("direction", String(3), nullable=False),
    Column("key", String(120), nullable=False),  # stored once: see `model.ChannelMessage`
    Column("state", String(8), nullable=False),
    Column("run_id", String(26)),
    Column("at", Float, nullable=False),  # seconds since 1970
    Column("text", Text, nullable=False),  # for searching
    Column("body", Text, nullable=False),  # JSON of `model.ChannelMessage`
    UniqueConstraint("channel_id", "direction", "key", name="channel_messages_once"),
    Index("channel_messages_by_number", "channel_id", "number"),
    Index("channel_messages_by_state", "state"),
    Index("channel_messages_by_run", "run_id"),
)

channel_conversations = Table(
    "channel_conversations",
    metadata,
    Column("id", String(64), primary_key=True),
    Column("session_id", String(36), nullable=False),
    Column("body", Text, nullable=False),  # JSON of `model.Conversation`
)
