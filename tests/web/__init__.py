"""Tests in a real browser: `make test-web` runs them."""
