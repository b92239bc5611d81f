"""Approval requests and questions of agents, and their outcomes."""
