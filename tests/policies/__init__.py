"""Scripted policies."""
