"""The game as the environments of other kits: PettingZoo, Gymnasium. Each needs the extra of its name."""
