"""Slack, through its Web API and Socket Mode: the server needs no public address.

The calls are made by `slack_sdk`, the WebSocket by aiohttp, which `slack_sdk` uses too. The SDK's own client for Socket
Mode is not used: it connects again for ever without reporting why it fails, and hands out events side by side.
"""
