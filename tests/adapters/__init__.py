"""Tests of the environments of other kits."""
