"""Adapters, tested with what their libraries bring for it: `make test-kits`."""
