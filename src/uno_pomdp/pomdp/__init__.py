"""The decision process of one seat, the opponent inside it, and value iteration."""
