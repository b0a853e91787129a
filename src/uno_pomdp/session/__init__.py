"""An evening of a person against an agent, without a screen: setup, game, undo, coach, rematch, match, words."""
