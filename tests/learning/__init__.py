"""Tests of training; those that need torch are collected only where it is."""
