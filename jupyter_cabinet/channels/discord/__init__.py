"""Discord, through its REST API and its Gateway: the server needs no public address.

Calls and the WebSocket are made with aiohttp, as for Slack, and without an SDK: replies have a greatest length, no
redirect is followed, and an event counts as received only when it is on record.
"""
