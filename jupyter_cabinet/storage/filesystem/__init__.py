"""Files and folders: safe writing, reading of what strangers write, caches, watching, and what is hidden or private."""
