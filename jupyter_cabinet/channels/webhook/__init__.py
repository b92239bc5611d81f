"""Webhooks: any program that can send and receive signed HTTP requests is a chat platform.

`addresses.py` decides where messages may be sent, `adapter.py` sends them, and `service.py` takes what comes in.
"""
