"""Slack, through its Web API and Socket Mode: the server needs no public address.

Calls and the WebSocket are made with aiohttp. Slack's SDK is not used: it follows redirects, reads replies of any
length, and its client for Socket Mode reconnects endlessly without reporting why it fails.
"""
