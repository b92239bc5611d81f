"""What starts plays: schedules, files, goals, messages, other plays, the server and agents."""
