"""Agents: the list, their files, messages, tasks and versions, and their way to another server."""
