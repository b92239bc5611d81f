"""The messages that CLIs write: lines of JSON, their values and blocks, and how stored sessions are read."""
