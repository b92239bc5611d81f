"""How a run gets skills and tools: the ports that other rooms implement, and the questions before a tool acts."""
