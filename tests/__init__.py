"""Tests: they mirror `src`; `oracle` is a second, slow implementation of the rules."""
