"""The decision process, tested."""
