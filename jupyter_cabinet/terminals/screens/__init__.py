"""The bytes of one PTY as viewers see them: kept by offset, replayed, paced."""
