"""The output of one PTY as viewers see it: kept by offset, replayed, paced."""
