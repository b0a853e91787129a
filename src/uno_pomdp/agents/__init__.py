"""Who plays: the protocol of all agents, and those that follow a scripted policy."""
