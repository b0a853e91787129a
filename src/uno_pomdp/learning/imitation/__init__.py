"""A net that imitates an agent, so that a best response can be trained against it."""
