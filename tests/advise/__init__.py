"""The adviser at a real table."""
