"""The arena, tested."""
