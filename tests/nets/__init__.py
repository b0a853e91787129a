"""Tests of the champion without torch."""
